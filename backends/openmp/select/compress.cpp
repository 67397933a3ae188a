// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/select/compress.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>

namespace tandem::openmp_impl {

compress_function* usable_compress([[maybe_unused]] std::size_t bytes) {
#if defined(__x86_64__)
  static const bool is_usable = widest_instruction_set() == instruction_set::avx512;
  if (is_usable && bytes == 4) return compress_words_avx512;
  if (is_usable && bytes == 8) return compress_double_words_avx512;
#endif
  return nullptr;
}

}  // namespace tandem::openmp_impl
