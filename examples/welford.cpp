// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mean and variance in one pass by a custom reducer that merges partial moments (Welford; Chan,
// Golub and LeVeque, 1983). The library fixes the order of the merges, so the bits are the same on
// every backend. `welford 28` reads 2^28 values.
#include <cstdio>
#include <cstdlib>

#include <tandem/tandem.hpp>

namespace {

/// What is known of some of the values: how many there are, their mean, and the sum of squared
/// differences from it.
struct moments {
  double count, mean, squares;
};

/// Merges moments; a term is a value. A merge with no values returns the other side unchanged, as
/// an identity has to. plain_reducer has the rest of the interface: accumulator, result, finish().
struct merge_moments : tandem::plain_reducer<moments> {
  TANDEM_FUNCTION moments lift(double value, tandem::index_t) const { return {1, value, 0}; }
  TANDEM_FUNCTION moments combine(moments a, moments b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, apart = b.mean - a.mean;
    return {count, a.mean + apart * (b.count / count),
            a.squares + b.squares + apart * apart * (a.count * b.count / count)};
  }
  TANDEM_FUNCTION moments identity() const { return {0, 0, 0}; }
  TANDEM_FUNCTION moments empty() const { return identity(); }
};

}  // namespace

int main(int argc, char** argv) {
  const int power = argc > 1 ? std::atoi(argv[1]) : 20;
  const tandem::index_t n = tandem::index_t{1} << power;
  tandem::array<double> x(n);
  tandem::fill_random(x, tandem::normal{1e9, 1}, 5);  // the mean is large, the spread small

  const moments all = tandem::parallel_reduce(x, merge_moments{});
  const double variance = all.squares / double(n - 1);

  // Two passes find the variance too. The mean of squares minus the square of the mean is a
  // difference of numbers near 1e18, whose neighbours are 128 apart.
  const auto v = x.const_view();
  const double mean = tandem::parallel_reduce(x) / double(n);
  const double twice = tandem::parallel_reduce(
                           n,
                           TANDEM_LAMBDA(tandem::index_t i) {
                             const double apart = v(i) - mean;
                             return apart * apart;
                           }) /
                       double(n - 1);
  const double naive = tandem::dot(x, x) / double(n) - mean * mean;
  std::printf("mean %.6f, variance %.9f; in two passes %.9f, from the sum of squares %g\n",
              all.mean, variance, twice, naive);
  // The last comparison is with the bits of every backend.
  const bool close = tandem::abs(variance - twice) < 1e-6 && tandem::abs(variance - 1) < 0.02;
  return close && (power != 20 || variance == 0x1.003fc0fa615aep+0) ? 0 : 1;
}
