// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/run.hpp>
#include <tandem/algorithms/generic/sort.hpp>
#include <tandem/core/contract/merge_problem.hpp>

#include <type_traits>

/// Preconditions of sort() and sort_by_key(), and their dispatch to a backend.
namespace tandem::detail {

/// Reports in one line why a sort cannot take an operand.
template <class Space, class View>
consteval bool check_line() {
  constexpr bool reached = reaches<Space, View>;
  constexpr bool line = View::rank() == 1;
  constexpr bool copyable = std::is_trivially_copyable_v<typename View::value_type>;
  static_assert(reached, "tandem: sort: the space cannot reach an operand's memory");
  static_assert(line, "tandem: sort: operands have one dimension");
  static_assert(copyable, "tandem: sort: elements are trivially copyable");
  return reached && line && copyable;
}

/// Reports in one line why a sort cannot write the elements of `In` to `Out`.
template <class Space, class In, class Out>
consteval bool check_lines() {
  constexpr bool fitting = std::is_same_v<typename In::value_type, typename Out::element_type>;
  static_assert(fitting,
                "tandem: sort: an output has the element type of its input and is not const");
  return fitting && check_line<Space, In>() && check_line<Space, Out>();
}

/// Reports in one line what cannot be a key of a sort.
template <class T>
consteval bool check_key() {
  constexpr bool sortable = sortable_key<T>;
  static_assert(sortable,
                "tandem: sort: keys are float, double or integers of 8 to 64 bits; "
                "sort_by_key moves other values along with them");
  return sortable;
}

/// Reports in one line why keys cannot be sorted.
template <class Space, class Keys, class KeysOut>
consteval bool check_keys() {
  if constexpr (check_key<typename Keys::value_type>()) return check_lines<Space, Keys, KeysOut>();
  return false;
}

/// Throws unless the elements of `v` are adjacent.
template <class View>
void require_adjacent(const char* operation, const char* name, const View& v) {
  if (v.size() > 1 && v.stride(0) != 1)
    throw argument_error(message({operation, ": ", name, " has stride ", v.stride(0), ", not 1"}));
}

/// Throws unless `v` is contiguous and the space can access it.
template <class Space, class View>
void require_line(const Space& space, const char* operation, const char* name, const View& v) {
  if constexpr (check_line<Space, View>()) {
    require_operand(space, operation, name, v);
    require_adjacent(operation, name, v);
  }
}

/// Throws unless `out` is a valid target for `in`: the same memory, or memory that does not overlap
/// it.
template <class Space, class In, class Out>
void require_target(const Space& space, const char* operation, const char* name, const In& in,
                    const char* out_name, const Out& out) {
  require_line(space, operation, name, in);
  require_line(space, operation, out_name, out);
  require_same_extents(operation, name, in, out_name, out);
  if (!same_elements(in, out) && overlaps(in, out))
    throw argument_error(message({operation, ": ", out_name, " overlaps ", name}));
}

/// Sorts from `in` to `out` by merges, for backends without a sort. The spare buffer has as many
/// elements.
template <class Space, class Line>
void sort_generically(const Space& space, const char* name, index_t size, const Line& in,
                      const Line& out, const Line& spare, sort_order order) {
  if (size == 0) return;
  dispatch_for(space, name, range{0, size}, copy_keyed<Line>{in, out});
  if (order == sort_order::ascending) {
    merge_sort<sort_order::ascending>(space, name, size, out, spare);
  } else {
    merge_sort<sort_order::descending>(space, name, size, out, spare);
  }
}

/// Describes the keys of a sort.
template <class Keys, class KeysOut>
sort_problem describe_keys(const Keys& keys, const KeysOut& keys_out, sort_order order) {
  using T = typename Keys::value_type;
  return {.size = keys.size(),
          .kind = kind_of_key<T>,
          .order = order,
          .key_bytes = sizeof(T),
          .keys = keys.data_handle(),
          .keys_out = keys_out.data_handle()};
}

template <class Space, class Keys, class KeysOut>
void sort_keys(const Space& space, const Keys& keys, const KeysOut& keys_out, sort_order order) {
  using T = typename Keys::value_type;
  if constexpr (check_keys<Space, Keys, KeysOut>()) {
    const auto sort = [&] {
      if constexpr (uses_hook<Space, hook::sort>()) {
        dispatch_sort(space, describe_keys(keys, keys_out, order));
      } else {
        using Line = keyed_line<T, void>;
        array<T, 1, Space> spare(keys.extents(), space);
        sort_generically(space, "sort", keys.size(), Line{const_cast<T*>(keys.data_handle())},
                         Line{keys_out.data_handle()}, Line{spare.data_handle()}, order);
      }
    };
    run(space, call{"sort",
                    profile_kind::region,
                    {keys.size()},
                    operands{validated_input{"keys", keys}, validated{keys_out}},
                    [&] { require_target(space, "sort", "keys", keys, "out", keys_out); },
                    sort});
  }
}

template <class Space, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_pairs(const Space& space, const Keys& keys, const Values& values, const KeysOut& keys_out,
                const ValuesOut& values_out, sort_order order) {
  using T = typename Keys::value_type;
  using V = typename Values::value_type;
  constexpr const char* name = "sort_by_key";
  if constexpr (check_keys<Space, Keys, KeysOut>() && check_lines<Space, Values, ValuesOut>()) {
    const auto check = [&] {
      require_target(space, name, "keys", keys, "keys_out", keys_out);
      require_target(space, name, "values", values, "values_out", values_out);
      require_same_extents(name, "keys", keys, "values", values);
      require(!overlaps(keys_out, values) && !overlaps(keys, values_out) &&
                  !overlaps(keys_out, values_out),
              name, "keys and values overlap");
    };
    const auto sort = [&] {
      if constexpr (uses_hook<Space, hook::sort>()) {
        sort_problem problem = describe_keys(keys, keys_out, order);
        problem.value_bytes = sizeof(V);
        problem.values = values.data_handle();
        problem.values_out = values_out.data_handle();
        dispatch_sort(space, problem);
      } else {
        using Line = keyed_line<T, V>;
        array<T, 1, Space> spare_keys(keys.extents(), space);
        array<V, 1, Space> spare_values(keys.extents(), space);
        sort_generically(
            space, name, keys.size(),
            Line{const_cast<T*>(keys.data_handle()), const_cast<V*>(values.data_handle())},
            Line{keys_out.data_handle(), values_out.data_handle()},
            Line{spare_keys.data_handle(), spare_values.data_handle()}, order);
      }
    };
    run(space, call{name,
                    profile_kind::region,
                    {keys.size()},
                    operands{validated_input{"keys", keys}, validated_input{"values", values},
                             validated{keys_out}, validated{values_out}},
                    check,
                    sort});
  }
}

/// A sorted run of a merge. Line is a keyed_line.
template <class Line>
struct merge_input {
  Line line;
  index_t size;

