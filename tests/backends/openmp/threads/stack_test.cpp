// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations called on threads with small stacks, such as musl's of 128 KiB. CTest also gives the
// threads of regions such stacks.

#include <tandem/tandem.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "support/data.hpp"
#include "support/used_stack.hpp"

using namespace tandem::test;
using tandem::array;
using tandem::index_t;
using tandem::openmp;

namespace {

/// Sorts keys whose high bits have few values, so that buckets are divided again.
template <class Word>
void check_sort(const openmp& space, int high_bits) {
  auto keys = random_values<Word>(300'000, 3);
  for (Word& key : keys) key &= static_cast<Word>(high_bits == 0 ? ~0ull : 3ull << 62 | 0xffff);
  auto payloads = random_values<double>(keys.size(), 4);
  auto sorted = keys;
  check_stack("sort", [&] { tandem::sort(space, sorted); });
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  check_stack("sort_by_key", [&] { tandem::sort_by_key(space, keys, payloads); });
  CHECK(keys == sorted);
}

template <class In, class Out>
void check_product(const openmp& space, index_t m, index_t n, index_t k) {
  CAPTURE(m);
  const array<In, 2, openmp> a({m, k}, In(1.0f), space);
  const array<In, 2, openmp> b({k, n}, In(1.0f), space);
  array<Out, 2, openmp> c({m, n}, Out(0), space);
  check_stack("matmul", [&] { tandem::matmul(space, a, b, c); });
  CHECK(c(m - 1, n - 1) == static_cast<Out>(k));
}

}  // namespace

TEST_CASE("openmp stacks: sorts and selections need 64 KiB at most") {
  for (const int threads : {1, 3}) {
    const openmp space(threads);
    check_sort<std::uint64_t>(space, 0);
    check_sort<std::uint64_t>(space, 2);
    check_sort<std::uint16_t>(space, 0);
    auto x = random_values<float>(300'000, 1);
    auto y = x;
    check_stack("sort of floats", [&] { tandem::sort(space, x); });
    CHECK(std::is_sorted(x.begin(), x.end()));
    check_stack("shuffle", [&] { tandem::shuffle(space, x, 5); });
    check_stack("nth_element", [&] { (void)tandem::nth_element(space, x, 1000); });
    const auto positive = [](float v) { return v > 0; };
    check_stack("copy_if", [&] { (void)tandem::copy_if(space, x, y, positive); });
    check_stack("unique", [&] { (void)tandem::unique(space, x, y); });
    auto keys = random_below<int>(x.size(), 4, 2);
    std::vector<int> runs(x.size());
    check_stack("reduce_by_key", [&] { (void)tandem::reduce_by_key(space, keys, x, runs, y); });
  }
}

TEST_CASE("openmp stacks: reductions, scans and histograms need 64 KiB at most") {
  for (const int threads : {1, 3}) {
    const openmp space(threads);
    auto x = random_values<float>(3'000'000, 1);
    const auto plane = tandem::reshape(tandem::as_view(x), 1000, 3000);
    std::vector<float> out(3000);
    check_stack("sum", [&] { (void)tandem::parallel_reduce(space, x); });
    check_stack("several", [&] {
      (void)tandem::parallel_reduce(
          space, x,
          tandem::combined_reducer{tandem::sum<double>{}, tandem::maxloc<float>{},
                                   tandem::minmax<float>{}});
    });
    const auto term = [](index_t i) { return static_cast<float>(i % 1000); };
    check_stack("several of a function", [&] {
      (void)tandem::parallel_reduce(
          space, index_t{100'000}, term,
          tandem::combined_reducer{tandem::sum<float>{}, tandem::minloc<float>{},
                                   tandem::maxloc<float>{}, tandem::minloc<double>{}});
    });
    const auto of_plane = [](index_t j, index_t i) { return static_cast<double>(j * i % 1000); };
    std::vector<tandem::tuple<double, double, double, double>> moments(3000);
    const auto fourth =
        tandem::combined_reducer{tandem::sum<double>{}, tandem::product<double>{},
                                 tandem::minimum<double>{}, tandem::maximum<double>{}};
    check_stack("several of columns", [&] {
      tandem::parallel_reduce_into(space, tandem::grid{1000, 3000}, tandem::axis{0}, of_plane,
                                   fourth, moments);
    });
    check_stack("sums of columns", [&] {
      tandem::parallel_reduce_into(space, plane, tandem::axis{0}, tandem::sum{}, out);
    });
    check_stack("sums of rows", [&] {
      tandem::parallel_reduce_into(space, plane, tandem::axis{1}, tandem::sum{},
                                   tandem::subview(tandem::as_view(out), tandem::slice{0, 1000}));
    });
    const std::vector<int> offsets = {0, 5, 6, 2'000'000, 3'000'000};
    std::vector<float> sums(4);
    check_stack("segmented_reduce", [&] { tandem::segmented_reduce(space, x, offsets, sums); });
    check_stack("segmented_scan", [&] { tandem::segmented_scan(space, x, offsets, x); });
    check_stack("parallel_scan", [&] { tandem::parallel_scan(space, x, x); });
    const auto weights = random_values<double>(x.size(), 2);
    const auto indices = random_below<int>(x.size(), 1000, 2);
    std::vector<int> counts(1000);
    std::vector<double> totals(1000);
    const tandem::uniform_bins<float> equal{.lo = -60, .hi = 60};
    check_stack("histogram", [&] { tandem::histogram(space, x, equal, counts); });
    check_stack("weighted histogram", [&] { tandem::histogram(space, x, equal, weights, totals); });
    check_stack("scatter_add", [&] { tandem::scatter_add(space, indices, weights, totals); });
    check_stack("fill_random", [&] { tandem::fill_random(space, x, tandem::normal{}, 1); });
  }
}

TEST_CASE("openmp stacks: products, copies, loops and teams need 64 KiB at most") {
  for (const int threads : {1, 3}) {
    const openmp space(threads);
    for (const auto& [m, n, k] :
         {std::array<index_t, 3>{300, 300, 300}, {13, 9, 7}, {8, 8, 9000}}) {
      check_product<float, float>(space, m, n, k);
      check_product<double, double>(space, m, n, k);
      check_product<std::int8_t, std::int32_t>(space, m, n, k);
      check_product<tandem::bf16, float>(space, m, n, k);
      check_product<tandem::half, float>(space, m, n, k);
    }
    auto x = random_values<float>(3'000'000, 1);
    auto y = x;
    const auto from = tandem::reshape(tandem::as_view(x), 1000, 3000);
    const auto to = tandem::reshape(tandem::as_view(y), 3000, 1000);
    check_stack("transposing copy", [&] { tandem::copy(space, from, tandem::transposed(to)); });
    const auto v = tandem::as_view(x);
    check_stack("parallel_for",
                [&] { tandem::parallel_for(space, v.size(), [=](index_t i) { v(i) *= 2; }); });
    check_stack("parallel_teams", [&] {
      tandem::parallel_teams(space, {64, 64, 1024}, [=](tandem::team& t) {
        float* const shared = t.scratch<float>(64);
        t.for_each_lane([&](int lane) { shared[lane] = v(t.index() * 64 + lane); });
        t.for_each_lane([&](int lane) { v(t.index() * 64 + lane) = shared[63 - lane]; });
      });
    });
  }
}
