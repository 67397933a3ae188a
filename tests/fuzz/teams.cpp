// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_teams with scratch and values per lane, and atomics.

#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

template <class Memory>
using words = view<std::uint32_t, 1, layout_right, Memory>;

/// Reverses the team's items through its scratch, and stores in `totals` each lane's sum over every
/// lanes-th item.
template <class Memory>
struct reverse_items {
  words<Memory> x;
  words<Memory> totals;
  int items;

  TANDEM_FUNCTION void operator()(team& t) const {
    std::uint32_t* const shared = t.scratch<std::uint32_t>(items);
    std::uint32_t* const sums = t.scratch<std::uint32_t>(t.lanes());
    const index_t begin = t.index() * items;
    const auto in = x;
    const auto out = totals;
    const int count = items;
    const int lanes = t.lanes();
    per_lane<std::uint32_t> mine(t, 1);
    t.for_each(count, [=](int i) { shared[i] = in(begin + i); });
    t.for_each_lane([&mine, shared, count, lanes](int lane) {
      for (int i = lane; i < count; i += lanes) mine[lane] += shared[i] * 3;
    });
    t.for_each(count, [=](int i) { in(begin + i) = shared[count - 1 - i]; });
    t.for_each_lane([&mine, sums](int lane) { sums[lane] = mine[lane]; });
    t.for_each_lane([=, &t](int lane) { out(t.index() * lanes + lane) = sums[lanes - 1 - lane]; });
  }
};

struct teams {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto lanes =
        static_cast<int>(d.number("lanes", 1, d.one_in("many_lanes", 4) ? 1024 : 40));
    const auto items = static_cast<int>(d.size("items", 4000));
    const index_t count = d.size("teams", d.one_in("many_teams", 20) ? 5000 : 100);
    const auto flat = [](index_t n) {
      return placement<1>{extents<1>(n), extents<1>(1), guard, n + 2 * guard};
    };
    placed<std::uint32_t, 1, Space> x(space, flat(count * items), draw_values(d, "values"));
    placed<std::uint32_t, 1, Space> totals(space, flat(count * lanes), {1, 5});
    for (index_t t = 0; t < count; ++t) {
      for (int i = 0; i < items; ++i) x.expected(t * items + i) = x(t * items + items - 1 - i);
      for (int lane = 0; lane < lanes; ++lane) {
        std::uint32_t sum = 1;
        for (int i = lane; i < items; i += lanes) sum += x(t * items + i) * 3;
        totals.expected(t * lanes + lanes - 1 - lane) = sum;
      }
    }
    const auto prepare = [&] {
      x.upload(space);
      totals.upload(space);
    };
    const auto bytes = 4 * static_cast<std::size_t>(items + lanes);
    run(space, draw_way(d), prepare, [&](const Space& s) {
      parallel_teams(s, {.teams = count, .lanes = lanes, .scratch_bytes = bytes},
                     reverse_items<memory>{x.packed(), totals.packed(), items});
    });
    x.check(space, "x");
    totals.check(space, "totals");
    return true;
  }
};

/// Updates cell i % cells.size() with x(i), in one of several ways.
template <class T, class Memory>
struct update_cells {
  view<const T, 1, layout_right, Memory> x;
  view<T, 1, layout_right, Memory> cells;
  int how;

  TANDEM_FUNCTION void operator()(index_t i) const {
    T& cell = cells(i % cells.size());
    const T v = x(i);
    if (how == 0) atomic_min(cell, v);
    if (how == 1) atomic_max(cell, v);
    if constexpr (std::is_integral_v<T>) {
      if (how == 2) atomic_add(cell, v);
      if (how == 3) atomic_and(cell, v);
      if (how == 4) atomic_or(cell, v);
      if (how == 5) atomic_xor(cell, v);
      if (how == 6) {
        T seen = atomic_or(cell, T{0});
        for (;;) {
          const T old = atomic_compare_exchange(cell, seen, static_cast<T>(seen ^ v));
          if (old == seen) break;
          seen = old;
        }
      }
    }
  }
};

template <class T>
T updated(T cell, T v, int how) {
  if (how == 0) return v != v || cell != cell ? T(cell + v) : std::min(cell, v);
  if (how == 1) return v != v || cell != cell ? T(cell + v) : std::max(cell, v);
  if constexpr (std::is_integral_v<T>) {
    if (how == 2)
      return static_cast<T>(static_cast<std::uint64_t>(cell) + static_cast<std::uint64_t>(v));
    if (how == 3) return cell & v;
    if (how == 4) return cell | v;
    return cell ^ v;
  }
  return cell;
}

/// Equal, both NaN, or zeros of any sign: the page does not say which of two equal values a cell
/// keeps.
template <class T>
bool agrees(T a, T b) {
  return a == b || (a != a && b != b);
}

template <class T>
struct atomics {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", 20000, sizeof(T));
    const index_t cells = d.number("cells", 1, 20);
    const int how = std::is_integral_v<T>
                        ? d.pick("update", {"min", "max", "add", "and", "or", "xor", "exchange"})
                        : d.pick("update", {"min", "max"});
    const auto flat = [](index_t count) {
      return placement<1>{extents<1>(count), extents<1>(1), guard, count + 2 * guard};
    };
    placed<T, 1, Space> x(space, flat(n), draw_values(d, "values"));
    placed<T, 1, Space> y(space, flat(cells), {1, 5});
    for (index_t i = 0; i < n; ++i) {
      T& cell = y.expected(i % cells);
      cell = updated(cell, x(i), how);
    }
    x.upload(space);
    run(
        space, draw_way(d), [&] { y.upload(space); },
        [&](const Space& s) {
          parallel_for(s, n,
                       update_cells<T, typename Space::memory_type>{x.packed(), y.packed(), how});
        });
    const std::vector<T> result = y.download(space);
    for (index_t i = 0; i < cells; ++i) {
      const T found = result[static_cast<std::size_t>(y.place(i))];
      if (!agrees(found, y.expected(i))) require_same(found, y.expected(i), "cell");
      y.expected(i) = found;
    }
    y.check(space, "cells");
    return true;
  }
};

const registered all[] = {
    {"teams", on_a_space<teams>},
    {"atomic-int32", on_a_space<atomics<std::int32_t>>},
    {"atomic-uint64", on_a_space<atomics<std::uint64_t>>},
    {"atomic-float", on_a_space<atomics<float>>},
    {"atomic-double", on_a_space<atomics<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
