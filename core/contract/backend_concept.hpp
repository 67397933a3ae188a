// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>
#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/contract/hooks.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/contract/matmul_types.hpp>
#include <tandem/core/contract/merge_problem.hpp>
#include <tandem/core/contract/random_problem.hpp>
#include <tandem/core/contract/reduce_axis_problem.hpp>
#include <tandem/core/contract/scan_problem.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/contract/segmented_scan.hpp>
#include <tandem/core/contract/select_problem.hpp>
#include <tandem/core/contract/sort_problem.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers.hpp>
#include <tandem/core/team.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tandem {

namespace detail {

/// Function objects with which the concept tests whether a backend has an operation.
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
struct probe_map {
  TANDEM_FUNCTION float operator()(float x) const { return x; }
};
using probe_load = contiguous_load<float, sum<float>>;
using probe_scan = scan_problem<probe_load, float, sum<float>>;
using probe_reduce_axis = reduce_axis_problem<strided_slices<float, sum<float>>, sum<float>>;
using probe_segments = segmented_problem<probe_load, index_t, sum<float>>;
using probe_segmented_scan = segmented_scan_problem<probe_load, index_t, sum<float>>;
using probe_runs = runs_problem<float, probe_load, sum<float>>;
using probe_random = random_problem<uniform_sampler<float>>;
using probe_select = select_problem<float, keep_changes>;

}  // namespace detail

/// Allocates and frees the memory of a space, and may outlive it: allocate throws
/// out_of_memory_error, deallocate never throws.
template <class Resource>
concept memory_resource =
    std::copyable<Resource> && requires(const Resource r, void* pointer, std::size_t bytes) {
      { r.allocate(bytes) } -> std::same_as<void*>;
      { r.deallocate(pointer, bytes) } noexcept;
    };

/// The requirements on every space: an execution resource that runs work in order, with its kind of
/// memory.
template <class Space>
concept execution_space = requires(const Space s) {
  typename Space::memory_type;
  typename Space::event_type;
  { Space::memory_type::kind } -> std::convertible_to<memory_kind>;
  { Space::name } -> std::convertible_to<const char*>;
  { Space::hooks } -> std::convertible_to<hook_set>;
  { s.resource() } -> std::same_as<typename Space::resource_type>;
  { s.record() } -> std::same_as<typename Space::event_type>;
  s.wait(s.record());
  s.fence();
} && memory_resource<typename Space::resource_type> && std::default_initializable<Space>;

/// Moves and sets memory, of any rank up to 6 and any strides (core/contract/copy_problem.hpp).
template <class Space>
concept moves_memory = requires(const Space s, const copy_problem& copy, const fill_problem& fill) {
  dispatch_copy(s, copy);
  dispatch_fill(s, fill);
};

/// Runs loops over lambdas. A backend whose lambdas need a special compiler meets this only under
/// that compiler.
///
/// The calls are unqualified and found through the space's namespace. Each is asynchronous in the
/// space's order except dispatch_reduce, which returns the accumulator.
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

