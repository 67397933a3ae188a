// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstdint>

namespace tandem::openmp_impl {

/// Whether this build has a vectorised sort for this processor: Highway's, if CMake found it.
bool has_vector_sort();

/// Sorts n words in place on the calling thread, unstably. Requires has_vector_sort().
void vector_sort(std::uint32_t* words, index_t n);
void vector_sort(std::uint64_t* words, index_t n);

}  // namespace tandem::openmp_impl
