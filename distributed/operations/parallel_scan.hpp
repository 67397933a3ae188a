// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_scan.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace tandem {

namespace detail {

/// The cut nearest to another one whose parts consist of whole tiles of the scan.
inline cut whole_scan_tiles(const cut& rows) {
  constexpr index_t tile = canonical::scan_tile;
  auto sizes = list_for<index_t>("cut", rows.parts());
  index_t begin = 0;
  for (int p = 0; p < rows.parts(); ++p) {
    const index_t rounded = (rows.end(p) + tile / 2) / tile * tile;
    const index_t end = p + 1 == rows.parts() ? rows.rows() : std::min(rounded, rows.rows());
    sizes.push_back(end - begin);
    begin = end;
  }
  return cut::of(sizes);
}

/// What a member keeps during a scan: the totals of its segments, and the nodes of all tiles.
template <class Space, class T>
struct scan_member {
  range segments;
  range tiles;
  array<T, 1, Space> segment;
  array<T, 1, Space> node;

  scan_member(const Space& space, const range& elements, index_t n)
      : segments(elements.begin / canonical::segment,
                 ceil_div<index_t>(elements.end, canonical::segment)),
        tiles(elements.begin / canonical::scan_tile,
              ceil_div<index_t>(elements.end, canonical::scan_tile)),
        segment(extents<1>(elements.size() == 0 ? 0 : segments.size()), space),
        node(extents<1>(scan_node_count(ceil_div<index_t>(n, canonical::scan_tile))), space) {
    if (elements.size() == 0) segments = tiles = range();
  }

  T* segment_of_whole() { return moved_back(segment.data_handle(), segments.begin); }
};

/// The terms of a scan; the first one is combined with the initial value of an operation that has
/// one.
template <class T, class Load, class R>
auto starting_load(const Load& load, const R& reducer) {
  if constexpr (has_initial<R>) {
    return initial_load<Load, T>{load, reducer.empty()};
  } else {
    return load;
  }
}

/// The steps of generic_scan, of which each member takes those of its segments and tiles. All
/// members receive the totals of all tiles, one per 4096 elements, and combine them.
template <class Space, class X, class Y, class R>
void scan_tiles_of_members(const group<Space>& members, const X& x, Y& y, const R& reducer,
                           const typename Y::value_type* init) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  const index_t n = x.size();
  const index_t all_segments = ceil_div<index_t>(n, canonical::segment);
  const index_t all_tiles = ceil_div<index_t>(n, canonical::scan_tile);
  const auto problem_of = [&](int p) {
    const contiguous_load<typename X::value_type, R> elements{x.whole(p).data_handle(), reducer};
    const auto terms = starting_load<T>(elements, reducer);
    scan_problem<std::remove_const_t<decltype(terms)>, T, R> problem{
        n, terms, reducer, y.whole(p).data_handle(), 1, init != nullptr};
    if (init != nullptr) problem.init = *init;
    return problem;
  };
  using Problem = decltype(problem_of(0));
  using Load = decltype(Problem::load);
  auto parts = list_for<scan_member<Space, T>>(name, members.size());
  for_each_member(members,
                  [&](int p) { parts.emplace_back(members.member(p), own_rows(y, p), n); });
  for_each_member(members, [&](int p) {
    const Space& space = members.member(p);
    auto& part = parts[static_cast<std::size_t>(p)];
    if (part.tiles.size() == 0) return;
    dispatch_for(space, name, part.segments,
                 scan_segments<Load, T, R>{problem_of(p), part.segment_of_whole()});
    dispatch_for(
        space, name, part.tiles,
        scan_tiles<T, R>{reducer, all_segments, part.segment_of_whole(), part.node.data_handle()});
  });
  transfers<Space> totals(name, members);
  for (int p = 0; p < members.size(); ++p) {
    const auto from = parts[static_cast<std::size_t>(p)].tiles;
    for (int q = 0; q < members.size() && from.size() > 0; ++q) {
      if (q == p || parts[static_cast<std::size_t>(q)].tiles.size() == 0) continue;
      const auto line = [&](int of) {
        return subview(parts[static_cast<std::size_t>(of)].node.view(),
                       slice{from.begin, from.end});
      };
      totals.add(p, q, make_copy_problem(line(p), line(q)));
    }
  }
  totals.run();
  for_each_member(members, [&](int p) {
    auto& part = parts[static_cast<std::size_t>(p)];
    if (part.tiles.size() == 0) return;
    const Space& space = members.member(p);
    scan_apply<Load, T, R> apply{problem_of(p), part.segment_of_whole(), {}};
    combine_nodes(space, name, all_tiles, part.node.data_handle(), apply);
    dispatch_for(space, name, part.segments, apply);
  });
}

template <class Space, class X, class Y, class Operation>
void scan_array(const group<Space>& members, const X& x, Y& y, const Operation& operation,
                const typename Y::value_type* init) {
  constexpr const char* name = "parallel_scan";
  using T = typename Y::value_type;
  static_assert(X::rank() == 1 && Y::rank() == 1,
                "tandem: parallel_scan: x and y have one dimension");
  check_stored<typename X::value_type, T>();
  const auto reducer = as_scan_reducer<T>(operation);
  using R = std::remove_const_t<decltype(reducer)>;
  if constexpr (check_scan<Space, typename X::value_type, typename Y::view_type, R>()) {
    common_cut common(name);
    common.add(members, x);
    common.add(members, y);
    require_equal(name, "extent of x", x.extent(0), "extent of y", y.extent(0));
    require(!x.is_replicated() && !y.is_replicated(), name, "x and y are sharded, not replicated");
    if (x.size() == 0) return;
    const cut whole_tiles = whole_scan_tiles(y.rows());
    if (whole_tiles == y.rows()) {
      scan_tiles_of_members(members, x, y, reducer, init);
    } else {
      array<typename X::value_type, 1, group<Space>, layout_right> from(x.extents(), members,
                                                                        whole_tiles);
      array<T, 1, group<Space>, layout_right> to(y.extents(), members, whole_tiles);
      copy(members, x, from);
      scan_tiles_of_members(members, from, to, reducer, init);
      copy(members, to, y);
    }
  }
}

}  // namespace detail

/// Computes inclusive prefixes of a sharded array, as parallel_scan() on one space and with its
/// bits: y[i] = x[0] op .. op x[i].
///
/// @param x, y       sharded arrays of one cut and equal extent, of one dimension; y may be x
/// @param operation  as on one space; by default the sum
/// Errors            extent_error when extents or cuts differ; argument_error for arrays of other
///                   members and for replicated ones; those of parallel_scan on one space
/// Complexity        reads x once and writes y twice. Each member receives a value per 4096
///                   elements of the whole; a cut that is no multiple of 4096 elements costs a copy
///                   of x and one of y
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Y,
          class Operation = sum<>>
void parallel_scan(const group<Space>& members, const X& x, Y& y, const Operation& operation = {}) {
  detail::scan_array(members, x, y, operation, nullptr);
}

/// Computes exclusive prefixes of a sharded array: y[i] = init op x[0] op .. op x[i - 1].
///
/// @param x, y, operation  as for the inclusive scan
/// @param from             exclusive{init}
/// Errors, complexity      as for the inclusive scan
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Y, class Operation,
          class Init>
void parallel_scan(const group<Space>& members, const X& x, Y& y, const Operation& operation,
                   const exclusive<Init>& from) {
  const auto init = detail::first_of<typename Y::value_type, Operation>(from);
  detail::scan_array(members, x, y, operation, &init);
}

}  // namespace tandem
