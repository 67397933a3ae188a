// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

/// What the hand-written CUDA versions of the bench of kernels share.
namespace perf {

/// Blocks of `each` elements that cover n >= 1 elements.
inline unsigned blocks_for(tandem::index_t n, int each) {
  return static_cast<unsigned>(tandem::ceil_div(n, tandem::index_t{each}));
}

/// Throws when the last launch failed.
inline void check_launch(const char* kernel) { check_cuda(cudaGetLastError(), kernel); }

}  // namespace perf
