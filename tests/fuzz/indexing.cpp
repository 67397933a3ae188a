// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather, scatter, reverse, iota and adjacent_difference: rank-1 views of any stride.

#include <limits>

#include "fuzz/oracles.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;

/// Draws a number of elements whose indices all fit this type.
template <class Index>
index_t draw_cells(draw& d, const std::string& name, std::size_t bytes) {
  const index_t last = std::min<std::uint64_t>(std::numeric_limits<Index>::max(), most - 1);
  return 1 + d.size(name, last, bytes);
}

template <class T, class Index>
struct gathers {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t cells = draw_cells<Index>(d, "cells", sizeof(T));
    const index_t n = d.size("n", most, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(cells), false),
                          draw_values(d, "values"));
    const auto picks = draw_values(d, "indices");
    placed<Index, 1, Space> at(space, draw_placement(d, "at", extents<1>(n), false), picks);
    placed<T, 1, Space> out(space, draw_placement(d, "out", extents<1>(n), true), {1, 5});
    for (index_t i = 0; i < n; ++i) {
      const std::uint64_t random = test::mix(picks.seed ^ static_cast<std::uint64_t>(i) << 8);
      at.initial(i) = static_cast<Index>(random % static_cast<std::uint64_t>(cells));
    }
    at.expect_unchanged();
    for (index_t i = 0; i < n; ++i) out.expected(i) = x(static_cast<index_t>(at(i)));
    x.upload(space);
    at.upload(space);
    run(
        space, draw_way(d), [&] { out.upload(space); },
        [&](const Space& s) { gather(s, x.strided(), at.strided(), out.strided()); });
    out.check(space, "out");
    x.check(space, "x");
    return true;
  }
};

template <class T, class Index>
struct scatters_apart {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t cells = draw_cells<Index>(d, "cells", sizeof(T));
    const index_t n = std::min(cells, d.size("n", most, sizeof(T)));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    placed<Index, 1, Space> at(space, draw_placement(d, "at", extents<1>(n), true), {1, 3});
    placed<T, 1, Space> out(space, draw_placement(d, "out", extents<1>(cells), true), {1, 5});
    const std::vector<index_t> order = permuted(cells, d.number("indices.seed", 0, 1 << 20));
    for (index_t i = 0; i < n; ++i) {
      const index_t to = order[static_cast<std::size_t>(i)];
      at.initial(i) = static_cast<Index>(to);
      out.expected(to) = x(i);
    }
    at.expect_unchanged();
    x.upload(space);
    at.upload(space);
    run(
        space, draw_way(d), [&] { out.upload(space); },
        [&](const Space& s) { scatter(s, x.strided(), at.strided(), out.strided()); });
    out.check(space, "out");
    return true;
  }

 private:
  /// Returns 0, 1, .. in an order that the seed decides; in ascending order for seed 0.
  static std::vector<index_t> permuted(index_t count, index_t seed) {
    std::vector<index_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), index_t{0});
    for (std::size_t i = order.size(); seed != 0 && i > 1; --i)
      std::swap(order[i - 1], order[test::mix(static_cast<std::uint64_t>(seed) << 20 ^ i) % i]);
    return order;
  }
};

template <class T>
struct reversals {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    const bool in_place = d.one_in("in_place", 2);
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), in_place),
                          draw_values(d, "values"));
    placed<T, 1, Space> other(space, draw_placement(d, "out", extents<1>(n), true), {1, 5});
    placed<T, 1, Space>& y = in_place ? x : other;
    for (index_t i = 0; i < n; ++i) y.expected(i) = x(n - 1 - i);
    const auto prepare = [&] {
      x.upload(space);
      other.upload(space);
    };
    run(space, draw_way(d), prepare, [&](const Space& s) {
      if (in_place) {
        with_view(x, [&](const auto& v) { reverse(s, v); });
      } else {
        reverse(s, x.strided(), other.strided());
      }
    });
    x.check(space, "x");
    other.check(space, "out");
    return true;
  }
};

/// Whether all n values of an iota are in the range of their type.
template <class T>
bool fits(T first, T step, index_t n) {
  if constexpr (!std::is_integral_v<T>) return true;
  if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    const __int128 last = __int128{first} + __int128{n - 1} * __int128{step};
    return n == 0 || (last >= __int128{limits::min()} && last <= __int128{limits::max()});
  }
}

