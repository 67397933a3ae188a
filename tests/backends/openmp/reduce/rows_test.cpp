// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that take terms as they are computed: several results and positions, over lines and over
// grids with rows of any length, against the serial backend.

#include "support/data.hpp"

#include <tandem/tandem.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tandem::test;
using tandem::index_t;

namespace {

template <class T>
bool same(T a, T b) {
  return same_bits(a, b);
}
template <class T>
bool same(const tandem::value_index<T>& a, const tandem::value_index<T>& b) {
  return same_bits(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same(const tandem::min_max_values<T>& a, const tandem::min_max_values<T>& b) {
  return same_bits(a.minimum, b.minimum) && same_bits(a.maximum, b.maximum);
}
template <class... T>
bool same(const tandem::tuple<T...>& a, const tandem::tuple<T...>& b) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (same(tandem::get<I>(a), tandem::get<I>(b)) && ...);
  }(std::index_sequence_for<T...>{});
}

/// Compares the results over a line, a range, a grid and a view with gaps, of about n terms.
template <class T, class R>
void check_shapes(const std::vector<T>& x, const R& reducer) {
  const tandem::openmp space(3);
  const tandem::serial reference;
  const auto n = static_cast<int>(x.size());
  const T* const data = x.data();
  const auto on_both = [&](const auto& indices, const auto& term) {
    CHECK(same(tandem::parallel_reduce(space, indices, term, reducer),
               tandem::parallel_reduce(reference, indices, term, reducer)));
  };
  CAPTURE(n);
  on_both(tandem::range{0, n}, [=](int i) { return data[i]; });
  on_both(tandem::range{1, n}, [=](int i) { return data[i]; });
  for (const int width : {1, 2, 31, 64, 100, 127, 129, 300, 1000, 4097}) {
    CAPTURE(width);
    if (width > n) continue;
    on_both(tandem::grid{n / width, width}, [=](int j, int i) { return data[j * width + i]; });
    const auto rows =
        tandem::as_view<tandem::host_memory>(data, index_t{n / width}, index_t{width});
    const auto part = tandem::subview(rows, tandem::all, tandem::slice{0, (width + 1) / 2});
    CHECK(same(tandem::parallel_reduce(space, part, reducer),
               tandem::parallel_reduce(reference, part, reducer)));
  }
}

constexpr std::size_t lengths[] = {1, 65, 511, 2049, 9001, 70001};

template <class T>
void check_floats(const std::vector<T>& x) {
  check_shapes(x, tandem::minloc<T>{});
  check_shapes(x, tandem::maximum<T>{});
  check_shapes(x, tandem::sum<T>{});
  check_shapes(
      x, tandem::combined_reducer{tandem::sum<T>{}, tandem::minloc<T>{}, tandem::maxloc<T>{}});
  check_shapes(
      x, tandem::combined_reducer{tandem::minmax<T>{}, tandem::product<T>{}, tandem::minimum<T>{}});
}

}  // namespace

TEST_CASE("openmp reductions by rows: floats, with NaN, equal terms and both zeros") {
  for (const std::size_t n : lengths) {
    check_floats(random_values<float>(n, n));
    check_floats(random_values<double>(n, n));
  }
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    CAPTURE(kind);
    check_floats(hostile_values<float>(9001, kind));
    check_floats(hostile_values<double>(9001, kind));
  }
}

TEST_CASE("openmp reductions by rows: integers") {
  for (const std::size_t n : lengths) {
    const auto x = random_below<int>(n, 500, n);
    check_shapes(x, tandem::sum{});
    check_shapes(x, tandem::maxloc{});
    check_shapes(
        x, tandem::combined_reducer{tandem::sum{}, tandem::minmax<int>{}, tandem::maxloc<int>{}});
    const auto small = random_below<std::int8_t>(n, 100, n);
    check_shapes(small, tandem::combined_reducer{tandem::minloc{}, tandem::sum{}});
    check_shapes(small, tandem::combined_reducer{tandem::sum<std::int8_t>{}, tandem::sum{},
                                                 tandem::minimum{}, tandem::maximum<int>{}});
  }
}

TEST_CASE("openmp reductions by rows: more positions than the L1 has room for terms") {
  const auto x = random_values<double>(9001, 3);
  check_shapes(x, tandem::combined_reducer{tandem::minloc{}, tandem::maxloc{}, tandem::sum{},
                                           tandem::minloc{}, tandem::maxloc{}});
}
