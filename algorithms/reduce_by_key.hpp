// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/select.hpp>
#include <tandem/algorithms/segmented_reduce.hpp>
#include <tandem/core/array.hpp>
#include <tandem/core/view/subview.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Whether a run of equal keys begins at key number i, or the last run ends there.
template <class Keys>
struct bounds_run {
  Keys keys;

  TANDEM_FUNCTION bool operator()(index_t i) const {
    return i == 0 || i == keys.extent(0) || !(keys(i) == keys(i - 1));
  }
};

/// Copies the key of run r.
template <class Keys, class Out>
struct store_run_key {
  Keys keys;
  const index_t* begins;
  Out out;

  TANDEM_FUNCTION void operator()(index_t r) const { out(r) = keys(begins[r]); }
};

/// Writes the beginning of each run of n >= 1 keys, followed by n; returns the number of runs.
/// `begins` holds the first ones if it is too short for all.
template <class Space, class Keys, class Begins>
index_t find_runs(const Space& space, const Keys& keys, const Begins& begins) {
  using Keep = keep_indices<bounds_run<Keys>>;
  return dispatch_selection(space, "reduce_by_key",
                            select_problem<index_t, Keep>{.size = keys.extent(0) + 1,
                                                          .out = begins.data_handle(),
                                                          .out_stride = 1,
                                                          .room = begins.extent(0),
                                                          .keep = {{keys}}}) -
         1;
}

/// Whether the backend implements the reduction of runs of these keys.
template <class Space, class Keys>
consteval bool reduces_runs() {
  using Key = typename std::remove_const_t<Keys>::value_type;
  return uses_hook<Space, hook::reduce_runs>() && std::is_trivially_copyable_v<Key> &&
         std::default_initializable<Key>;
}

/// Reduces runs by the backend's implementation; returns the number of runs. `begins` holds two
/// elements more than the runs to store.
template <class Space, class Keys, class Values, class KeysOut, class Out, class Begins,
          class Reducer>
index_t dispatch_runs(const Space& space, const Keys& keys, const Values& values,
                      const KeysOut& keys_out, const Out& out, const Begins& begins,
                      const Reducer& reducer) {
  const auto chosen = checked_reducer_for<typename Values::value_type>(reducer);
  using Chosen = std::remove_const_t<decltype(chosen)>;
  index_t runs = 0;
  if constexpr (check_result<Space, 1, Out, Chosen>()) {
    with_load(values, chosen, [&]<class Load>(const Load& load) {
      using Problem = runs_problem<typename Keys::value_type, Load, Chosen>;
      runs = dispatch_reduce_runs(space, "reduce_by_key",
                                  Problem{.size = keys.extent(0),
                                          .keys = keys.data_handle(),
                                          .key_stride = keys.stride(0),
                                          .keys_out = keys_out.data_handle(),
                                          .keys_out_stride = keys_out.stride(0),
                                          .load = load,
                                          .reducer = chosen,
                                          .out = out.data_handle(),
                                          .out_stride = out.stride(0),
                                          .room = begins.extent(0) - 2,
                                          .begins = begins.data_handle()});
    });
  }
  return runs;
}

/// Reduces runs as segments, by a selection and a loop; returns the number of runs.
template <class Space, class Keys, class Values, class KeysOut, class Out, class Begins,
          class Reducer>
index_t reduce_runs(const Space& space, const Keys& keys, const Values& values,
                    const KeysOut& keys_out, const Out& out, const Begins& begins,
                    const Reducer& reducer) {
  const index_t most = begins.extent(0) - 2;
  const index_t runs = find_runs(space, keys, begins);
  const index_t stored = most < runs ? most : runs;
  reduce_segments(space, "reduce_by_key", values, read_only(subview(begins, slice{0, stored + 1})),
                  subview(out, slice{0, stored}), reducer);
  if (stored > 0) {
    dispatch_for(space, "reduce_by_key", range{0, stored},
                 store_run_key<Keys, KeysOut>{keys, begins.data_handle(), keys_out});
  }
  return runs;
}

/// Reports in one line what cannot be reduced by key.
template <class Space, class Keys, class Values, class KeysOut, class ValuesOut>
consteval void check_runs() {
  static_assert(compiles_loops<Space>,
                "tandem: reduce_by_key of this backend needs this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  static_assert(Keys::rank() == 1 && Values::rank() == 1 && KeysOut::rank() == 1,
                "tandem: reduce_by_key: the operands have one dimension");
  static_assert(
      std::is_same_v<typename Keys::value_type, typename KeysOut::element_type>,
      "tandem: reduce_by_key: keys and keys_out have one element type, which is not const "
      "in keys_out");
  static_assert(reaches<Space, Keys, Values, KeysOut, ValuesOut>,
                "tandem: reduce_by_key: the space cannot reach an operand's memory");
}

