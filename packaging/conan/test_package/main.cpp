// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include <tandem/tandem.hpp>

// Defined in kernels.cpp.
template <class Space>
double sum_of_odd_numbers(const Space& space, int n);

int main() {
  const tandem::any_space space;
  const int n = 1000;
  const double sum = space.visit([&](const auto& s) { return sum_of_odd_numbers(s, n); });
  std::printf("tandem %s, %s: %g\n", tandem::version, space.name(), sum);
  return sum == double(n) * n ? 0 : 1;
}
