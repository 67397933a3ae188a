// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/threads/parallel_region.hpp>

namespace tandem::openmp_impl {

/// Calls body(block, share) for each of `blocks` contiguous shares of n indices, one a thread where
/// OpenMP gives as many.
template <class Body>
void for_blocks(int blocks, index_t n, const Body& body) {
  fork(blocks, [&](int part, int parts) {
    for (int block = part; block < blocks; block += parts) body(block, share_of(n, block, blocks));
  });
}

}  // namespace tandem::openmp_impl
