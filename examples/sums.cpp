// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times sums and sums of magnitudes from 2^12 elements up, for data in the kernels' memory and for
// data that is copied there first. `sums 27` goes up to 2^27 and shows when a GPU begins to pay.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

/// Marks times on a logarithmic axis of 0.1 us to 1 s, ten columns to a power of ten.
std::string plotted(double resident, double copied) {
  std::string line(71, ' ');
  const auto column = [](double seconds) {
    return std::size_t(std::clamp(std::lround(10 * std::log10(seconds / 1e-7)), 0L, 70L));
  };
  line[column(copied)] = 'c';
  line[column(resident)] = 'o';
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 18;
  const tandem::timeit_options briefly{.seconds = 0.02, .samples = 3};
  bool right = true;
  std::string plot;
  std::printf("%10s %12s %12s %16s\n", "elements", "sum, us", "|sum|, us", "copy + sum, us");
  for (int power = 12; power <= largest; power += 3) {
    const tandem::index_t n = tandem::index_t{1} << power;
    std::vector<float> on_host(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < on_host.size(); ++i) on_host[i] = i % 2 == 0 ? 1.0f : -0.5f;
    tandem::array<float> x(on_host);

    float sum = 0, magnitudes = 0, copied = 0;
    const auto resident = tandem::timeit([&] { sum = tandem::parallel_reduce(x); }, briefly);
    const auto absolute = tandem::timeit([&] { magnitudes = tandem::asum(x); }, briefly);
    const auto transfer = tandem::timeit(
        [&] {
          tandem::copy(on_host, x);
          copied = tandem::parallel_reduce(x);
        },
        briefly);
    std::printf("%10lld %12.1f %12.1f %16.1f\n", static_cast<long long>(n), resident.seconds * 1e6,
                absolute.seconds * 1e6, transfer.seconds * 1e6);
    plot +=
        "2^" + std::to_string(power) + " |" + plotted(resident.seconds, transfer.seconds) + "|\n";

    // Multiples of 1/2 below 2^24 / 2 are exact in float, and so are these sums up to 2^23.
    const auto exact = static_cast<float>(n);
    right = right && sum == copied;
    if (power < 24) right = right && sum == 0.25f * exact && magnitudes == 0.75f * exact;
  }
  std::printf(
      "\n%s     0.1 us    1 us      10 us     100 us    1 ms      10 ms     100 ms    1 s\n"
      "     o: sum, c: copy and sum\n",
      plot.c_str());
  return right ? 0 : 1;
}
