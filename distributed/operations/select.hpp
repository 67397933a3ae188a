// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy_if.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/algorithms/unique.hpp>
#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/operations/elementwise.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// What a member selects from its part: the kept elements, their number, and the part's first and
/// last element if the selection compares neighbours.
template <class Space, class T>
struct selected_part {
  array<T, 1, Space> kept;
  mailbox<Space, index_t> count;
  mailbox<Space, T> edges;

  selected_part(const Space& space, index_t size, bool looks_back)
      : kept(extents<1>(size), space),
        count(extents<1>(1)),
        edges(extents<1>(looks_back && size > 0 ? 2 : 0)) {
    *count.data_handle() = 0;
  }

  auto count_view() {
    return view<index_t, 0, layout_right, typename mailbox<Space, index_t>::memory_type>(
        count.data_handle(), extents<0>());
  }
  template <class X>
  void store_edges(const Space& space, const X& x) {
    for (const index_t i : {index_t{0}, index_t{1}}) {
      const index_t at = i * (x.extent(0) - 1);
      dispatch_copy(space, make_copy_problem(subview(x, slice{at, at + 1}),
                                             subview(edges.view(), slice{i, i + 1})));
    }
  }
};

/// Moves what members have selected to the rows of out, in order. Returns how much that is. Waits
/// for the members.
template <class Space, class T, class Out>
index_t move_selected(const group<Space>& members, const char* name,
                      std::vector<selected_part<Space, T>>& parts, Out& out) {
  members.fence();
  transfers<Space> moves(name, members);
  index_t total = 0;
  const T* before = nullptr;  // the last element on the left
  for (int p = 0; p < members.size(); ++p) {
    auto& part = parts[static_cast<std::size_t>(p)];
    range kept(0, *part.count.data_handle());
    if constexpr (requires(T a) { a == a; }) {
      if (part.edges.size() > 0) {
        const T* const edges = part.edges.data_handle();
        if (before != nullptr && !keep_changes{}(edges[0], *before)) ++kept.begin;
        before = edges + 1;
      }
    }
    for (int q = 0; q < members.size(); ++q) {
      const index_t begin = std::max(total, out.rows().begin(q));
      const index_t end = std::min(total + kept.size(), out.rows().end(q));
      if (begin >= end) continue;
      const index_t first = kept.begin + begin - total;
      moves.add(p, q,
                make_copy_problem(subview(part.kept.view(), slice{first, first + end - begin}),
                                  subview(out.whole(q), slice{begin, end})));
    }
    total += kept.size();
  }
  moves.run();
  return total;
}

/// Throws unless every member of the group has the array that takes a count.
template <class Space, class Count>
void require_count_on_all(const char* operation, const group<Space>& members, const Count& count) {
  require_members(operation, members, count);
  require(count.is_replicated(), operation, "the count is replicated, not sharded");
}

/// Selects from what each member has: size_of(p) elements, from which select(p, part) enqueues the
/// selection.
template <class Space, class Out, class SizeOf, class Select>
index_t select_parts(const group<Space>& members, const char* name, Out& out, bool looks_back,
                     const SizeOf& size_of, const Select& select) {
  auto parts = list_for<selected_part<Space, typename Out::value_type>>(name, members.size());
  index_t total = 0;
  fence_on_error(members, [&] {
    for_each_member(members,
                    [&](int p) { parts.emplace_back(members.member(p), size_of(p), looks_back); });
    for_each_member(members, [&](int p) {
      if (size_of(p) > 0) select(p, parts[static_cast<std::size_t>(p)]);
    });
    total = move_selected(members, name, parts, out);
  });
  return total;
}

template <class Space, class X, class Out, class Keep>
index_t select_from_array(const group<Space>& members, const char* name, const X& x, Out& out,
                          const Keep& keep) {
  check_selection<Space, typename X::const_view_type, whole_view<Out>>();
  require_members(name, members, x);
  require_members(name, members, out);
  require(!x.is_replicated() && !out.is_replicated(), name,
          "x and out are sharded, not replicated");
  require_two_arrays(name, "x and out overlap", x, out);
  return select_parts(
      members, name, out, Keep::looks_back, [&](int p) { return own_rows(x, p).size(); },
      [&](int p, auto& part) {
        const auto from = x.part(p);
        select_elements(members.member(p), name, from, part.kept.view(), keep, part.count_view());
        if constexpr (Keep::looks_back) part.store_edges(members.member(p), from);
      });
}

