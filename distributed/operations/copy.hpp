// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/operations/transfers.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// Rows of a view of the whole as a view.
template <class View>
auto rows_of_view(const View& v, const range& rows) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return subview(v, slice{rows.begin, rows.end}, ((void)D, all)...);
  }(std::make_index_sequence<static_cast<std::size_t>(View::rank() - 1)>{});
}

/// The part of a view of the whole, of x's rank or of one dimension, that belongs to `rows` of x.
template <class View, class X>
auto elements_of_rows(const View& v, const X& x, const range& rows) {
  if constexpr (View::rank() == X::rank()) {
    return rows_of_view(v, rows);
  } else {
    static_assert(View::rank() == 1, "tandem: copy: the ranks differ and neither is 1");
    return subview(v, slice{rows.begin * x.row_size(), rows.end * x.row_size()});
  }
}

/// Throws unless a view has the extents of a sharded array, or, in one dimension, its elements.
template <class View, class X>
void require_shape(const View& v, const X& x) {
  if constexpr (View::rank() == X::rank()) {
    require_same_extents("copy", "one side", v, "the other", x);
  } else {
    require_equal("copy", "elements of one side", v.size(), "those of the other", x.size());
  }
}

/// Adds the copies of the rows in the halos of x.
template <class Space, class X>
void add_halos(transfers<Space>& copies, X& x) {
  if (x.halo_rows() == 0 || x.is_replicated()) return;
  for (int q = 0; q < x.members(); ++q) {
    const index_t begin = x.rows().begin(q);
    const index_t end = x.rows().end(q);
    if (begin == end) continue;
    const auto to = x.whole(q);
    copies.add_rows(x, {std::max<index_t>(begin - x.halo_rows(), 0), begin}, q, to);
    copies.add_rows(x, {end, std::min(end + x.halo_rows(), x.extent(0))}, q, to);
  }
}

/// Copies to an operand of the host by the first member, and waits for it.
template <class Space, class From, class To>
void copy_by_first(const group<Space>& members, const From& from, const To& to) {
  on_first(members, [&](const Space& first) {
    copy(first, from, to);
    first.fence();
  });
}

}  // namespace detail

/// Copies an operand of the host to a sharded array: each member takes its rows, and of a
/// replicated array all of them. Halos stay as they are; exchange() sets them.
///
/// @param source       operand of the host: of the destination's rank and extents, or contiguous,
///                     of one dimension and as many elements
/// @param destination  sharded or replicated array of the same type of elements
/// Errors              as for copy on one space; argument_error for an array of other members
/// Complexity          moves each element once, to a replicated array once per member
/// Asynchronous on the members, as copy is on one space.
template <class Space, viewable Source, class T, int Rank>
  requires(!detail::sharded_operand<Source>)
void copy(const group<Space>& members, Source&& source,
          array<T, Rank, group<Space>, layout_right>& destination) {
  const auto from = as_view(source);
  detail::require_members("copy", members, destination);
  detail::require_shape(from, destination);
  const auto enqueue = [&] {
    detail::for_each_member(members, [&](int p) {
      const range rows = detail::own_rows(destination, p);
      if (rows.size() > 0) {
        copy(members.member(p), detail::elements_of_rows(from, destination, rows),
             destination.part(p));
      }
    });
  };
  if constexpr (detail::is_temporary_owner<Source>) {
    detail::fence_on_error(members, enqueue);
    members.fence();
  } else {
    enqueue();
  }
}

/// Copies a sharded array to an operand of the host: each member writes its rows.
///
/// @param source       sharded array, or a replicated one, which its first member writes
/// @param destination  operand of the host, as above
/// Errors, complexity  as above
/// Asynchronous on the members: members.fence() before the host reads.
template <class Space, class T, int Rank, viewable Destination>
  requires(!detail::sharded_operand<Destination>)
void copy(const group<Space>& members, const array<T, Rank, group<Space>, layout_right>& source,
          Destination&& destination) {
  const auto to = as_view(std::forward<Destination>(destination));
  detail::require_members("copy", members, source);
  detail::require_shape(to, source);
  detail::for_each_member(members, [&](int p) {
    const range rows = detail::own_rows(source, p);
    if (rows.size() > 0 && (p == 0 || !source.is_replicated()))
      copy(members.member(p), source.part(p), detail::elements_of_rows(to, source, rows));
  });
}

/// Copies a sharded array to another one of any cut, or to or from a replicated one.
///
/// @param source, destination  arrays of equal extents and elements on this group. Halos stay as
///                             they are; exchange() sets them
/// Errors                      extent_error if extents differ; argument_error for an array of other
///                             members
/// Complexity                  moves each element once, to a replicated array once per member
/// Asynchronous on the members.
template <class Space, class T, int Rank>
void copy(const group<Space>& members, const array<T, Rank, group<Space>, layout_right>& source,
          array<T, Rank, group<Space>, layout_right>& destination) {
  detail::require_members("copy", members, source);
  detail::require_members("copy", members, destination);
  detail::require_shape(source, destination);
  if (&source == &destination) return;
  detail::transfers<Space> copies("copy", members);
  for (int q = 0; q < destination.members(); ++q)
    copies.add_rows(source, detail::own_rows(destination, q), q, destination.whole(q));
  copies.run();
}

/// Copies the elements of the sharded array x to a std::vector, in row-major order.
///
/// Errors      argument_error for an array of other members; out_of_memory_error
/// Complexity  one copy, into a vector whose elements are set to zero before
/// Waits for the group.
template <class Space, class T, int Rank>
std::vector<T> to_vector(const group<Space>& members,
                         const array<T, Rank, group<Space>, layout_right>& x) {
  static_assert(!std::is_same_v<T, bool>,
                "tandem: to_vector: std::vector<bool> holds bits, not bools");
  auto result = detail::make_vector<T>("to_vector", x.size());
  detail::fence_on_error(members, [&] { copy(members, x, result); });
  members.fence();
  return result;
}

/// Sets the halo of each part to the rows of its neighbours, as they are after the work that the
/// members have been given so far. A loop behind it starts when they are there; a loop over
/// exchanged(x) overlaps with the copies.
///
/// @param x    sharded array with a halo. Rows before the first and behind the last of the whole do
///             not exist, and are left as they are
/// Errors      argument_error for an array of other members
/// Complexity  moves at most twice the halo's rows per member
/// Asynchronous on the members.
template <class Space, class T, int Rank>
void exchange(const group<Space>& members, array<T, Rank, group<Space>, layout_right>& x) {
  detail::require_members("exchange", members, x);
  detail::transfers<Space> copies("exchange", members);
  detail::add_halos(copies, x);
  copies.run();
}

/// Does nothing: an array of one space has no halo to set. Lets a template over its space call
/// exchange() on one space, too.
///
/// Complexity  constant
template <class Space, class T, int Rank, class Layout>
void exchange(const Space&, array<T, Rank, Space, Layout>&) {}

}  // namespace tandem
