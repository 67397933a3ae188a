// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each backend of the build, in CMake by tandem_add_sources: g++ makes an object
// file for the CPU and nvcc, if there is one, another for the GPU.
#include <vector>

#include <tandem/tandem.hpp>

/// Returns the sum of a x + y over n elements with x = 0.5 and y = 1.
template <class Space>
float sum_of_saxpy(const Space& space, int n, float a) {
  tandem::array<float, 1, Space> x(tandem::extents<1>(n), space), y(tandem::extents<1>(n), space);
  tandem::fill(space, x.view(), 0.5f);
  tandem::fill(space, y.view(), 1.0f);
  auto xv = x.const_view();
  auto yv = y.view();
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(int i) { yv(i) = tandem::fma(a, xv(i), yv(i)); });
  return tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return yv(i); });
}

// build_space is tandem::openmp in one object file and tandem::cuda in the other.
template float sum_of_saxpy(const tandem::build_space&, int, float);
