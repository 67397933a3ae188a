// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares ordinary arrays with arrays that stay in the kernels' memory: three passes over data
// that is copied before and after each pass, and over data that is copied once.
#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

/// x = x * 2 + 1, in memory of the default space.
void pass(tandem::array<double>& x) {
  const auto v = x.view();
  tandem::parallel_for(
      v.extent(0), TANDEM_LAMBDA(tandem::index_t i) { v(i) = tandem::fma(v(i), 2.0, 1.0); });
}

}  // namespace

int main() {
  const int n = 1 << 20, passes = 3;
  std::vector<double> on_host(n, 1.0);
  tandem::array<double> x(n);
  const tandem::timeit_options briefly{.seconds = 0.02, .samples = 3};

  const auto crossing = tandem::timeit(
      [&] {
        for (int p = 0; p < passes; ++p) {
          on_host.assign(n, 1.0);
          tandem::copy(on_host, x);
          pass(x);
          tandem::copy(x, on_host);
        }
      },
      briefly);
  const bool one_pass = on_host.front() == 3 && on_host.back() == 3;

  const auto staying = tandem::timeit(
      [&] {
        tandem::fill(x, 1.0);
        for (int p = 0; p < passes; ++p) pass(x);
      },
      briefly);

  // Makes the elements readable on the host: on a CPU the array's own view, without a copy.
  const auto result = tandem::mirror(x);
  bool right = one_pass;
  for (const double v : result) right = right && v == 15;
  std::printf("%d passes: %.0f us with copies around each, %.0f us without\n", passes,
              crossing.seconds * 1e6, staying.seconds * 1e6);
  return right ? 0 : 1;
}
