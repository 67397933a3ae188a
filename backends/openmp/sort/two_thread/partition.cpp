// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/sort/two_thread/partition.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>

namespace tandem::openmp_impl {

partition_kernels usable_partition([[maybe_unused]] std::size_t bytes) {
#if defined(__x86_64__)
  static const bool is_usable = widest_instruction_set() == instruction_set::avx512;
  if (is_usable && bytes == 4)
    return {partition_words_avx512, restore_words_avx512, zeros_of_words_avx512};
  if (is_usable && bytes == 8) {
    return {partition_double_words_avx512, restore_double_words_avx512,
            zeros_of_double_words_avx512};
  }
#endif
  return {nullptr, nullptr, nullptr};
}

}  // namespace tandem::openmp_impl
