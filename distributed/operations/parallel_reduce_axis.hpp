// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/column_reduction.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Reduces the rows of x to a sharded line of results.
template <class Space, class X, class R, class Line>
void reduce_columns(const group<Space>& members, const X& x, const R& reducer,
                    column_reduction<Space, typename X::value_type, R>& reduction, Line& results) {
  if (x.extent(0) > 0) {
    reduction.run([&](int p) { return reduced_rows(x, p); },
                  [&](int p) { return x.part(p).data_handle(); },
                  [&](int p) { return results.part(p).data_handle(); });
    return;
  }
  for_each_member(members, [&](int p) {
    const auto out = results.part(p);
    if (!out.empty()) {
      const view<const typename X::value_type, 2, layout_right, typename Space::memory_type> none(
          nullptr, extents<2>(0, out.extent(0)));
      parallel_reduce_into(members.member(p), none, axis{0}, reducer, out);
    }
  });
}

/// Copies a sharded line to an operand of as many elements, in row-major order.
template <class Space, class Line, class Out>
void copy_line(const group<Space>& members, const Line& from, Out& out) {
  if constexpr (sharded_operand<Out>) {
    transfers<Space> copies("parallel_reduce_into", members);
    for (int q = 0; q < out.members(); ++q) {
      const range rows = own_rows(out, q);
      copies.add_rows(from, {rows.begin * out.row_size(), rows.end * out.row_size()}, q,
                      out.whole(q));
    }
    copies.run();
  } else if constexpr (std::is_same_v<typename Out::layout_type, layout_right>) {
    copy(members, from, flattened(out));
  } else {
    auto packed = make_vector<typename Line::value_type>("parallel_reduce_into", from.size());
    copy(members, from, packed);
    members.fence();
    const view<const typename Line::value_type, Out::rank(), layout_right, host_memory> shaped(
        packed.data(), out.extents());
    copy_by_first(members, shaped, out);
  }
}

/// Reduces x along a dimension into a sharded or replicated array, or a view of the host.
template <class Space, class X, class R, class Out>
void reduce_along(const group<Space>& members, const X& x, int along, const R& reducer, Out& out) {
  using result = typename R::result;
  const auto reduce = [&](auto& into) {
    for_each_member(members, [&](int p) {
      parallel_reduce_into(members.member(p), x.part(p), axis{along}, reducer, into.part(p));
    });
  };
  if constexpr (sharded_operand<Out>) {
    const bool is_local =
        members.size() == 1 ||
        (x.is_replicated() ? out.is_replicated()
                           : along > 0 && !out.is_replicated() && out.rows() == x.rows());
    if (is_local) return reduce(out);
  }
  if (along == 0) {
    column_reduction<Space, typename X::value_type, R> columns(members, x.extent(0), x.row_size(),
                                                               reducer);
    array<result, 1, group<Space>, layout_right> line(extents<1>(x.row_size()), members,
                                                      columns.slices());
    fence_on_error(members, [&] {
      reduce_columns(members, x, reducer, columns, line);
      copy_line(members, line, out);
    });
    return;
  }
  using rows_type = array<result, X::rank() - 1, group<Space>, layout_right>;
  rows_type rows = x.is_replicated() ? rows_type(out.extents(), members, replicated)
                                     : rows_type(out.extents(), members, x.rows());
  fence_on_error(members, [&] {
    reduce(rows);
    copy(members, rows, out);
  });
}

}  // namespace detail

/// Reduces a sharded array of rank 2 or 3 along one of its dimensions, as parallel_reduce_into() on
/// one space and with its bits: over its rows with axis{0}, within them with other axes.
///
/// @param x        sharded or replicated array
/// @param along    the dimension to reduce; negative ones count from the end
/// @param reducer  as on one space; one with positions reports the index along the axis
/// @param results  array of the remaining extents, sharded by any cut or replicated, or an operand
///                 of the host with any layout; overwritten
/// Errors          argument_error for arrays of other members; those of one space. Memory that runs
///                 out leaves the results unchanged, unless each member writes its own
/// Complexity      axes other than 0: each member reduces its rows. Axis 0: each member reduces its
///                 whole tiles, 512 to 2048 rows each (numerics.md), to at most 2 log2(m) rows of
///                 accumulators for m tiles; they, and the rows of tiles that a cut splits, move to
///                 the members that combine a slice of the columns each. Scratch: what moves,
///                 twice; a whole x that has less than a tile of rows, or whose parts have. One
///                 member reduces a replicated x into results that are not replicated
/// Asynchronous on the members: members.fence() before the host reads results. Waits for them if
/// they are a strided operand of the host of two dimensions.
template <class Space, detail::sharded_operand X, reducer_or_deduced Reducer, class Out>
  requires(detail::sharded_operand<Out> || viewable<Out>)
void parallel_reduce_into(const group<Space>& members, const X& x, axis along,
                          const Reducer& reducer, Out&& results) {
  constexpr const char* name = "parallel_reduce_into";
  constexpr int rank = X::rank();
  static_assert(rank == 2 || rank == 3,
                "tandem: parallel_reduce_into: along an axis, x has 2 or 3 dimensions");
  const auto chosen = detail::checked_reducer_for<typename X::value_type>(reducer);
  using R = std::remove_const_t<decltype(chosen)>;
  using View = detail::result_view<Out>;
  if constexpr (detail::check_result<Space, rank - 1, View, R>()) {
    const int dimension = detail::checked_axis(along, rank);
    detail::require_members(name, members, x);
    if constexpr (detail::sharded_operand<Out>) {
      detail::require_members(name, members, results);
      detail::require_remaining_extents(x.extents(), dimension, results);
      if (results.size() > 0) detail::reduce_along(members, x, dimension, chosen, results);
    } else {
      const auto out = as_view(std::forward<Out>(results));
      detail::require_remaining_extents(x.extents(), dimension, out);
      detail::require_data(name, "out", out);
      detail::require_distinct_elements(name, "out", out);
      if (!out.empty()) detail::reduce_along(members, x, dimension, chosen, out);
    }
  }
}

}  // namespace tandem
