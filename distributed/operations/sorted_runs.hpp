// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/sort.hpp>
#include <tandem/core/array.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// Keys with or without values in memory of a space: sorted runs, and merges of any number of them.
namespace tandem::detail {

/// Memory for keys, and for values unless V is void.
template <class Space, class T, class V>
class keyed_array {
 public:
  keyed_array(index_t size, const Space& space)
      : keys_(extents<1>(size), space), values_(extents<1>(std::is_void_v<V> ? 0 : size), space) {}

  keyed_line<T, V> line() {
    if constexpr (std::is_void_v<V>) {
      return {keys_.data_handle()};
    } else {
      return {keys_.data_handle(), values_.data_handle()};
    }
  }

 private:
  using value = std::conditional_t<std::is_void_v<V>, char, V>;
  array<T, 1, Space> keys_;
  array<value, 1, Space> values_;
};

template <class V>
inline constexpr std::size_t value_bytes = sizeof(V);
template <>
inline constexpr std::size_t value_bytes<void> = 0;

/// The elements from number `first` on.
template <class T, class V>
keyed_line<T, V> elements_from(const keyed_line<T, V>& line, index_t first) {
  if constexpr (std::is_void_v<V>) {
    return {line.keys + first};
  } else {
    return {line.keys + first, line.values + first};
  }
}

/// Elements in memory of a space as a view.
template <class Space, class T>
auto line_view(T* data, index_t size) {
  return view<T, 1, layout_right, typename Space::memory_type>(data, extents<1>(size));
}

/// Sorts on one space, to `to`, which may be `from`.
template <class Space, class T, class V>
void sort_line(const Space& space, const keyed_line<T, V>& from, const keyed_line<T, V>& to,
               index_t size, sort_order order) {
  const auto keys = line_view<Space, const T>(from.keys, size);
  if constexpr (std::is_void_v<V>) {
    tandem::sort(space, keys, line_view<Space>(to.keys, size), order);
  } else {
    tandem::sort_by_key(space, keys, line_view<Space, const V>(from.values, size),
                        line_view<Space>(to.keys, size), line_view<Space>(to.values, size), order);
  }
}

/// Merges runs, neighbours in each pass, in ceil(log2(runs.size())) passes. The first pass writes
/// to `first`, the next one to `second`, and so on in turn, but the last one to `out` if there is
/// one. The runs may be in `second`; there is at least one. Returns where the result is. Allocates
/// nothing.
template <class Space, class T, class V>
keyed_line<T, V> merge_runs_to(const Space& space, const char* name,
                               std::vector<merge_input<keyed_line<T, V>>>& runs,
                               keyed_line<T, V> first, keyed_line<T, V> second, sort_order order,
                               const std::optional<keyed_line<T, V>>& out = {}) {
  if (runs.size() == 1 && !out) return runs[0].line;
  do {
    const keyed_line<T, V> to = runs.size() <= 2 && out ? *out : first;
    index_t at = 0;
    for (std::size_t left = 0; left < runs.size(); left += 2) {
      const auto a = runs[left];
      const auto b =
          left + 1 < runs.size() ? runs[left + 1] : merge_input<keyed_line<T, V>>{a.line, 0};
      runs[left / 2] = {elements_from(to, at), a.size + b.size};
      merge_sorted(space, name, a, b, runs[left / 2].line, order);
      at += a.size + b.size;
    }
    runs.resize((runs.size() + 1) / 2, runs[0]);
    std::swap(first, second);
  } while (runs.size() > 1);
  return runs[0].line;
}

}  // namespace tandem::detail
