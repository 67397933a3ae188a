// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program for machines with and without a GPU: TANDEM_SPACE=cuda, openmp or serial in the
// environment chooses where it runs; by default it uses a GPU if there is one.
#include <cstdio>

#include <tandem/tandem.hpp>

// Defined in kernels.cpp.
template <class Space>
float sum_of_saxpy(const Space& space, int n, float a);

int main() {
  const tandem::any_space space;
  const int n = 1 << 20;
  const float sum = space.visit([&](const auto& s) { return sum_of_saxpy(s, n, 2.0f); });
  std::printf("%s: %g\n", space.name(), static_cast<double>(sum));
  return sum == 2.0f * n ? 0 : 1;
}
