// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prices call options on a share by simulated paths, drawn in the kernel, and compares them with
// the formula of Black and Scholes. The same paths price options on the average of a year, for
// which there is no such formula. `option_pricing 24` simulates 2^24 years.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <tandem/tandem.hpp>

namespace {

constexpr double price = 100, rate = 0.03, volatility = 0.2;  // per year
constexpr int months = 12;

/// The distribution function of the standard normal distribution.
double below(double z) { return 0.5 * tandem::erfc(-z / std::sqrt(2.0)); }

/// The value today of the right to buy in a year at the strike (Black and Scholes, 1973).
double call_value(double strike) {
  const double d = (tandem::log(price / strike) + rate) / volatility + volatility / 2;
  return price * below(d) - strike * tandem::exp(-rate) * below(d - volatility);
}

}  // namespace

int main(int argc, char** argv) {
  const int power = argc > 1 ? std::atoi(argv[1]) : 17, paths = 1 << power;
  const double drift = (rate - volatility * volatility / 2) / months;
  const double step = volatility / std::sqrt(double(months)), discount = tandem::exp(-rate);
  const auto normal = tandem::random_values<double>(tandem::normal{0, 1}, 2026);

  bool right = true;
  for (const double strike : {90.0, 100.0, 110.0}) {
    const auto payoff = TANDEM_LAMBDA(int path) {
      double level = 0, sum = 0;  // of the logarithm; of the prices at the ends of months
      for (int month = 0; month < months; ++month) {
        level += drift + step * normal(std::uint64_t(path) * months + std::uint64_t(month));
        sum += price * tandem::exp(level);
      }
      const double end = discount * tandem::max(price * tandem::exp(level) - strike, 0.0);
      const double mean = discount * tandem::max(sum / months - strike, 0.0);
      return tandem::make_tuple(end, end * end, mean);
    };
    const auto sums = tandem::parallel_reduce(
        paths, payoff, tandem::combined_reducer{tandem::sum{}, tandem::sum{}, tandem::sum{}});
    const double value = tandem::get<0>(sums) / paths, exact = call_value(strike);
    const double variance = tandem::get<1>(sums) / paths - value * value;
    const double error = std::sqrt(variance / paths), average = tandem::get<2>(sums) / paths;
    std::printf("strike %.0f: %.3f by the formula, %.3f +- %.3f by paths; on the average %.3f\n",
                strike, exact, value, error, average);
    right = right && std::abs(value - exact) < 4 * error && average < value;
    // The bits of every backend.
    if (power == 17 && strike == 110) right = right && value == 0x1.4f8571224944p+2;
  }
  return right ? 0 : 1;
}
