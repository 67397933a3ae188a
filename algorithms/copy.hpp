// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>

#include <type_traits>

namespace tandem {

namespace detail {

template <class Space, class Source, class Destination>
void run_copy(const Space& space, const Source& source, const Destination& destination) {
  using T = typename Source::value_type;
  static_assert(std::is_same_v<T, typename Destination::value_type>,
                "tandem: copy: the element types differ");
  static_assert(!std::is_const_v<typename Destination::element_type>,
                "tandem: copy: the destination is const");
  static_assert(std::is_trivially_copyable_v<T>,
                "tandem: copy moves bits: elements must be trivially copyable");
  static_assert(
      (Source::memory_type::host_accessible && Destination::memory_type::host_accessible) ||
          Space::memory_type::device_accessible,
      "tandem: copy: only a space of the device can reach memory of a device; give it as the first "
      "argument");
  require_same_extents("copy", "source", source, "destination", destination);
  require_data("copy", "source", source);
  require_data("copy", "destination", destination);
  if (source.empty() || same_elements(source, destination)) return;
  require_distinct_elements("copy", "destination", destination);
  require(!overlaps(source, destination), "copy", "source and destination overlap");
  dispatch_copy(space, make_copy_problem(source, destination));
}

}  // namespace detail

/// Copies the elements of `source` to `destination`: the only way in which data crosses between
/// host and devices.
///
/// source, destination  views, arrays or contiguous containers (std::vector, std::span) of one
///                      element type and equal extents; any layout and strides, so rows, columns
///                      and blocks (subview) work; a rank-1 operand also pairs with a row-major one
///                      of any rank and the same number of elements
/// Errors               extent_error when extents differ, argument_error when they share an element
///                      or have no memory, or when two indices of the destination name one element
/// Asynchronous on `space`: host memory stays untouched until space.fence() or an event. Ordinary
/// (not pinned) host memory may make the call block until it has been read or written.
template <execution_space Space, detail::operand Source, detail::operand Destination>
void copy(const Space& space, const Source& source, Destination&& destination) {
  const auto from = detail::as_operand(source);
  const auto to = detail::as_operand(destination);
  constexpr int from_rank = decltype(from)::rank();
  constexpr int to_rank = decltype(to)::rank();
  if constexpr (from_rank == to_rank) {
    detail::run_copy(space, from, to);
  } else if constexpr (from_rank == 1) {
    detail::run_copy(space, from, detail::flattened(to));
  } else {
    static_assert(to_rank == 1, "tandem: copy: the ranks differ and neither is 1");
    detail::run_copy(space, detail::flattened(from), to);
  }
}

/// Calls copy(space, source, destination) on the default space and waits until it is complete.
template <detail::operand Source, detail::operand Destination>
  requires(!execution_space<Source>)
void copy(const Source& source, Destination&& destination) {
  const auto& space = default_instance<default_space>();
  copy(space, source, destination);
  space.fence();
}

}  // namespace tandem
