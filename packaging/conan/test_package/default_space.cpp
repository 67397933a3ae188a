// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include <tandem/tandem.hpp>

// A program in one file, as those have that know tandem from pkg-config alone.
int main() {
  const int n = 1000;
  tandem::array<double> values(n);
  const auto v = values.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) { v(i) = 2.0 * (n - i) - 1.0; });
  tandem::sort(values);
  const double sum = tandem::parallel_reduce(values, tandem::sum{});
  std::printf("tandem %s, by pkg-config: %g\n", tandem::version, sum);
  return sum == double(n) * n ? 0 : 1;
}