template <class Keys, class Values, class KeysOut, class ValuesOut>
void require_runs(const Keys& keys, const Values& values, const KeysOut& keys_out,
                  const ValuesOut& values_out) {
  constexpr const char* name = "reduce_by_key";
  require_same_extents(name, "keys", keys, "values", values);
  require_same_extents(name, "keys_out", keys_out, "values_out", values_out);
  require(!overlaps(keys, keys_out) && !overlaps(values, keys_out), name,
          "keys_out overlaps an input");
  require(!overlaps(keys, values_out) && !overlaps(values, values_out), name,
          "values_out overlaps an input");
  require(!overlaps(keys_out, values_out), name, "keys_out and values_out overlap");
  require_distinct_elements(name, "keys_out", keys_out);
  require_distinct_elements(name, "values_out", values_out);
}

}  // namespace detail

/// Reduces the values of each run of equal neighbouring keys and returns the number of runs:
/// keys_out(r) = the key of run r, values_out(r) = its values, combined.
///
///   // keys 1 1 7 2 2 2 -> keys_out 1 7 2
///   const auto runs = tandem::reduce_by_key(space, keys, values, keys_out, sums);
///
/// @param keys        rank-1 operand of any type with ==, any stride. Equal keys that are not
///                    neighbours form separate runs: sort_by_key first. A NaN equals nothing
/// @param values      rank-1 operand of as many elements, any stride
/// @param keys_out    rank-1 operand of the type of keys, any stride. If there are more runs than
///                    elements, both outputs hold the first runs, and the returned number exceeds
///                    the extent; elements behind the last run are unchanged
/// @param values_out  rank-1 operand of the reducer's result type and the extent of keys_out, any
///                    stride
/// @param reducer     as for parallel_reduce; one with positions reports indices of values
/// Errors             extent_error if extents differ; argument_error if an output overlaps another
///                    operand or itself, or an operand has no memory, or memory that the space
///                    cannot access; out_of_memory_error for one index per element of keys_out, but
///                    at most one per key, and for scratch. The outputs are unchanged then
/// Agreement          each output has the bits of parallel_reduce over its values alone, on every
///                    backend, thread count and device
/// Complexity         reads values once and keys once (serial: three times); a CPU reads the keys
///                    of the runs again. Scratch: one index per element of keys_out, but at most
///                    one per key, and that of copy_if and segmented_reduce
/// Blocks until the number is available; the outputs are written in stream order.
template <execution_space Space, viewable Keys, viewable Values, viewable KeysOut,
          viewable ValuesOut, reducer_or_deduced Reducer = sum<>>
index_t reduce_by_key(const Space& space, Keys&& keys, Values&& values, KeysOut&& keys_out,
                      ValuesOut&& values_out, const Reducer& reducer = {}) {
  const auto by = detail::read_only(as_view(std::forward<Keys>(keys)));
  const auto terms = detail::read_only(as_view(std::forward<Values>(values)));
  const auto first = as_view(std::forward<KeysOut>(keys_out));
  const auto results = as_view(std::forward<ValuesOut>(values_out));
  detail::check_runs<Space, decltype(by), decltype(terms), decltype(first), decltype(results)>();
  const auto check = [&] {
    detail::require_runs(by, terms, first, results);
    return !by.empty();
  };
  const auto reduce = [&] {
    const index_t most = results.extent(0) < by.size() ? results.extent(0) : by.size();
    array<index_t, 1, Space> begins(extents<1>(most + 2), space);
    if constexpr (detail::reduces_runs<Space, decltype(by)>()) {
      return detail::dispatch_runs(space, by, terms, first, results, begins.view(), reducer);
    } else {
      return detail::reduce_runs(space, by, terms, first, results, begins.view(), reducer);
    }
  };
  return detail::run(
      space,
      detail::call{"reduce_by_key",
                   detail::profile_kind::reduction,
                   {by.size()},
                   detail::operands{detail::input{"keys", by}, detail::input{"values", terms},
                                    detail::overwritten{"keys_out", first},
                                    detail::overwritten{"values_out", results}},
                   check,
                   reduce});
}

/// Calls reduce_by_key(space, ...) on the default space and waits until it is complete.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    reduce_by_key(detail::here(), std::forward<Argument>(a)...);
  }
auto reduce_by_key(Argument&&... arguments) {
  return detail::complete(
      [&] { return reduce_by_key(detail::here(), std::forward<Argument>(arguments)...); });
}

}  // namespace tandem