/// first + i * step: integers, which do not wrap; otherwise in double, rounded to T, through float
/// if T is narrower.
template <class T>
T counted(T first, T step, index_t i) {
  if constexpr (std::is_integral_v<T>) {
    return oracle::plus(first, oracle::times(static_cast<T>(i), step));
  } else {
    const volatile double product = static_cast<double>(i) * static_cast<double>(step);
    const volatile double sum = static_cast<double>(first) + product;
    if constexpr (std::is_same_v<T, double>) return sum;
    if constexpr (!std::is_same_v<T, double>) return static_cast<T>(static_cast<float>(sum));
  }
}

template <class T>
struct counts {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), true), {1, 5});
    const T first = draw_values(d, "first").template at<T>(7);
    T step = draw_values(d, "step").template at<T>(11);
    if constexpr (std::is_integral_v<T>) {
      if (d.pick("steps", {"any", "small"}) == 1) step = static_cast<T>(step % 3);
    }
    if (!fits(first, step, n)) {
      x.upload(space);
      runs_unless<argument_error>(true, "the integers leave their type", [&] {
        with_view(x, [&](const auto& v) { iota(space, v, first, step); });
      });
      return true;
    }
    for (index_t i = 0; i < n; ++i) x.expected(i) = counted(first, step, i);
    run(
        space, draw_way(d), [&] { x.upload(space); },
        [&](const Space& s) { with_view(x, [&](const auto& v) { iota(s, v, first, step); }); });
    x.check(space, "x");
    return true;
  }
};

/// An operation that does not commute and differs from adjacent_difference's default.
template <class T>
struct twice_later_plus_earlier {
  TANDEM_FUNCTION T operator()(T later, T earlier) const {
    return static_cast<T>(static_cast<T>(later + later) + earlier);
  }
};

template <class T, class Y>
struct differences {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    placed<Y, 1, Space> y(space, draw_placement(d, "y", extents<1>(n), true), {1, 5});
    const bool own = std::is_floating_point_v<T> && d.one_in("operation", 2);
    for (index_t i = 0; i < n; ++i) y.expected(i) = expected(x, i, own);
    x.upload(space);
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) {
          if constexpr (std::is_floating_point_v<T>) {
            if (own) {
              adjacent_difference(s, x.strided(), y.strided(), twice_later_plus_earlier<T>{});
              return;
            }
          }
          adjacent_difference(s, x.strided(), y.strided());
        });
    y.check(space, "y");
    return true;
  }

 private:
  template <class X>
  static Y expected(const X& x, index_t i, bool own) {
    if (i == 0) return static_cast<Y>(x(0));
    if constexpr (std::is_floating_point_v<T>) {
      if (own) return static_cast<Y>(twice_later_plus_earlier<T>{}(x(i), x(i - 1)));
    }
    if constexpr (std::is_integral_v<Y>) {
      return static_cast<Y>(static_cast<std::uint64_t>(x(i)) -
                            static_cast<std::uint64_t>(x(i - 1)));
    } else if constexpr (is_16bit_float<Y>) {
      return static_cast<Y>(static_cast<float>(x(i)) - static_cast<float>(x(i - 1)));
    } else {
      return static_cast<Y>(x(i)) - static_cast<Y>(x(i - 1));
    }
  }
};

const registered all[] = {
    {"gather-float", on_a_space<gathers<float, std::int32_t>>},
    {"gather-bytes", on_a_space<gathers<std::uint8_t, index_t>>},
    {"gather-double", on_a_space<gathers<double, std::uint8_t>>},
    {"scatter-float", on_a_space<scatters_apart<float, std::int32_t>>},
    {"scatter-bytes", on_a_space<scatters_apart<std::uint8_t, index_t>>},
    {"scatter-double", on_a_space<scatters_apart<double, std::int16_t>>},
    {"reverse-float", on_a_space<reversals<float>>},
    {"reverse-bytes", on_a_space<reversals<std::int8_t>>},
    {"iota-int32", on_a_space<counts<std::int32_t>>},
    {"iota-int8", on_a_space<counts<std::int8_t>>},
    {"iota-uint64", on_a_space<counts<std::uint64_t>>},
    {"iota-float", on_a_space<counts<float>>},
    {"iota-double", on_a_space<counts<double>>},
    {"iota-half", on_a_space<counts<half>>},
    {"adjacent_difference-float", on_a_space<differences<float, float>>},
    {"adjacent_difference-double", on_a_space<differences<double, double>>},
    {"adjacent_difference-int32", on_a_space<differences<std::int32_t, std::int32_t>>},
    {"adjacent_difference-wider", on_a_space<differences<std::int8_t, std::int64_t>>},
    {"adjacent_difference-bf16", on_a_space<differences<bf16, bf16>>},
};

}  // namespace
}  // namespace tandem::fuzz
