// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/view/overlap.hpp>
#include <tandem/distributed/stream/chunks.hpp>
#include <tandem/distributed/stream/run_merger.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

/// Sorts of operands of the host that pass through a space chunk by chunk: sorted runs first, which
/// are written to spare memory of the host, then merges of their parts. Each element moves to the
/// space twice, and twice back.
namespace tandem {

namespace detail {

/// Sorts the rows `rows` of views.
template <class Space, class Keys, class KeysOut>
void sort_rows(const Space& space, sort_order order, const range& rows, const Keys& keys,
               const KeysOut& keys_out) {
  tandem::sort(space, rows_of_view(keys, rows), rows_of_view(keys_out, rows), order);
}
template <class Space, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_rows(const Space& space, sort_order order, const range& rows, const Keys& keys,
               const Values& values, const KeysOut& keys_out, const ValuesOut& values_out) {
  tandem::sort_by_key(space, rows_of_view(keys, rows), rows_of_view(values, rows),
                      rows_of_view(keys_out, rows), rows_of_view(values_out, rows), order);
}

/// Sorts chunks of operands to other ones of the host, in one pass.
template <class Space, class... From, class... To>
void sort_chunks(const streamed<Space>& how, const char* name, const chunked_rows& rows,
                 sort_order order, const std::tuple<From...>& from, const std::tuple<To...>& to) {
  const auto sort_to = [&](auto&... operand) {
    chunk_pipeline<Space, std::remove_reference_t<decltype(operand)>...> chunks(how, name, rows,
                                                                                operand...);
    chunks.run([&](int lane, const range& of, const auto&... views) {
      sort_rows(how.lanes().member(lane), order, of, views...);
    });
  };
  std::tuple<only_written<To>...> written = std::apply(
      [](const auto&... view) { return std::make_tuple(only_written<To>{view}...); }, to);
  std::apply(
      [&](const auto&... in) {
        std::apply([&](auto&... out) { sort_to(in..., out...); }, written);
      },
      from);
}

/// Bytes of a chunk of a sort: as many as give 16 runs, since a piece of the result reads a part of
/// each run, or those of other operations if these are more.
inline std::size_t bytes_of_run(index_t rows, index_t row_bytes) {
  constexpr index_t runs = 16;
  return std::max(static_cast<std::size_t>(rows / runs + 1) * static_cast<std::size_t>(row_bytes),
                  most_chunk_bytes);
}

/// Spare memory of the host for a sort.
template <class T, class V>
class spare_memory {
 public:
  auto views(const char* name, index_t n) {
    keys_.emplace(name, n);
    if constexpr (std::is_void_v<V>) {
      return std::tuple(viewed(*keys_, n));
    } else {
      values_.emplace(name, n);
      return std::tuple(viewed(*keys_, n), viewed(*values_, n));
    }
  }

 private:
  template <class E>
  static view<E, 1, layout_right, host_memory> viewed(const host_scratch<E>& memory, index_t n) {
    return {memory.data(), extents<1>(n)};
  }

