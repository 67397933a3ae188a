// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts integers in 256 bins in three ways: atomics on one set of bins, a private set for each
// team that is added at the end, and tandem::histogram. `private_bins 25` counts 2^25 values.
#include <cstdio>
#include <cstdlib>

#include <tandem/tandem.hpp>

namespace {

constexpr int bins = 256;
using values = tandem::array<int>;

/// Adds each value atomically to bins in memory that all threads share.
void count_in_shared_bins(const values& x, values& counts) {
  tandem::fill(counts, 0);
  const auto v = x.const_view();
  const auto c = counts.view();
  tandem::parallel_for(
      v.extent(0), TANDEM_LAMBDA(tandem::index_t i) { tandem::atomic_add(c(v(i)), 1); });
}

/// Each team counts its part in private scratch, then adds its 256 sums.
void count_in_private_bins(const values& x, values& counts) {
  tandem::fill(counts, 0);
  const auto v = x.const_view();
  const auto c = counts.view();
  const tandem::index_t n = v.extent(0), part = 1 << 14;
  const tandem::team_shape shape{
      .teams = (n + part - 1) / part, .lanes = 256, .scratch_bytes = bins * sizeof(int)};
  tandem::parallel_teams(
      shape, TANDEM_LAMBDA(tandem::team & t) {
        int* const own = t.scratch<int>(bins);
        const tandem::index_t first = t.index() * part;
        const tandem::index_t count = tandem::min(part, n - first);
        t.for_each(bins, [&](int b) { own[b] = 0; });
        t.for_each(count, [&](tandem::index_t i) { tandem::atomic_add(own[v(first + i)], 1); });
        t.for_each(bins, [&](int b) { tandem::atomic_add(c(b), own[b]); });
      });
}

}  // namespace

int main(int argc, char** argv) {
  const int n = 1 << (argc > 1 ? std::atoi(argv[1]) : 18);
  values x(n), shared(bins), privately(bins), library(bins);
  tandem::fill_random(x, tandem::uniform_int{0, bins - 1}, 7);

  const tandem::timeit_options briefly{.seconds = 0.03, .samples = 3};
  const auto first = tandem::timeit([&] { count_in_shared_bins(x, shared); }, briefly);
  const auto second = tandem::timeit([&] { count_in_private_bins(x, privately); }, briefly);
  const auto third = tandem::timeit([&] { tandem::histogram(x, library); }, briefly);
  std::printf("%d values: shared bins %.0f us, private bins %.0f us, tandem::histogram %.0f us\n",
              n, first.seconds * 1e6, second.seconds * 1e6, third.seconds * 1e6);

  const auto s = shared.const_view(), p = privately.const_view(), l = library.const_view();
  const auto different = tandem::parallel_reduce(
      bins, TANDEM_LAMBDA(int b) { return int(s(b) != l(b)) + int(p(b) != l(b)); });
  return different == 0 && tandem::parallel_reduce(library) == n ? 0 : 1;
}