namespace detail {

template <class Space, int Rank, class Layout>
concept transforms =
    requires(const Space s, const probe_map& f,
             const view<float, Rank, layout_right, typename Space::memory_type>& y,
             const view<const float, Rank, Layout, typename Space::memory_type>& x) {
      dispatch_transform(s, "label", f, y, x);
    };
template <class Space>
concept has_transform = transforms<Space, 1, layout_right> || transforms<Space, 2, layout_left>;
template <class Space>
concept has_scan =
    requires(const Space s, const probe_scan& problem) { dispatch_scan(s, "label", problem); };
template <class Space>
concept has_scan_part = requires(const Space s, const probe_scan& problem, const range& tiles,
                                 const scan_part<float>& part, float* totals) {
  dispatch_scan_totals(s, "label", problem, tiles, totals);
  dispatch_scan_part(s, "label", problem, part);
};
template <class Space>
concept has_reduce_axis = requires(const Space s, const probe_reduce_axis& problem) {
  dispatch_reduce_axis(s, "label", problem);
};
template <class Space>
concept has_segmented_reduce = requires(const Space s, const probe_segments& problem) {
  dispatch_segmented_reduce(s, "label", problem);
};
template <class Space>
concept has_segmented_scan = requires(const Space s, const probe_segmented_scan& problem) {
  dispatch_segmented_scan(s, "label", problem);
};
template <class Space>
concept has_reduce_runs = requires(const Space s, const probe_runs& problem) {
  { dispatch_reduce_runs(s, "label", problem) } -> std::same_as<index_t>;
};
template <class Space>
concept has_histogram =
    requires(const Space s, const histogram_problem& problem) { dispatch_histogram(s, problem); };
template <class Space, class T, class In = T>
concept multiplies =
    requires(const Space s, const matmul_problem<T, In>& problem) { dispatch_matmul(s, problem); };
/// Whether the space multiplies all types that matmul_products has for a hook.
template <class Space>
consteval bool multiplies_types_of(hook which) {
  return matmul_products::all_of(
      which, []<class T, class In>(std::type_identity<T>, std::type_identity<In>) {
        return multiplies<Space, T, In>;
      });
}
template <class Space, class T, class In = T>
concept adds_chunks = requires(const Space s, const matmul_problem<T, In>& problem) {
  { dispatch_matmul_chunks(s, problem) } -> std::same_as<bool>;
};
template <class Space>
concept has_sort =
    requires(const Space s, const sort_problem& problem) { dispatch_sort(s, problem); };
template <class Space>
concept has_merge =
    requires(const Space s, const merge_problem& problem) { dispatch_merge(s, "label", problem); };
template <class Space>
concept has_select = requires(const Space s, const probe_select& problem, index_t* count) {
  { dispatch_select(s, "label", problem) } -> std::same_as<index_t>;
  dispatch_select_into(s, "label", problem, count);
};
template <class Space>
concept has_random =
    requires(const Space s, const probe_random& problem) { dispatch_random(s, problem); };
template <class Space>
concept checks_pointers = requires(const Space s, const char* name, const void* pointer) {
  dispatch_check_pointer(s, name, name, pointer);
};
template <class Space>
concept records_work = requires(const Space s) {
  dispatch_record(std::span<const Space>(&s, 1)).space(0);
  dispatch_record(std::span<const Space>(&s, 1)).finish();
};

/// Whether a customization point can be called as core/contract/hooks.hpp states.
template <class Space, hook Hook>
consteval bool implements() {
  if constexpr (Hook == hook::transform) return has_transform<Space>;
  if constexpr (Hook == hook::scan) return has_scan<Space>;
  if constexpr (Hook == hook::scan_part) return has_scan_part<Space>;
  if constexpr (Hook == hook::reduce_axis) return has_reduce_axis<Space>;
  if constexpr (Hook == hook::segmented_reduce) return has_segmented_reduce<Space>;
  if constexpr (Hook == hook::segmented_scan) return has_segmented_scan<Space>;
  if constexpr (Hook == hook::reduce_runs) return has_reduce_runs<Space>;
  if constexpr (Hook == hook::histogram) return has_histogram<Space>;
  if constexpr (Hook == hook::matmul || Hook == hook::matmul_16bit || Hook == hook::matmul_int8)
    return multiplies_types_of<Space>(Hook);
  if constexpr (Hook == hook::matmul_chunks)
    return adds_chunks<Space, float> && adds_chunks<Space, double> &&
           adds_chunks<Space, float, half> && adds_chunks<Space, float, bf16>;
  if constexpr (Hook == hook::sort) return has_sort<Space>;
  if constexpr (Hook == hook::merge) return has_merge<Space>;
  if constexpr (Hook == hook::select) return has_select<Space>;
  if constexpr (Hook == hook::random) return has_random<Space>;
  if constexpr (Hook == hook::check_pointer) return checks_pointers<Space>;
  if constexpr (Hook == hook::record) return records_work<Space>;
}

/// Whether an algorithm calls a customization point rather than its generic form. A backend's
/// declarations must match its functions: nothing falls back silently.
template <class Space, hook Hook>
consteval bool uses_hook() {
  constexpr bool declared = Space::hooks.has(Hook);
  constexpr bool there = implements<Space, Hook>();
  static_assert(there || !declared || !runs_loops<Space>,
                "tandem: the backend declares this hook, but has no dispatch function that can be "
                "called as core/contract/hooks.hpp says");
  static_assert(declared || !there,
                "tandem: the backend has this hook's dispatch function, but does not declare it in "
                "its `hooks`");
  return declared && there;
}

template <class Space, hook Hook>
concept keeps_hook = !Space::hooks.has(Hook) || implements<Space, Hook>();

}  // namespace detail

/// Has the optional operations that it declares (core/contract/hooks.hpp).
template <class Space>
concept keeps_hooks =
    detail::keeps_hook<Space, hook::transform> && detail::keeps_hook<Space, hook::scan> &&
    detail::keeps_hook<Space, hook::scan_part> && detail::keeps_hook<Space, hook::reduce_axis> &&
    detail::keeps_hook<Space, hook::segmented_reduce> &&
    detail::keeps_hook<Space, hook::segmented_scan> &&
    detail::keeps_hook<Space, hook::reduce_runs> && detail::keeps_hook<Space, hook::histogram> &&
    detail::keeps_hook<Space, hook::matmul> && detail::keeps_hook<Space, hook::matmul_16bit> &&
    detail::keeps_hook<Space, hook::matmul_int8> &&
    detail::keeps_hook<Space, hook::matmul_chunks> && detail::keeps_hook<Space, hook::sort> &&
    detail::keeps_hook<Space, hook::select> && detail::keeps_hook<Space, hook::random> &&
    detail::keeps_hook<Space, hook::check_pointer> && detail::keeps_hook<Space, hook::record>;

/// A complete backend: the required operations, and the optional ones that it declares. For the
/// others, algorithms/generic/ has forms in terms of the required ones.
template <class Space>
concept backend =
    execution_space<Space> && moves_memory<Space> && runs_loops<Space> && keeps_hooks<Space>;

/// Whether code of `Space` can access memory of type `Memory`.
template <class Space, class Memory>
concept can_access = memory_convertible<Memory, typename Space::memory_type>;

}  // namespace tandem
