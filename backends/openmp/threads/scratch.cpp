// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/threads/scratch.hpp>

#include <tandem/core/contract/host/allocation.hpp>

namespace tandem::openmp_impl {

void require_memory(std::size_t bytes) {
  if (bytes >= detail::checked_bytes && bytes > detail::free_host_bytes()) fail_memory(bytes);
}

void fail_memory(std::size_t bytes) {
  throw out_of_memory_error("openmp", bytes, detail::free_host_bytes());
}

}  // namespace tandem::openmp_impl
