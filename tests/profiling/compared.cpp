// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compared [planted]: operations on arrays; with `planted`, the last one uses a platform function.
// Two runs are compared through a file (profiling.cmake).

#include <cmath>

#include <tandem/tandem.hpp>

int main(int count, char**) {
  const tandem::serial space;
  constexpr tandem::index_t n = 100000;
  tandem::array<float, 1, tandem::serial> x(tandem::extents<1>(n), space);
  tandem::array<float, 1, tandem::serial> y(tandem::extents<1>(n), space);
  tandem::fill_random(space, x, tandem::uniform{-10.0, 10.0}, 1);
  tandem::parallel_scan(space, x, y);
  const float sum = tandem::parallel_reduce(space, y);
  if (count > 1) {
    tandem::transform(space, x, y, [](float v) { return std::exp(v); });
  } else {
    tandem::transform(space, x, y, [](float v) { return tandem::exp(v); });
  }
  return std::isnan(sum) ? 1 : 0;
}
