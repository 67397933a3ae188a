// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws a million normal variables, counts them in 150 bins over [-4, 4], compares the counts with
// the normal distribution and plots them with characters.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

int main() {
  const int n = 1000000, bins = 150;
  const float lo = -4, hi = 4;
  tandem::array<float> x(n);
  tandem::fill_random(x, tandem::normal{0, 1}, 2026);
  tandem::array<int> counts(bins);
  tandem::histogram(x, {.lo = lo, .hi = hi}, counts);

  const std::vector<int> found = tandem::to_vector(counts);
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const double width = double(hi - lo) / bins;
  bool likely = true;
  int inside = 0;
  for (int b = 0; b < bins; ++b) {
    const int count = found[std::size_t(b)];
    const double left = lo + b * width;
    const double expected = n * (below(left + width) - below(left));
    // Allows six standard deviations, plus one count for bins that expect almost none.
    likely = likely && std::abs(count - expected) < 6 * std::sqrt(expected) + 1;
    inside += count;
    if (b % 10 == 5) {
      std::printf("%5.1f %6d %s\n", left + width / 2, count,
                  std::string(std::size_t(count) / 500, '#').c_str());
    }
  }
  std::printf("%d of %d lie in [-4, 4]\n", inside, n);
  return likely && inside > n - 150 && inside < n ? 0 : 1;
}
