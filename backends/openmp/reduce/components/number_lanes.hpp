// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/argminmax.hpp>
#include <tandem/backends/openmp/reduce/components/fused.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>

/// Lanes of a tile that are arrays of numbers, which compilers vectorise: one for each number that
/// a reducer accumulates.
namespace tandem::openmp_impl {

/// Whether a reducer has such lanes (component_lanes): those of a number, of a number with its
/// position, or of the smallest and the largest number.
template <class R>
inline constexpr bool is_component =
    R::commutative && (std::is_arithmetic_v<typename R::accumulator> || is_argminmax<R>);
template <class T>
inline constexpr bool is_component<minmax<T>> = std::is_arithmetic_v<T>;

/// Bytes that component_lanes<R> keeps of each term of a tile.
template <class R>
inline constexpr std::size_t kept_bytes = 0;
template <class R>
  requires is_argminmax<R>
inline constexpr std::size_t kept_bytes<R> = sizeof(typename value_reducer<R>::number);

/// The lanes of a reducer whose accumulator is a number.
template <class R, int Lanes>
class component_lanes {
 public:
  using accumulator = typename R::accumulator;

  explicit component_lanes(const R& reducer) : reducer_(reducer) {}

  /// Prepares for the terms of a tile, the first of which is given.
  [[gnu::always_inline]] void begin(const accumulator&) {}
  [[gnu::always_inline]] void clear() {
    for (int l = 0; l < Lanes; ++l) lane_[l] = reducer_.identity();
  }
  /// Appends one or two terms to lane l, in their order; the first is in row `row` of the tile.
  template <class... Term>
  [[gnu::always_inline]] void append(int l, int, Term... term) {
    accumulator folded = lane_[l];
    ((folded = reducer_.combine(folded, term)), ...);
    lane_[l] = folded;
  }
  accumulator of_lane(int l) const { return lane_[l]; }
  /// Returns what the `count` terms since clear() reduce to.
  [[gnu::always_inline]] accumulator total(int) {
    combine_lanes<Lanes>(lane_, reducer_);
    return lane_[0];
  }

 private:
  R reducer_;
  alignas(64) lane_array<accumulator, Lanes> lane_;
};

/// The lanes of a minimum or maximum of floating point: the order of numbers, and flags for NaN.
template <class R, int Lanes>
  requires is_float_minmax<R>
class component_lanes<R, Lanes> {
 public:
  using accumulator = typename R::accumulator;

  explicit component_lanes(const R& reducer) : reducer_(reducer) {}

  [[gnu::always_inline]] void begin(accumulator) {}
  [[gnu::always_inline]] void clear() {
    for (int l = 0; l < Lanes; ++l) lane_[l] = reducer_.identity();
    for (int l = 0; l < Lanes; ++l) all_ordered_[l] = -1;
  }
  template <class... Term>
  [[gnu::always_inline]] void append(int l, int, accumulator first, Term... second) {
    accumulator folded = order.combine(lane_[l], first);
    ((folded = order.combine(folded, second)), ...);
    lane_[l] = folded;
    all_ordered_[l] = is_unordered(first, second...) ? 0 : all_ordered_[l];
  }
  accumulator of_lane(int l) const { return lane_[l]; }
  [[gnu::always_inline]] accumulator total(int) {
    combine_lanes<Lanes>(lane_, order);
    flag_of<accumulator> all = -1;
    for (int l = 0; l < Lanes; ++l) all &= all_ordered_[l];
    return all != 0 ? lane_[0] : std::numeric_limits<accumulator>::quiet_NaN();
  }

 private:
  /// One comparison checks two numbers for NaN.
  static bool is_unordered(accumulator a) { return __builtin_isunordered(a, a); }
  static bool is_unordered(accumulator a, accumulator b) { return __builtin_isunordered(a, b); }

  static constexpr number_order<R> order{};
  R reducer_;
  alignas(64) lane_array<accumulator, Lanes> lane_;
  alignas(64) lane_array<flag_of<accumulator>, Lanes> all_ordered_;  // all bits; none after a NaN
};

/// The lanes of the smallest and the largest number. A NaN among the terms, which the lanes of the
/// smallest number find, is both.
template <class T, int Lanes>
class component_lanes<minmax<T>, Lanes> {
 public:
  explicit component_lanes(const minmax<T>&) {}

  [[gnu::always_inline]] void begin(const min_max_values<T>&) {}
  [[gnu::always_inline]] void clear() {
    smallest_.clear();
    for (int l = 0; l < Lanes; ++l) largest_[l] = maximum<T>{}.identity();
  }
  template <class... Term>
  [[gnu::always_inline]] void append(int l, int row, const Term&... term) {
    smallest_.append(l, row, term.minimum...);
    T folded = largest_[l];
    ((folded = order.combine(folded, term.maximum)), ...);
    largest_[l] = folded;
  }
  [[gnu::always_inline]] min_max_values<T> total(int count) {
    combine_lanes<Lanes>(largest_, order);
    const T smallest = smallest_.total(count);
    return {smallest, is_nan(smallest) ? smallest : largest_[0]};
  }

 private:
  static constexpr number_order<maximum<T>> order{};
  component_lanes<minimum<T>, Lanes> smallest_{minimum<T>{}};
  alignas(64) lane_array<T, Lanes> largest_;
};

/// The lanes of a minimum or maximum whose position is wanted, and the terms, among which it is
/// looked up in the end.
template <class R, int Lanes>
  requires is_argminmax<R>
class component_lanes<R, Lanes> {
  using number = typename value_reducer<R>::number;

 public:
  using accumulator = typename R::accumulator;

  explicit component_lanes(const R&) {}

  /// Notes the index of the tile: only a term itself knows it.
  [[gnu::always_inline]] void begin(const accumulator& first) { first_ = first.index; }
  [[gnu::always_inline]] void clear() { extreme_.clear(); }
  template <class... Term>
  [[gnu::always_inline]] void append(int l, int row, const Term&... term) {
    extreme_.append(l, row, term.value...);
    number* at = value_ + row * Lanes + l;
    ((*at = term.value, at += Lanes), ...);
  }
  [[gnu::always_inline]] accumulator total(int count) {
    lane_array<number, Lanes> lanes;
    for (int l = 0; l < Lanes; ++l) lanes[l] = extreme_.of_lane(l);
    const number extreme = extreme_.total(count);
    const int at = is_nan(extreme) ? first_nan() : first_equal(lanes, extreme, count);
    return {value_[at], first_ + at};
  }

 private:
  [[gnu::always_inline]] int first_nan() const {
    int at = 0;
    while (!is_nan(value_[at])) ++at;
    return at;
  }
  /// Looks the extreme up in those lanes that it is the extreme of.
  [[gnu::always_inline]] int first_equal(const number* lanes, number extreme, int end) const {
    for (int l = 0; l < Lanes; ++l) {
      if (lanes[l] != extreme) continue;
      int at = l;
      while (at < end && value_[at] != extreme) at += Lanes;
      if (at < end) end = at;
    }
    return end;
  }

  index_t first_ = 0;
  component_lanes<typename value_reducer<R>::type, Lanes> extreme_{{}};
  alignas(64) lane_array<number, Lanes * canonical::rows> value_;
};

}  // namespace tandem::openmp_impl
