// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of a team: reduce, inclusive_scan, exclusive_scan, broadcast, any and all, with lanes
// in one dimension and in two.

#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

/// The results in a lane when the team has finished.
template <class T, class Reduced>
struct lane_results {
  Reduced reduced;
  T inclusive;
  T exclusive;
  T total;
  T total_before;
  T chosen;
  std::uint32_t any;
  std::uint32_t all;
};

template <class T, class Memory, class Operation, class Reducer>
struct use_collectives {
  using results = lane_results<T, typename Reducer::result>;
  view<const T, 1, layout_right, Memory> x;
  view<const std::uint8_t, 1, layout_right, Memory> marks;
  view<results, 1, layout_right, Memory> out;
  int chosen;
  Operation operation;
  Reducer reducer;

  TANDEM_FUNCTION void operator()(team& t) const { collect(t); }
  TANDEM_FUNCTION void operator()(team_2d& t) const { collect(t); }

 private:
  template <class Team>
  TANDEM_FUNCTION void collect(Team& t) const {
    const index_t begin = static_cast<index_t>(t.index()) * t.lanes();
    per_lane<T> mine(t);
    per_lane<T> up_to(t);
    per_lane<T> before(t);
    per_lane<bool> mark(t);
    t.for_each_lane([&](int l) {
      up_to[l] = before[l] = mine[l] = x(begin + l);
      mark[l] = marks(begin + l) != 0;
    });
    results r{};
    r.reduced = t.reduce(mine, reducer);
    r.total = t.inclusive_scan(up_to, operation);
    r.total_before = t.exclusive_scan(before, operation);
    r.chosen = t.broadcast(mine, chosen);
    r.any = t.any(mark) ? 1 : 0;
    r.all = t.all(mark) ? 1 : 0;
    t.for_each_lane([&](int l) {
      results own = r;
      own.inclusive = up_to[l];
      own.exclusive = before[l];
      out(begin + l) = own;
    });
  }
};

/// Scans by Kogge-Stone in groups of 32 lanes, each combined with the previous group's last result.
template <class T, class Combine>
std::vector<T> lane_scan(const std::vector<T>& x, const Combine& combine) {
  std::vector<T> result;
  for (std::size_t g = 0; g < x.size(); g += 32) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(g);
    const auto end = x.begin() + static_cast<std::ptrdiff_t>(std::min(g + 32, x.size()));
    const std::optional<T> before = g > 0 ? std::optional<T>(result.back()) : std::nullopt;
    for (const T& value : oracle::kogge_stone(std::vector<T>(begin, end), combine))
      result.push_back(before ? T(combine(*before, value)) : value);
  }
  return result;
}