template <class Space, class Indices, class Predicate, class Out, class... Argument>
index_t select_from_indices(const group<Space>& members, const Indices& indices,
                            const Predicate& predicate, Out& out, Argument&... arguments) {
  constexpr const char* name = "copy_if";
  const auto bound = [&]([[maybe_unused]] int p) {
    return bind_to_terms<Space, 1>(predicate, argument_of(arguments, p)...);
  };
  using Bound = decltype(bound(0));
  if constexpr (is_refused<Bound>) {
    return 0;
  } else if constexpr (check_index_selection<Space, Bound, whole_view<Out>>()) {
    require_terms<Bound>(name, indices);
    require_indices<typename Out::value_type>(name, as_indices(indices));
    const shared_rows rows(name, members, indices, arguments...);
    require_members(name, members, out);
    require(!out.is_replicated(), name, "out is sharded, not replicated");
    return select_parts(
        members, name, out, false, [&](int p) { return rows.of_member(p).size(); },
        [&](int p, auto& part) {
          select_indices(members.member(p), name, rows.of_member(p), bound(p), part.kept.view(),
                         part.count_view());
        });
  } else {
    return 0;
  }
}

}  // namespace detail

/// Copies the elements of a sharded array for which predicate(element) is true to the front of
/// `out`, in their order, and returns how many there are.
///
/// @param x          sharded array of one dimension
/// @param out        another one, of any cut, with elements of the same type; if it is shorter than
///                   the result, it holds the first of the kept elements. Those behind the last
///                   kept one are unchanged
/// @param predicate  as on one space
/// Returns           the number of kept elements, which may exceed out's extent
/// Errors            argument_error for arrays of other members, for replicated ones, and if out is
///                   x; those of copy_if on one space. out is unchanged then
/// Complexity        each member selects from its part, and what it keeps moves to the members that
///                   hold those rows of out. Scratch: as many elements as the member's part
/// Blocks until the count is available; out is written in the order of the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Out, class Predicate>
index_t copy_if(const group<Space>& members, const X& x, Out& out, const Predicate& predicate) {
  if constexpr (detail::check_kernel<Predicate, Space>())
    return detail::select_from_array(members, "copy_if", x, out, keep_where<Predicate>{predicate});
  return 0;  // of what does not compile
}

/// Writes the indices for which predicate(index, arguments...) is true to the front of `out`, in
/// ascending order, and returns how many there are.
///
/// @param indices    n or range{begin, end}; rows of the sharded arguments, as for parallel_for
/// @param predicate  as on one space; it sees the member's rows of the arguments
/// @param out        sharded array of integers that hold every index, of any cut; as above
/// @param arguments  sharded arrays of one cut and replicated arrays, as views; values by copy
/// Returns           the number of indices, which may exceed out's extent
/// Errors            those of parallel_for on a group, and of copy_if on one space; argument_error
///                   if out belongs to another group or is replicated. out is unchanged then
/// Complexity        as above
/// Blocks until the count is available; out is written in the order of the members.
template <class Space, detail::line_space Indices, class Predicate, detail::sharded_operand Out,
          class... Argument>
index_t copy_if(const group<Space>& members, const Indices& indices, const Predicate& predicate,
                Out& out, Argument&&... arguments) {
  if constexpr (detail::check_kernel<Predicate, Space>())
    return detail::select_from_indices(members, indices, predicate, out, arguments...);
  return 0;  // of what does not compile
}

/// Keeps elements as copy_if does, and gives their count to every member.
///
/// @param x, out, predicate  as for copy_if
/// @param count              replicated array of index_t; all its elements are overwritten
/// Errors, complexity        as for copy_if
/// Blocks as copy_if does: members cannot know where their elements go before all have counted.
template <class Space, detail::sharded_operand X, detail::sharded_operand Out, class Predicate>
void copy_if_into(const group<Space>& members, const X& x, Out& out, const Predicate& predicate,
                  sharded<index_t, 1, Space>& count) {
  detail::require_count_on_all("copy_if_into", members, count);
  fill(members, count, copy_if(members, x, out, predicate));
}

/// Copies the first element of every run of equal elements of a sharded array to the front of
/// `out`, and returns the number of runs. A run may lie in the parts of several members.
///
/// @param x, out  as for copy_if on a group; elements have ==, which the host can call
/// Returns        the number of runs, which may exceed out's extent
/// Errors         as for copy_if on a group, and unique on one space. out is unchanged then
/// Complexity     as for copy_if on a group; each member gives its first and last element to the
///                host
/// Blocks until the count is available; out is written in the order of the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Out>
index_t unique(const group<Space>& members, const X& x, Out& out) {
  return detail::select_from_array(members, "unique", x, out, keep_changes{});
}

/// Keeps elements as unique does, and gives their count to every member.
///
/// @param x, out       as for unique
/// @param count        replicated array of index_t; all its elements are overwritten
/// Errors, complexity  as for unique
/// Blocks as unique does.
template <class Space, detail::sharded_operand X, detail::sharded_operand Out>
void unique_into(const group<Space>& members, const X& x, Out& out,
                 sharded<index_t, 1, Space>& count) {
  detail::require_count_on_all("unique_into", members, count);
  fill(members, count, unique(members, x, out));
}

}  // namespace tandem
