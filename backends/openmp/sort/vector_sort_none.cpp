// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/sort/vector_sort.hpp>

/// For builds without Highway.
namespace tandem::openmp_impl {

bool has_vector_sort() { return false; }

void vector_sort(std::uint32_t*, index_t) {}

void vector_sort(std::uint64_t*, index_t) {}

}  // namespace tandem::openmp_impl
