// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/sort/vector_sort.hpp>

#include <hwy/contrib/sort/vqsort.h>

/// For builds with Highway (https://github.com/google/highway), whose sort picks its instructions
/// when the program runs.
namespace tandem::openmp_impl {

bool has_vector_sort() { return true; }

void vector_sort(std::uint32_t* words, index_t n) {
  hwy::Sorter()(words, static_cast<std::size_t>(n), hwy::SortAscending());
}

void vector_sort(std::uint64_t* words, index_t n) {
  hwy::Sorter()(words, static_cast<std::size_t>(n), hwy::SortAscending());
}

}  // namespace tandem::openmp_impl
