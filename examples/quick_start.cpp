// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

int main() {
  const int n = 1 << 20;
  tandem::array<float> x(n), y({n}, 1.0f);        // memory of the default space
  tandem::copy(std::vector<float>(n, 0.5f), x);   // the only way data crosses
  auto xv = x.const_view(), yw = y.const_view();  // what kernels capture
  auto yv = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { yv(i) = tandem::fma(2.0f, xv(i), yv(i)); });
  float norm = tandem::parallel_reduce(
      n, TANDEM_LAMBDA(int i) { return tandem::abs(yw(i)); });
  tandem::array<int> counts({150}, 0);
  tandem::histogram(yw, {.lo = -4.0f, .hi = 4.0f}, counts.view());
  auto [most, bin] = tandem::argmax(counts.const_view());
  std::printf("norm %g, fullest bin %d with %d\n", norm, static_cast<int>(bin), most);
}
