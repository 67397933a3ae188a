// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of each kind, one of which throws, reported to a profiler (profiling.cmake).

#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

int main() {
  const tandem::serial space;
  std::vector<float> x(100, 1.0f);
  std::vector<float> y(100);
  tandem::parallel_for(space, 0, [](int) {});
  float* const first = x.data();
  tandem::parallel_for(space, 100, [=](int i) { first[i] += 1.0f; });
  try {
    tandem::parallel_for(space, 1, [](int) { throw 1; });
  } catch (int) {
  }
  if (tandem::dot(space, x, x) != 400) return 1;
  tandem::transform(space, x, y, [](float v) { return -v; });
  tandem::parallel_scan(space, x, y);
  tandem::sort(space, y);
  tandem::copy(space, x, y);
}