  std::optional<host_scratch<T>> keys_;
  std::optional<host_scratch<std::conditional_t<std::is_void_v<V>, char, V>>> values_;
};

/// Copies the runs to the memory of the operands that a merge has begun to overwrite.
template <class Runs, class To, std::size_t... Position>
void put_back(const Runs& runs, const To& to, std::index_sequence<Position...>) {
  const auto put = [](const auto& from, const auto& back) {
    using E = typename std::remove_cvref_t<decltype(back)>::value_type;
    std::memcpy(static_cast<void*>(back.data_handle()), from.data_handle(),
                static_cast<std::size_t>(back.size()) * sizeof(E));
  };
  (put(std::get<Position>(runs), std::get<Position>(to)), ...);
}

/// Sorts `from` to `to`, which may be the same, with `spare()`, views of as many elements.
template <class Space, class... From, class... To, class Spare>
void sort_by_runs(const streamed<Space>& how, const char* name, sort_order order,
                  const std::tuple<From...>& from, const std::tuple<To...>& to,
                  const Spare& spare) {
  using types = sorted_types<std::tuple<To...>>;
  const index_t n = std::get<0>(to).size();
  if (n == 0) return;
  const std::size_t most = bytes_of_run(n, 2 * types::row_bytes);
  const index_t length =
      how.chunk_rows(name, n, 2 * types::row_bytes, 1, fewest_chunk_elements, most);
  if (length >= n)
    return sort_chunks(how, name, {.rows = range(n), .most_bytes = most}, order, from, to);
  const auto runs = spare();
  sort_chunks(how, name, {.rows = range(n), .most_bytes = most, .passes = 2}, order, from, runs);
  using Runs = std::remove_const_t<decltype(runs)>;
  run_merger<Space, typename types::key, typename types::value, Runs, std::tuple<To...>> merger(
      how, name, order, length, runs, to);
  try {
    merger.run();
  } catch (...) {
    put_back(runs, to, std::index_sequence_for<To...>{});
    throw;
  }
}

/// Reports in one line why a streamed sort cannot take operands.
template <class In, class... Out>
consteval bool check_host_lines() {
  constexpr bool on_host =
      (In::memory_type::host_accessible && ... && Out::memory_type::host_accessible);
  static_assert(on_host, "tandem: sort: operands of a streamed sort are in memory of the host");
  if constexpr (on_host) return check_line<serial, In>() && (check_lines<serial, In, Out>() && ...);
  return false;
}

/// Throws unless `out` is adjacent, has as many elements as `in`, and is `in` itself (if that is
/// allowed) or does not overlap it.
template <class In, class Out>
void require_host_target(const char* operation, const char* in_name, const In& in,
                         const char* out_name, const Out& out, bool may_be_same) {
  require_data(operation, out_name, out);
  require_adjacent(operation, out_name, out);
  require_same_extents(operation, in_name, in, out_name, out);
  if (!(may_be_same && same_elements(in, out)) && overlaps(in, out))
    throw argument_error(message({operation, ": ", out_name, " overlaps ", in_name}));
}

/// Sorts keys. `spare` is nothing or a view of spare memory.
template <class Space, class Keys, class Out, class... Spare>
void sort_streamed(const streamed<Space>& how, const Keys& keys, const Out& out, sort_order order,
                   const Spare&... spare) {
  constexpr const char* name = "sort";
  if constexpr (check_key<typename Keys::value_type>() && check_host_lines<Keys, Out, Spare...>()) {
    require_host_target(name, "keys", keys, "keys", keys, true);
    require_host_target(name, "keys", keys, "out", out, true);
    (require_host_target(name, "keys", keys, "spare", spare, false), ...);
    (require_host_target(name, "out", out, "spare", spare, false), ...);
    spare_memory<typename Keys::value_type, void> memory;
    sort_by_runs(how, name, order, std::tuple(read_only(keys)), std::tuple(out), [&] {
      if constexpr (sizeof...(Spare) > 0) {
        return std::tuple(spare...);
      } else {
        return memory.views(name, keys.size());
      }
    });
  }
}

/// Sorts keys and values. `spare` is nothing, or views of spare memory for keys and for values.
template <class Space, class Keys, class Values, class KeysOut, class ValuesOut, class... Spare>
void sort_pairs_streamed(const streamed<Space>& how, const Keys& keys, const Values& values,
                         const KeysOut& keys_out, const ValuesOut& values_out, sort_order order,
                         const Spare&... spare) {
  constexpr const char* name = "sort_by_key";
  if constexpr (check_key<typename Keys::value_type>() && check_host_lines<Keys, KeysOut>() &&
                check_host_lines<Values, ValuesOut>() && (check_host_lines<Spare>() && ...)) {
    require_host_target(name, "keys", keys, "keys", keys, true);
    require_host_target(name, "values", values, "values", values, true);
    require_host_target(name, "keys", keys, "keys_out", keys_out, true);
    require_host_target(name, "values", values, "values_out", values_out, true);
    require_same_extents(name, "keys", keys, "values", values);
    const auto are_apart = [](const auto& first, const auto&... others) {
      return (!overlaps(first, others) && ...);
    };
    require(are_apart(keys_out, values, values_out) && are_apart(keys, values_out), name,
            "keys and values overlap");
    const auto require_spare = [&](const auto& one) {
      require_host_target(name, "keys", keys, "spare", one, false);
      require(are_apart(one, values, keys_out, values_out), name, "spare overlaps an operand");
    };
    (require_spare(spare), ...);
    if constexpr (sizeof...(Spare) > 0) require(are_apart(spare...), name, "spares overlap");
    spare_memory<typename Keys::value_type, typename Values::value_type> memory;
    sort_by_runs(how, name, order, std::tuple(read_only(keys), read_only(values)),
                 std::tuple(keys_out, values_out), [&] {
                   if constexpr (sizeof...(Spare) > 0) {
                     return std::tuple(spare...);
                   } else {
                     return memory.views(name, keys.size());
                   }
                 });
  }
}

}  // namespace detail

/// Sorts an operand of the host in place, as sort() on one space, and with its result: chunks pass
/// through the space and become sorted runs in spare memory of the host, then parts of the runs
/// pass through it and are merged.
///
///   tandem::sort(big, samples);
///
/// @param keys   contiguous rank-1 operand of the host, of what sort() on one space takes
/// @param order  sort_order::ascending, the default, or sort_order::descending
/// Errors        argument_error if keys are not contiguous or the budget is too small;
///               out_of_memory_error; those of sort() on one space, whose largest number of keys
///               applies to a chunk. keys then has its elements, in the order that they had or in
///               another one, unless a device fails
/// Complexity    moves each key to the space and back twice, or once if all fit in one chunk.
///               Chunks have a sixteenth of the keys if the budget allows it. Scratch: the bytes of
///               keys once more on the host if there are several chunks; the budget in the space,
///               and what sort() of a chunk takes there
/// Progress      counts each key twice if there are several chunks
/// Waits until the result is there.
template <class Space, viewable Keys>
void sort(const streamed<Space>& how, Keys&& keys, sort_order order = sort_order::ascending) {
  const auto line = as_view(keys);
  detail::sort_streamed(how, line, line, order);
}

/// Sorts an operand of the host in place, with spare memory of the caller, such as a mapped file if
/// keys are one that is larger than the host's memory.
///
/// @param keys, order  as above
/// @param spare        contiguous rank-1 operand of the host of the type and the extent of keys;
///                     overwritten if there are several chunks. It overlaps nothing
/// Errors              as above; extent_error when extents differ
/// Complexity          as above, without scratch on the host
/// Waits until the result is there.
template <class Space, viewable Keys, viewable Spare>
void sort(const streamed<Space>& how, Keys&& keys, sort_order order, Spare&& spare) {
  const auto line = as_view(keys);
  detail::sort_streamed(how, line, line, order, as_view(spare));
}

/// Sorts the elements of an operand of the host into `out` and leaves x unchanged.
///
/// @param x      as keys above
/// @param out    contiguous rank-1 operand of the host of x's type and extent; may be x, but must
///               not overlap it otherwise
/// @param order  as above
/// Errors        as above; extent_error when extents differ. out then has no certain contents
/// Complexity    as above
/// Waits until the result is there.
template <class Space, viewable X, viewable Out>
void sort(const streamed<Space>& how, const X& x, Out&& out,
          sort_order order = sort_order::ascending) {
  detail::sort_streamed(how, as_view(x), as_view(out), order);
}

/// Sorts keys in place, as sort() does, and values along with them.
///
/// @param keys, values  contiguous rank-1 operands of the host; values are trivially copyable
///                      elements of any size
/// @param order         as for sort()
/// Errors               those of sort(); extent_error when extents differ; argument_error when keys
///                      and values overlap
/// Complexity           as for sort(), with values in each step
/// Waits until the result is there.
template <class Space, viewable Keys, viewable Values>
void sort_by_key(const streamed<Space>& how, Keys&& keys, Values&& values,
                 sort_order order = sort_order::ascending) {
  const auto k = as_view(keys);
  const auto v = as_view(values);
  detail::sort_pairs_streamed(how, k, v, k, v, order);
}

/// Sorts keys in place and values along with them, with spare memory of the caller for both.
///
/// @param keys, values, order       as above
/// @param spare_keys, spare_values  as `spare` of sort()
/// Errors                           as above
/// Complexity                       as above, without scratch on the host
/// Waits until the result is there.
template <class Space, viewable Keys, viewable Values, viewable SpareKeys, viewable SpareValues>
void sort_by_key(const streamed<Space>& how, Keys&& keys, Values&& values, sort_order order,
                 SpareKeys&& spare_keys, SpareValues&& spare_values) {
  const auto k = as_view(keys);
  const auto v = as_view(values);
  detail::sort_pairs_streamed(how, k, v, k, v, order, as_view(spare_keys), as_view(spare_values));
}

/// Sorts keys with their values into keys_out and values_out, and leaves the inputs as they are.
///
/// @param keys, values, order   as above
/// @param keys_out, values_out  contiguous rank-1 operands of the host of the inputs' types and
///                              extent; each may be its input
/// Errors                       as above
/// Complexity                   as above
/// Waits until the result is there.
template <class Space, viewable Keys, viewable Values, viewable KeysOut, viewable ValuesOut>
void sort_by_key(const streamed<Space>& how, const Keys& keys, const Values& values,
                 KeysOut&& keys_out, ValuesOut&& values_out,
                 sort_order order = sort_order::ascending) {
  detail::sort_pairs_streamed(how, as_view(keys), as_view(values), as_view(keys_out),
                              as_view(values_out), order);
}

}  // namespace tandem
