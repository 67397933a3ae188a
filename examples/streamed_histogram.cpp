// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams an array of the host through the default space in chunks that fit a budget: draws normal
// variables into it, counts them in bins and adds them up. The results are those of plain calls on
// an array that holds all elements. `streamed_histogram 33` takes 2^33 floats, 32 GiB of memory.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <tandem/distributed.hpp>

namespace {

struct draw {
  template <class X, class Values>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Values& values) const {
    x(i) = values(std::uint64_t(i));
  }
};

/// Prints a line at each quarter of the rows.
void print_progress(tandem::index_t done, tandem::index_t rows) {
  static tandem::index_t quarters = 0;
  const tandem::index_t now = done * 4 / rows;
  if (now != quarters && now != 0) std::printf("  %lld %%\n", static_cast<long long>(now * 25));
  quarters = now;
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

int main(int argc, char** argv) {
  const tandem::index_t n = tandem::index_t{1} << (argc > 1 ? std::atoi(argv[1]) : 22);
  const tandem::uniform_bins<float> bins{.lo = -4, .hi = 4};
  const tandem::default_space space;
  const auto bytes = std::size_t(n) * sizeof(float);
  const tandem::streamed big(
      space, {.budget = std::max(bytes / 8, std::size_t{1} << 16), .progress = print_progress});
  std::printf("%zu MiB through a budget of %zu KiB\n", bytes >> 20, big.how().budget >> 10);

  std::vector<float> samples(static_cast<std::size_t>(n));
  std::printf("draw\n");
  tandem::parallel_for(big, n, draw{}, tandem::out(samples),
                       tandem::random_values<float>(tandem::normal{}, 2026));
  std::vector<std::int64_t> counts(64);
  std::printf("histogram\n");
  tandem::histogram(big, samples, bins, counts);
  std::printf("sum\n");
  const float sum = tandem::parallel_reduce(big, samples);

  std::int64_t inside = 0;
  for (const std::int64_t count : counts) inside += count;
  std::printf("%lld of %lld lie in [-4, 4], the sum is %.9g\n", static_cast<long long>(inside),
              static_cast<long long>(n), double(sum));
  try {
    const tandem::array<float> all(samples);
    std::vector<std::int64_t> expected(counts.size());
    tandem::array<std::int64_t> counted(tandem::index_t(counts.size()));
    tandem::histogram(space, all, bins, counted);
    tandem::copy(space, counted, expected);
    space.fence();
    const bool same = counts == expected && same_bits(sum, tandem::parallel_reduce(space, all));
    std::puts(same ? "as the plain calls" : "unlike the plain calls");
    return same && inside > 0 ? 0 : 1;
  } catch (const tandem::out_of_memory_error&) {
    std::printf("too large for plain calls\n");
  }
  return 0;
}
