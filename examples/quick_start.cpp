// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int n = 1 << 20;
  tandem::array<float> x(n), y({n}, 1.0f);  // memory of the CPU or the GPU
  tandem::fill_random(x, tandem::normal{}, 2026);
  const auto xv = x.const_view();  // kernels capture views
  const auto yv = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { yv(i) += 0.5f * tandem::exp(xv(i)); });
  const float mean = tandem::parallel_reduce(y, tandem::sum{}) / n;
  std::printf("%.9g\n", mean);  // 1.82485867 on every backend
}
