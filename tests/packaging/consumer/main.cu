// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "triad_sum.hpp"

/// A program for CPU and GPU also starts, and runs its CPU side, on a machine without a GPU.
int main() {
  bool right = triad_sum_is_right(tandem::openmp{});
  if (tandem::cuda::devices().empty()) {
    std::printf("no CUDA device: only the CPU side is run\n");
  } else {
    right = triad_sum_is_right(tandem::cuda{}) && right;
  }
  std::printf("tandem %s: %s\n", tandem::version, right ? "right" : "wrong");
  return right ? 0 : 1;
}
