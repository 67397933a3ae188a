// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// histogram: counts and weighted sums, in equal bins, bins of integers and between explicit edges.

#include "fuzz/oracles_histogram.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;
constexpr index_t most_bins = 70000;

/// Draws equal bins: around the values, in a corner of their range, around zero, or so narrow that
/// edges coincide; with ends of few or many binary digits.
template <class T>
uniform_bins<T> draw_interval(draw& d) {
  const T lows[] = {T(0), T(-1), T(-64), T(1), T(0.1), T(-3e30), T(1e-40), T(16777216)};
  const T widths[] = {T(1), T(8), T(100), T(0.3), T(1e-3), T(5e30), T(1e-41), T(3)};
  const auto digits = [&d](const char* name) {
    return T(1) + static_cast<T>(
                      d.number(name, 0, d.one_in(std::string(name) + ".round", 2) ? 0 : 1 << 23)) *
                      T(0x1p-23);
  };
  const T width = widths[d.number("width", 0, 7)] * digits("width.digits");
  const T lo =
      d.one_in("around_zero", 3) ? -width : lows[d.number("lo", 0, 7)] * digits("lo.digits");
  T hi = lo < 0 && lo == -width ? width : lo + width;
  if (!(hi > lo)) hi = std::nextafter(lo, std::numeric_limits<T>::infinity());
  return {lo, hi};
}

/// Values at and next to the edges, where a wrong rule shows.
template <class T, class Line>
void put_on_edges(draw& d, const std::vector<T>& edges, Line& x) {
  const index_t every = d.number("edge_every", 0, 3);
  if (every == 0) return;
  for (index_t i = 0; i < x.size(); i += every) {
    const std::uint64_t random = test::mix(static_cast<std::uint64_t>(i));
    const T e = edges[(random >> 8) % edges.size()];
    T value = e;
    if constexpr (std::is_floating_point_v<T>) {
      if (random % 4 == 1) value = std::nextafter(e, std::numeric_limits<T>::infinity());
      if (random % 4 == 2) value = std::nextafter(e, -std::numeric_limits<T>::infinity());
    }
    x.initial(i) = value;
  }
  x.expect_unchanged();
}

/// Edges in ascending order, some of them equal.
template <class T>
std::vector<T> draw_edges(draw& d, index_t bins) {
  std::vector<T> edges = draw_values(d, "edges", true).template make<T>(bins + 1);
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// The bins of a case: tandem's argument, and the oracle's bin of a value.
enum class rule { uniform, integer, edges };

/// The content of a histogram's output: counts, or sums of weights.
template <class T, class Out, rule Rule>
struct histograms {
  static constexpr bool weighted = std::is_floating_point_v<Out>;

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? 16 * most : most, sizeof(T));
    const index_t bins = 1 + d.size("bins", d.one_in("many", 4) ? most_bins : 600);
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    placed<Out, 1, Space> out(space, {extents<1>(bins), extents<1>(1), guard, bins + 2 * guard},
                              {1, 5});
    if constexpr (Rule == rule::integer) {
      const index_t first =
          std::is_signed_v<T> ? d.number("first", 0, 300) - 200 : d.number("first", 0, 100);
      return count(d, space, x, out, integer_bins{first},
                   [&](T v) { return oracle::bin_of_integer(first, bins, v); });
    } else if constexpr (Rule == rule::uniform) {
      const uniform_bins<T> interval = draw_interval<T>(d);
      const auto edges = oracle::uniform_edges(interval.lo, interval.hi, bins);
      put_on_edges(d, edges, x);
      return count(d, space, x, out, interval, [&](T v) { return oracle::bin_between(edges, v); });
    } else {
      const auto edges = draw_edges<T>(d, bins);
      put_on_edges(d, edges, x);
      array<T, 1, Space> memory(extents<1>(bins + 1), space);
      copy(space, edges, memory);
      space.fence();
      return count(d, space, x, out, memory.view(),
                   [&](T v) { return oracle::bin_between(edges, v); });
    }
  }

 private:
  template <class Space, class X, class Output, class Bins, class Bin>
  static bool count(draw& d, const Space& space, X& x, Output& out, const Bins& bins,
                    const Bin& bin_of) {
    using weight = std::conditional_t<weighted, Out, float>;
    const index_t n = x.size();
    placed<weight, 1, Space> w(space,
                               draw_placement(d, "weights", extents<1>(weighted ? n : 0), false),
                               draw_values(d, "weight"));
    if constexpr (weighted) spread_magnitudes(d, w);
    oracle::weighted_sums<weight> sums(static_cast<std::uint64_t>(n), weighted ? out.size() : 0);
    for (index_t b = 0; b < out.size(); ++b) out.expected(b) = Out{};
    for (index_t i = 0; i < n; ++i) {
      const index_t b = bin_of(x(i));
      if (b < 0) continue;
      if constexpr (weighted) sums.add(b, w(i));
      if constexpr (!weighted) ++out.expected(b);
    }
    if constexpr (weighted) {
      for (index_t b = 0; b < out.size(); ++b) out.expected(b) = sums.result(b);
    }
    x.upload(space);
    w.upload(space);
    run(
        space, draw_way(d), [&] { out.upload(space); },
        [&](const Space& s) {
          if constexpr (weighted) histogram(s, x.strided(), bins, w.strided(), out.packed());
          if constexpr (!weighted) histogram(s, x.strided(), bins, out.packed());
        });
    out.check(space, weighted ? "sums" : "counts");
    return true;
  }
};

template <class T, class Out, rule Rule>
constexpr auto tested = on_a_space<histograms<T, Out, Rule>>;

const registered all[] = {
    {"histogram-float", tested<float, std::uint32_t, rule::uniform>},
    {"histogram-double", tested<double, std::int64_t, rule::uniform>},
    {"histogram-edges-float", tested<float, std::int32_t, rule::edges>},
    {"histogram-edges-double", tested<double, std::uint64_t, rule::edges>},
    {"histogram-edges-int16", tested<std::int16_t, std::uint32_t, rule::edges>},
    {"histogram-bytes", tested<std::uint8_t, std::uint32_t, rule::integer>},
    {"histogram-int16", tested<std::int16_t, std::int64_t, rule::integer>},
    {"histogram-int32", tested<std::int32_t, std::int32_t, rule::integer>},
    {"histogram-uint64", tested<std::uint64_t, std::uint32_t, rule::integer>},
    {"weighted-float", tested<float, float, rule::uniform>},
    {"weighted-double", tested<double, double, rule::uniform>},
    {"weighted-edges", tested<float, double, rule::edges>},
    {"weighted-bytes", tested<std::int8_t, float, rule::integer>},
    {"weighted-int32", tested<std::int32_t, double, rule::integer>},
};

}  // namespace
}  // namespace tandem::fuzz
