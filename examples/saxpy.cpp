// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = a x + y, the first program of every library: memory, a loop, a reduction.
#include <cstdio>

#include <tandem/tandem.hpp>

int main() {
  const int n = 1 << 20;
  const float a = 2.0f;
  tandem::array<float> x(n), y(n);
  const auto xw = x.view(), yv = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) {
        xw(i) = float(i % 1024);
        yv(i) = 1.0f;
      });

  const auto xv = x.const_view();  // read-only from here on
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { yv(i) = tandem::fma(a, xv(i), yv(i)); });

  const auto wrong = tandem::parallel_reduce(
      n, TANDEM_LAMBDA(int i) { return yv(i) == 2.0f * float(i % 1024) + 1.0f ? 0 : 1; });
  std::printf("saxpy of %d elements: %d are wrong\n", n, int(wrong));
  return wrong == 0 ? 0 : 1;
}