  sorted_run described() const {
    if constexpr (requires { line.values; }) return {size, line.keys, line.values};
    return {size, line.keys, nullptr};
  }
};

/// Merges two sorted runs to `out`, which overlaps neither: stable, in the order of sort().
/// Allocates nothing.
template <class Space, class T, class V>
void merge_sorted(const Space& space, const char* name, const merge_input<keyed_line<T, V>>& left,
                  const merge_input<keyed_line<T, V>>& right, const keyed_line<T, V>& out,
                  sort_order order) {
  if (left.size + right.size == 0) return;
  if constexpr (uses_hook<Space, hook::merge>()) {
    merge_problem problem{.kind = kind_of_key<T>,
                          .order = order,
                          .key_bytes = sizeof(T),
                          .left = left.described(),
                          .right = right.described(),
                          .keys_out = out.keys};
    if constexpr (!std::is_void_v<V>) {
      problem.value_bytes = sizeof(V);
      problem.values_out = out.values;
    }
    dispatch_merge(space, name, problem);
  } else if (order == sort_order::ascending) {
    generic_merge<sort_order::ascending>(space, name, left.line, left.size, right.line, right.size,
                                         out);
  } else {
    generic_merge<sort_order::descending>(space, name, left.line, left.size, right.line, right.size,
                                          out);
  }
}

}  // namespace tandem::detail
