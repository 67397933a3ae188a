// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on the default space, one of them with a label: what TANDEM_TRACE=1 prints
// (profiling.cmake).

#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

int main() {
  try {
    const tandem::default_space space;
    const tandem::array<float, 2, tandem::default_space> a(tandem::extents<2>(8, 16), 1.0f, space);
    const tandem::array<float, 2, tandem::default_space> b(tandem::extents<2>(16, 4), 2.0f, space);
    tandem::array<float, 2, tandem::default_space> c(tandem::extents<2>(8, 4), 0.0f, space);
    tandem::array<float, 1, tandem::default_space> x(tandem::extents<1>(100), 1.0f, space);
    std::vector<float> y(100);
    tandem::matmul(space, a, b, c);
    tandem::sort(space, x);
    tandem::copy(space, x, y);
    tandem::fill(space.named("clear"), x, 0.0f);
    space.fence();
  } catch (const tandem::no_device_error& e) {
    std::puts(e.what());
    return 77;
  }
  return 0;
}
