// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a reduction, cut at every tile and combined in every way, have the bits of the whole.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/results.hpp"

#include <cmath>
#include <limits>

using namespace tandem::test;

namespace {

/// Whether the partial has at most 2 log2(tiles) subtrees, or one for a single tile.
template <class R>
bool is_within_bound(const tandem::partial<R>& part, tandem::index_t terms) {
  const auto tiles = static_cast<double>(tandem::ceil_div(terms, part.tile));
  const auto held = static_cast<double>(part.subtrees().size());
  return held <= (tiles <= 1 ? tiles : 2 * std::log2(tiles));
}

/// Cuts `values` at all pairs of every `step`th tile, and compares with serial's whole reduction.
template <class T, class Space, class R>
void check_cuts(const Space& space, const std::vector<T>& values, const R& reducer, int step = 1) {
  const tandem::serial reference;
  const auto x = to_space(space, values);
  const auto whole = to_space(reference, values);
  const auto wanted = tandem::parallel_reduce(reference, whole, reducer);
  const auto n = x.size();
  const auto part = [&](tandem::index_t first, tandem::index_t last) {
    return tandem::partial_reduce(space, tandem::subview(x.view(), tandem::slice{first, last}),
                                  first, reducer);
  };
  using Partial = decltype(part(0, n));
  CHECK(same_result(tandem::finish(part(0, n)), wanted));
  bool is_right = true;
  bool is_small = true;
  for (tandem::index_t i = 0; i <= n; i += step * Partial::tile) {
    const auto left = part(0, i);
    for (tandem::index_t j = i; j <= n; j += step * Partial::tile) {
      const auto middle = part(i, j);
      const auto right = part(j, n);
      is_small = is_small && is_within_bound(middle, j - i) && is_within_bound(right, n - j);
      using tandem::combine;
      is_right = is_right &&
                 same_result(tandem::finish(combine(combine(left, middle), right)), wanted) &&
                 same_result(tandem::finish(combine(left, combine(middle, right))), wanted);
    }
  }
  CHECK(is_right);
  CHECK(is_small);
}

template <class T>
std::vector<T> narrow(const std::vector<float>& values) {
  std::vector<T> result;
  for (const float x : values) result.push_back(T(x));
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("partial_reduce: sums at any cut are the sum of the whole", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const int n : {2048 * 7 + 5, 2048 * 8, 1, 2047})
    check_cuts(space, random_values<float>(static_cast<std::size_t>(n), 1), tandem::sum<float>{});
  check_cuts(space, random_values<double>(1024 * 9 + 31, 2), tandem::sum<double>{});
  check_cuts(space, narrow<tandem::half>(random_values<float>(2048 * 5 + 1, 3)),
             tandem::sum<tandem::half>{});
  check_cuts(space, random_values<float>(1024 * 5 + 1, 4), tandem::sum<double>{});
  check_cuts(space, random_values<int>(1024 * 5 + 1, 5), tandem::sum{});
}

TEST_CASE_TEMPLATE("partial_reduce: extremes, their places and several at once", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto values = random_values<float>(2048 * 5 + 77, 6);
  for (std::size_t i = 3; i < values.size(); i += 1000) values[i] = -1e9f;
  check_cuts(space, values, tandem::minimum<float>{});
  check_cuts(space, values, tandem::maximum<float>{}, 2);
  check_cuts(space, values, tandem::minmax<float>{}, 2);
  check_cuts(space, values, tandem::minloc<float>{});
  values[5000] = values[9000] = std::numeric_limits<float>::quiet_NaN();
  check_cuts(space, values, tandem::maxloc<float>{}, 2);

  // A sum keeps its bits when combined with a position.
  const auto x = to_space(space, values);
  const auto y = to_space(tandem::serial{}, values);
  const tandem::combined_reducer both{tandem::sum<float>{}, tandem::minloc<float>{}};
  const auto wanted = tandem::parallel_reduce(tandem::serial{}, y, both);
  const auto cut = [&](tandem::index_t first, tandem::index_t last) {
    return tandem::partial_reduce(space, tandem::subview(x.view(), tandem::slice{first, last}),
                                  first, both);
  };
  const auto got = tandem::finish(tandem::combine(cut(0, 4096), cut(4096, x.size())));
  CHECK(same_result(tandem::get<0>(got), tandem::get<0>(wanted)));
  CHECK(same_result(tandem::get<1>(got), tandem::get<1>(wanted)));
}

TEST_CASE_TEMPLATE("partial_reduce: operations that do not commute keep their order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<affine> maps;
  for (std::uint64_t i = 0; i < 16 * 11 + 3; ++i)
    maps.push_back({1 + random_value<float>(8, i) * 0.001f, random_value<float>(9, i)});
  check_cuts(space, maps, tandem::reduction{compose{}, affine{1, -0.0f}});
}

TEST_CASE_TEMPLATE("partial_reduce: cuts between tiles, gaps and holes are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto x = to_space(space, random_values<float>(5000, 1));
  const auto part = [&](tandem::index_t first, tandem::index_t last) {
    return tandem::partial_reduce(space, tandem::subview(x.view(), tandem::slice{first, last}),
                                  first, tandem::sum<float>{});
  };
  CHECK_THROWS_WITH_AS(part(100, 5000),
                       "partial_reduce: offset (100) is not a multiple of the tile (2048)",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::combine(part(0, 2048), part(4096, 5000)),
      "combine: the second part begins at 4096, not where the first one ends (2048)",
      tandem::argument_error);
  CHECK_THROWS_AS(tandem::combine(part(0, 2000), part(2048, 5000)), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::finish(part(2048, 5000)),
                       "finish: the part begins at 2048, not at 0", tandem::argument_error);
  CHECK(tandem::finish(part(0, 0)) == 0);
  CHECK(tandem::finish(tandem::combine(part(0, 0), part(0, 5000))) ==
        tandem::parallel_reduce(space, x, tandem::sum<float>{}));
}

TEST_CASE_TEMPLATE("partial_reduce: terms of a function of the index", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto f = TANDEM_LAMBDA(int i) { return 1.0f / static_cast<float>(i + 1); };
  const auto wanted = tandem::parallel_reduce(space, 10000, f);
  const auto p = tandem::partial_reduce(space, tandem::range(0, 6144), f, tandem::sum{});
  const auto q = tandem::partial_reduce(space, tandem::range(6144, 10000), f, tandem::sum{});
  CHECK(same_bits(tandem::finish(tandem::combine(p, q)), wanted));
}
