// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/mandelbrot/kernel.hpp>

namespace perf::mandelbrot_openmp {

void mandelbrot_by_hand(mandelbrot<openmp>& kernel) {
  int* const picture = kernel.picture.data_handle();
  const int rows = static_cast<int>(kernel.picture.extent(0));
  const int n = static_cast<int>(kernel.picture.extent(1));
  const float step = kernel.step();
#pragma omp parallel for schedule(dynamic, 4)
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < n; ++i)
      picture[static_cast<std::ptrdiff_t>(j) * n + i] = mandelbrot_steps(j, i, step);
  }
}

const registration cpu(list_kernel<openmp, mandelbrot<openmp>, mandelbrot_by_hand>);

}  // namespace perf::mandelbrot_openmp
