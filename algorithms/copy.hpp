// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/run.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Whether a space copies to and from a kind of memory: the host's, and its own.
template <class Space, class Memory>
concept copies = Memory::host_accessible || can_access<Space, Memory>;

template <class Space, class Source, class Destination>
void run_copy(const Space& space, const Source& source, const Destination& destination) {
  using T = typename Source::value_type;
  static_assert(std::is_same_v<T, typename Destination::value_type>,
                "tandem: copy: the element types differ: transform(source, destination, f) "
                "converts, with a cast in f");
  static_assert(!std::is_const_v<typename Destination::element_type>,
                "tandem: copy: the destination is const");
  static_assert(std::is_trivially_copyable_v<T>,
                "tandem: copy moves bits: elements must be trivially copyable");
  static_assert(
      copies<Space, typename Source::memory_type> &&
          copies<Space, typename Destination::memory_type>,
      "tandem: copy: only a space of the device can reach memory of a device; give it as the first "
      "argument");
  const auto check = [&] {
    require_same_extents("copy", "source", source, "destination", destination);
    require_data("copy", "source", source);
    require_data("copy", "destination", destination);
    require_distinct_elements("copy", "destination", destination);
    if (source.empty() || same_elements(source, destination)) return false;
    require(!overlaps(source, destination), "copy", "source and destination overlap");
    return true;
  };
  run(space, call{"copy", profile_kind::region, sizes_of(destination), validated{destination},
                  check, [&] { dispatch_copy(space, make_copy_problem(source, destination)); }});
}

/// Calls run(line, other) with views of one rank: `other` as a rank-1 view if it is row-major, else
/// the contiguous view in other's shape.
template <class Line, class Other, class Run>
void with_one_rank(const Line& line, const Other& other, const Run& run) {
  if constexpr (std::is_same_v<typename Other::layout_type, layout_right>) {
    run(line, flattened(other));
  } else {
    static_assert(std::is_same_v<typename Line::layout_type, layout_right>,
                  "tandem: copy: the ranks differ and neither operand is contiguous");
    require_equal("copy", "elements of one operand", line.size(), "elements of the other",
                  other.size());
    using Shaped =
        view<typename Line::element_type, Other::rank(), layout_right, typename Line::memory_type>;
    run(Shaped(line.data_handle(), other.extents()), other);
  }
}

}  // namespace detail

/// Copies the elements of `source` to `destination`; no other function moves data between host and
/// devices.
///
/// source, destination  operands (views, arrays, std::vector, std::span, std::mdspan) of one
///                      element type and equal extents; any layout and strides, so rows, columns
///                      and blocks (subview) work; a contiguous operand of rank 1 also pairs with
///                      one of any rank and the same number of elements, in row-major order
/// Errors               extent_error when extents differ, argument_error when they share an element
///                      without being the same ones in the same order or have no memory, or when
///                      two indices of the destination name one element; out_of_memory_error for
///                      strided elements that cross between host and device
/// Complexity           reads and writes each element once. Scratch: none, unless strided elements
///                      cross between host and device: then at most a packed copy on each strided
///                      side
/// Asynchronous on `space`: host memory stays untouched until space.fence() or an event. Ordinary
/// (not pinned) host memory may make the call block until it has been read or written; the call
/// waits for a source that is a temporary.
template <execution_space Space, viewable Source, viewable Destination>
void copy(const Space& space, Source&& source, Destination&& destination) {
  const auto from = as_view(source);
  const auto to = as_view(std::forward<Destination>(destination));
  constexpr int from_rank = decltype(from)::rank();
  constexpr int to_rank = decltype(to)::rank();
  static_assert(from_rank == to_rank || from_rank == 1 || to_rank == 1,
                "tandem: copy: the ranks differ and neither is 1");
  if constexpr (from_rank == to_rank) {
    detail::run_copy(space, from, to);
  } else if constexpr (from_rank == 1) {
    detail::with_one_rank(from, to,
                          [&](const auto& a, const auto& b) { detail::run_copy(space, a, b); });
  } else {
    detail::with_one_rank(to, from,
                          [&](const auto& b, const auto& a) { detail::run_copy(space, a, b); });
  }
  if constexpr (detail::is_temporary_owner<Source>) space.fence();
}

/// Copies elements of the host's memory to an operand: copy(space, pointer, n, x).
///
/// @param source       the first of `count` contiguous elements
/// @param count        elements, not bytes
/// @param destination  operand of as many elements of that type, any rank, layout and memory
/// Errors              those of copy between operands; extent_error for a negative count
/// Complexity          as for copy between operands
template <execution_space Space, class T, std::integral Count, viewable Destination>
void copy(const Space& space, const T* source, Count count, Destination&& destination) {
  const view<const T, 1, layout_right, host_memory> from(source, extents<1>(count));
  copy(space, from, std::forward<Destination>(destination));
}

/// Copies the elements of an operand to the host's memory: copy(space, x, pointer, n).
///
/// @param source       operand of `count` elements, any rank, layout and memory
/// @param destination  memory for as many contiguous elements
/// @param count        elements, not bytes
/// Errors              those of copy between operands; extent_error for a negative count
/// Complexity          as for copy between operands
template <execution_space Space, viewable Source, class T, std::integral Count>
void copy(const Space& space, Source&& source, T* destination, Count count) {
  const view<T, 1, layout_right, host_memory> to(destination, extents<1>(count));
  copy(space, std::forward<Source>(source), to);
}

/// Calls copy(space, ...) on the default space and waits until it is complete.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { copy(detail::here(), std::forward<Argument>(a)...); }
auto copy(Argument&&... arguments) {
  return detail::complete(
      [&] { return copy(detail::here(), std::forward<Argument>(arguments)...); });
}

}  // namespace tandem