/// `Scan` is the operation of the scans, `Pair` the oracle's for two values and for none, and
/// `Tested` a reducer with its expected result for a team's values.
template <class T, class Scan, class Pair, class Tested>
struct collectives {
  using reducer_type = decltype(Tested::make());
  using results = lane_results<T, typename reducer_type::result>;

  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto flat = [](index_t n) {
      return placement<1>{extents<1>(n), extents<1>(1), guard, n + 2 * guard};
    };
    const int rows = d.one_in("plane", 3) ? static_cast<int>(d.number("rows", 1, 16)) : 0;
    const index_t widest = d.one_in("many_lanes", 3) ? 1024 : 70;
    const index_t columns = d.number("lanes", 1, widest / std::max(rows, 1));
    const auto lanes = static_cast<int>(columns * std::max(rows, 1));
    const index_t count = d.size("teams", d.one_in("many_teams", 20) ? 65536 / lanes : 40);
    placed<T, 1, Space> x(space, flat(count * lanes), draw_values(d, "values"));
    placed<std::uint8_t, 1, Space> marks(space, flat(count * lanes), {1, 4});
    const index_t rarity = d.number("rarity", 1, 2000);
    for (index_t i = 0; i < marks.size(); ++i)
      marks.initial(i) =
          (test::mix(static_cast<std::uint64_t>(i)) >> 9) % static_cast<std::uint64_t>(rarity) != 0
              ? 1
              : 0;
    marks.expect_unchanged();
    x.upload(space);
    marks.upload(space);
    const auto chosen = static_cast<int>(d.number("broadcast", 0, lanes - 1));
    array<results, 1, Space> out(extents<1>(count * lanes), space);
    const use_collectives<T, memory, Scan, reducer_type> kernel{
        x.packed(), marks.packed(), out.view(), chosen, Scan{}, Tested::make()};
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          if (rows == 0) {
            parallel_teams(s, {.teams = count, .lanes = lanes, .scratch_bytes = 0}, kernel);
          } else {
            parallel_teams(s, team_shape_2d{{1, count}, {rows, columns}, 0}, kernel);
          }
        });
    std::vector<results> found(static_cast<std::size_t>(count * lanes));
    copy(space, out, found);
    space.fence();
    for (index_t t = 0; t < count; ++t) {
      require_team(&found[static_cast<std::size_t>(t * lanes)], part(x.elements(), t, lanes),
                   part(marks.elements(), t, lanes), chosen);
    }
    return true;
  }

 private:
  template <class U>
  static std::vector<U> part(const std::vector<U>& x, index_t t, int lanes) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(t * lanes);
    return std::vector<U>(begin, begin + lanes);
  }

  static void require_team(const results* found, const std::vector<T>& x,
                           const std::vector<std::uint8_t>& marks, int chosen) {
    const std::vector<T> scanned = lane_scan(x, Pair::combine);
    const auto reduced = Tested::of_lanes(x);
    const bool any = std::count(marks.begin(), marks.end(), 0) < std::ssize(marks);
    const bool all = std::count(marks.begin(), marks.end(), 0) == 0;
    for (std::size_t l = 0; l < x.size(); ++l) {
      const results& r = found[l];
      require_same(r.reduced, reduced, "reduce");
      require_same(r.inclusive, scanned[l], "inclusive_scan");
      require_same(r.exclusive, l == 0 ? Pair::none() : scanned[l - 1], "exclusive_scan");
      require_same(r.total, scanned.back(), "total of inclusive_scan");
      require_same(r.total_before, scanned.back(), "total of exclusive_scan");
      require_same(r.chosen, x[static_cast<std::size_t>(chosen)], "broadcast");
      require_same(r.any, any ? 1u : 0u, "any");
      require_same(r.all, all ? 1u : 0u, "all");
    }
  }
};

template <class T>
struct adding {
  static T combine(T a, T b) { return oracle::plus(a, b); }
  static T none() { return 0; }
};
template <class T>
struct multiplying {
  static T combine(T a, T b) { return oracle::times(a, b); }
  static T none() { return 1; }
};
template <class T>
struct smallest {
  static T combine(T a, T b) { return oracle::smaller(a, b); }
  static T none() { return highest<T>(); }
};

/// Reduces over lanes: the adjacent tree over the values.
template <class T, class Pair, class Reducer>
struct lane_tree {
  static Reducer make() { return {}; }
  static T of_lanes(const std::vector<T>& x) { return oracle::adjacent_tree(x, Pair::combine); }
};
struct lane_positions {
  static maxloc<float> make() { return {}; }
  static value_index<float> of_lanes(const std::vector<float>& x) {
    return positions<float, true>::expected(x);
  }
};
struct lane_decay {
  static decay_reducer make() { return {}; }
  static decayed of_lanes(const std::vector<float>& x) {
    std::vector<decayed> terms;
    for (const float value : x) terms.push_back({value, 1});
    return oracle::adjacent_tree(terms, decay{});
  }
};

using i32 = std::int32_t;

const registered all[] = {
    {"collectives-float", on_a_space<collectives<float, sum<float>, adding<float>,
                                                 lane_tree<float, adding<float>, sum<float>>>>},
    {"collectives-product",
     on_a_space<collectives<double, product<double>, multiplying<double>,
                            lane_tree<double, multiplying<double>, product<double>>>>},
    {"collectives-int32", on_a_space<collectives<i32, minimum<i32>, smallest<i32>,
                                                 lane_tree<i32, smallest<i32>, minimum<i32>>>>},
    {"collectives-position",
     on_a_space<collectives<float, sum<float>, adding<float>, lane_positions>>},
    {"collectives-ordered",
     on_a_space<collectives<float, product<float>, multiplying<float>, lane_decay>>},
};

}  // namespace
}  // namespace tandem::fuzz
