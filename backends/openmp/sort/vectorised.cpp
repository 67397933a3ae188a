// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/sort/vectorised.hpp>

#if defined(TANDEM_HAS_HIGHWAY)  // only openmp.cmake defines it, for this file
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace tandem::openmp_impl {

#if defined(TANDEM_HAS_HIGHWAY)

// Highway (https://github.com/google/highway) chooses its instructions at run time.

bool has_vector_sort() { return true; }

void vector_sort(std::uint32_t* words, index_t n) {
  hwy::Sorter()(words, static_cast<std::size_t>(n), hwy::SortAscending());
}

void vector_sort(std::uint64_t* words, index_t n) {
  hwy::Sorter()(words, static_cast<std::size_t>(n), hwy::SortAscending());
}

#else

bool has_vector_sort() { return false; }

void vector_sort(std::uint32_t*, index_t) {}

void vector_sort(std::uint64_t*, index_t) {}

#endif

}  // namespace tandem::openmp_impl
