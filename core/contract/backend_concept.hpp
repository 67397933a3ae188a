// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/detail/copy_problem.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers.hpp>
#include <tandem/core/team.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tandem {

namespace detail {

/// Function objects with which the concept asks whether a backend has an operation.
struct probe_loop {
  TANDEM_FUNCTION void operator()(int) const {}
};
struct probe_plane {
  TANDEM_FUNCTION void operator()(int, int) const {}
};
struct probe_volume {
  TANDEM_FUNCTION void operator()(int, int, int) const {}
};
struct probe_kernel {
  TANDEM_FUNCTION void operator()(team&) const {}
};
using probe_load = contiguous_load<float, sum<float>>;

}  // namespace detail

/// Allocates and frees the memory of a space, and may outlive it: allocate throws
/// out_of_memory_error, deallocate never throws.
template <class Resource>
concept memory_resource =
    std::copyable<Resource> && requires(const Resource r, void* pointer, std::size_t bytes) {
      { r.allocate(bytes) } -> std::same_as<void*>;
      { r.deallocate(pointer, bytes) } noexcept;
    };

/// What every space is: a place in which work runs in the order it was given, with memory of its
/// own kind.
template <class Space>
concept execution_space = requires(const Space s) {
  typename Space::memory_type;
  typename Space::event_type;
  { Space::memory_type::kind } -> std::convertible_to<memory_kind>;
  { Space::name } -> std::convertible_to<const char*>;
  { s.resource() } -> std::same_as<typename Space::resource_type>;
  { s.record() } -> std::same_as<typename Space::event_type>;
  s.wait(s.record());
  s.fence();
} && memory_resource<typename Space::resource_type> && std::default_initializable<Space>;

/// Moves and sets memory, of any rank up to 6 and any strides (core/detail/copy_problem.hpp).
template <class Space>
concept moves_memory = requires(const Space s, const copy_problem& copy, const fill_problem& fill) {
  dispatch_copy(s, copy);
  dispatch_fill(s, fill);
};

/// Runs loops over lambdas. A backend whose lambdas need a compiler of their own meets this only
/// there.
///
/// The calls are made unqualified and found by the space's namespace. Each is asynchronous in the
/// space's order but dispatch_reduce, which returns the accumulator.
template <class Space>
concept runs_loops = requires(const Space s, range line, grid<2> plane, grid<3> volume,
                              team_shape shape, index_t n, float* out) {
  dispatch_for(s, "label", line, detail::probe_loop{});
  dispatch_for(s, "label", plane, detail::probe_plane{});
  dispatch_for(s, "label", volume, detail::probe_volume{});
  { dispatch_reduce(s, "label", n, detail::probe_load{}, sum<float>{}) } -> std::same_as<float>;
  dispatch_reduce_into(s, "label", n, detail::probe_load{}, sum<float>{}, out);
  dispatch_teams(s, "label", shape, detail::probe_kernel{});
};

/// A complete backend. Everything else (dispatch_transform, dispatch_scan, dispatch_reduce_axis,
/// dispatch_histogram, dispatch_matmul, dispatch_sort, dispatch_select, dispatch_select_into,
/// dispatch_check_pointer, dispatch_record) is optional: algorithms/generic/ has plain forms in
/// terms of these.
template <class Space>
concept backend = execution_space<Space> && moves_memory<Space> && runs_loops<Space>;

/// Whether code of `Space` can touch memory of type `Memory`.
template <class Space, class Memory>
concept can_access = memory_convertible<Memory, typename Space::memory_type>;

}  // namespace tandem
