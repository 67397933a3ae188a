// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/adjacent_difference.hpp>
#include <tandem/algorithms/gather.hpp>
#include <tandem/algorithms/reverse.hpp>
#include <tandem/distributed/operations/replicas.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

/// Operations on groups that need elements of other members: gather, reverse and
/// adjacent_difference.
namespace tandem {

namespace detail {

/// Stores what the first element of a part and the last one before it give.
template <class T, class Y, class Operation>
struct store_difference_at_cut {
  using user_function = Operation;

  const T* later;
  const T* earlier;
  Y* to;
  Operation operation;

  TANDEM_FUNCTION void operator()(index_t) const {
    *to = static_cast<Y>(operation(*later, *earlier));
  }
};

/// Combines the first element of each part but that of the first row with the last one before it.
template <class Space, class X, class Y, class Operation>
void combine_across_cuts(const group<Space>& members, const X& x, Y& y,
                         const Operation& operation) {
  constexpr const char* name = "adjacent_difference";
  using T = typename X::value_type;
  using Difference = store_difference_at_cut<T, typename Y::value_type, Operation>;
  auto before = list_for<array<T, 1, Space>>(name, members.size());
  const auto has_cut = [&](int p) { return x.rows().begin(p) > 0 && x.rows().size(p) > 0; };
  fence_on_error(members, [&] {
    transfers<Space> copies(name, members);
    for_each_member(members, [&](int p) {
      before.emplace_back(extents<1>(1), members.member(p));
      if (!has_cut(p)) return;
      const index_t row = x.rows().begin(p) - 1;
      const view<T, 1, layout_right, typename Space::memory_type> to(
          moved_back(before.back().data_handle(), row), x.extents());
      copies.add_rows(x, {row, row + 1}, p, to);
    });
    copies.run();
    for_each_member(members, [&](int p) {
      if (!has_cut(p)) return;
      dispatch_for(
          members.member(p), name, range(1),
          Difference{x.part(p).data_handle(), before[static_cast<std::size_t>(p)].data_handle(),
                     y.part(p).data_handle(), operation});
    });
  });
}

}  // namespace detail

/// Gathers elements by index, as gather() on one space: out(i) = x(indices(i)).
///
/// @param x        array of one dimension, replicated; or sharded by any cut, of which every member
///                 then gets a copy of all of it for the time of the call
/// @param indices  as on one space, sharded or replicated
/// @param out      array of the cut and extent of the indices, and of x's type of elements
/// Errors          extent_error when extents or cuts differ; argument_error for arrays of other
///                 members, if out is x or indices, and if only one of indices and out is
///                 replicated; those of one space
/// Complexity      reads indices once and as many elements of x. A sharded x moves to every member
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Indices,
          detail::sharded_operand Out>
void gather(const group<Space>& members, const X& x, const Indices& indices, Out& out) {
  constexpr const char* name = "gather";
  detail::common_cut common(name);
  common.add(members, indices);
  common.add(members, out);
  detail::require_same_extents(name, "indices", indices, "out", out);
  detail::require(indices.is_replicated() == out.is_replicated(), name,
                  "one of indices and out is replicated, the other one is not");
  detail::require_two_arrays(name, "x and out overlap", x, out);
  detail::require_two_arrays(name, "indices and out overlap", indices, out);
  detail::on_every_member<Space, X> everywhere(name, members, x);
  detail::fence_on_error(members, [&] {
    everywhere.fill(members, x);
    detail::for_each_member(members, [&](int p) {
      gather(members.member(p), everywhere->part(p), indices.part(p), out.part(p));
    });
  });
}

/// Reverses the order of elements, as reverse() on one space: out(i) = x(n - 1 - i).
///
/// @param x, out  sharded arrays of one dimension, one type of elements and equal extent, of any
///                cuts; out may be x
/// Errors         extent_error when the extents differ; argument_error for arrays of other members
///                and for replicated ones
/// Complexity     moves each element once, and once more within its member. Scratch: a copy of x
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Out>
void reverse(const group<Space>& members, const X& x, Out& out) {
  constexpr const char* name = "reverse";
  static_assert(X::rank() == 1 && Out::rank() == 1,
                "tandem: reverse: x and out have one dimension");
  static_assert(std::is_same_v<typename X::value_type, typename Out::value_type>,
                "tandem: reverse: x and out have one element type, which is not const in out");
  detail::require_members(name, members, x);
  detail::require_members(name, members, out);
  detail::require_same_extents(name, "x", x, "out", out);
  detail::require(!x.is_replicated() && !out.is_replicated(), name,
                  "x and out are sharded, not replicated");
  const index_t n = x.extent(0);
  array<typename X::value_type, 1, group<Space>, layout_right> reversed(x.extents(), members,
                                                                        x.rows());
  detail::fence_on_error(members, [&] {
    detail::transfers<Space> copies(name, members);
    detail::for_each_member(members, [&](int p) {
      if (x.rows().size(p) == 0) return;
      reverse(members.member(p), x.part(p), reversed.part(p));
      const index_t first = n - x.rows().end(p);  // row of the whole that this part begins with
      for (int q = 0; q < members.size(); ++q) {
        const index_t begin = std::max(first, out.rows().begin(q));
        const index_t end = std::min(n - x.rows().begin(p), out.rows().end(q));
        if (begin >= end) continue;
        copies.add(
            p, q,
            detail::make_copy_problem(subview(reversed.part(p), slice{begin - first, end - first}),
                                      subview(out.part(q), slice{begin - out.rows().begin(q),
                                                                 end - out.rows().begin(q)})));
      }
    });
    copies.run();
  });
}

/// Reverses the elements of x in place.
///
/// @param x    sharded array of one dimension
/// Errors      those of reverse(members, x, out)
/// Complexity  as for reverse(members, x, out)
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X>
void reverse(const group<Space>& members, X& x) {
  reverse(members, x, x);
}

/// Combines neighbours, as adjacent_difference() on one space: y(0) = x(0), and y(i) =
/// operation(x(i), x(i - 1)) for i > 0.
///
/// @param x, y       sharded arrays of one cut and equal extent, of one dimension, which are not
///                   the same; or both replicated
/// @param operation  as on one space; by default the difference
/// Errors            extent_error when extents or cuts differ; argument_error for arrays of other
///                   members, and if only one is replicated; those of one space
/// Complexity        as on one space; one element moves per cut
/// Asynchronous on the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Y, class Operation>
void adjacent_difference(const group<Space>& members, const X& x, Y& y,
                         const Operation& operation) {
  constexpr const char* name = "adjacent_difference";
  detail::common_cut common(name);
  common.add(members, x);
  common.add(members, y);
  detail::require_same_extents(name, "x", x, "y", y);
  detail::require(x.is_replicated() == y.is_replicated(), name,
                  "one operand is replicated and the other one is not");
  detail::for_each_member(members, [&](int p) {
    adjacent_difference(members.member(p), x.part(p), y.part(p), operation);
  });
  if (!x.is_replicated()) detail::combine_across_cuts(members, x, y, operation);
}
template <class Space, detail::sharded_operand X, detail::sharded_operand Y>
void adjacent_difference(const group<Space>& members, const X& x, Y& y) {
  adjacent_difference(members, x, y, detail::difference_as<typename Y::value_type>{});
}

}  // namespace tandem
