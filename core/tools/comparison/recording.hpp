// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/copy_problem.hpp>
#include <tandem/core/extents.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tandem {

class half;
class bf16;
template <std::floating_point T>
class complex;
template <class... Element>
struct tuple;
template <class T>
struct value_index;
template <class T>
struct min_max_values;

/// What tandem::compare records: the arrays, the host memory that an operation writes, and its
/// result. If nothing is being compared, each of these reads one word.
namespace detail {

/// A number within an element, as it is compared and printed.
enum class number_kind : unsigned char { bits, boolean, integer, natural, half, bf16, real };
struct element_field {
  std::size_t offset;
  std::size_t bytes;
  number_kind kind;
};

/// The numbers that make up an element; one field of bits if they are not known.
struct element_format {
  static constexpr int most_fields = 8;
  std::size_t bytes = 0;
  int count = 0;
  element_field field[most_fields] = {};

  /// Whether all of the element's numbers are known.
  constexpr bool is_known() const { return count > 0 && field[0].kind != number_kind::bits; }

  /// Adds the fields of a part that begins at `offset`; returns false if the part has unknown ones
  /// or there are too many.
  constexpr bool add(const element_format& part, std::size_t offset) {
    if (!part.is_known() || count + part.count > most_fields) return false;
    for (int i = 0; i < part.count; ++i) {
      field[count] = part.field[i];
      field[count++].offset += offset;
    }
    return true;
  }
};

template <class T>
constexpr number_kind kind_of_number() {
  if constexpr (std::is_same_v<T, bool>) return number_kind::boolean;
  if constexpr (std::is_same_v<T, half>) return number_kind::half;
  if constexpr (std::is_same_v<T, bf16>) return number_kind::bf16;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return number_kind::real;
  if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? number_kind::integer : number_kind::natural;
  return number_kind::bits;
}

/// The parts of an element and their offsets.
template <class T>
struct parts_of {
  static constexpr bool add_to(element_format&) { return false; }
};

template <class T>
constexpr element_format format_of() {
  element_format format;
  format.bytes = sizeof(T);
  if (parts_of<T>::add_to(format)) return format;
  format.count = 1;
  format.field[0] = {0, sizeof(T), kind_of_number<T>()};
  return format;
}

template <class T>
struct two_parts {
  static constexpr bool add_to(element_format& format) {
    return format.add(format_of<T>(), 0) && format.add(format_of<T>(), sizeof(T));
  }
};
template <std::floating_point T>
struct parts_of<complex<T>> : two_parts<T> {};
template <class T>
struct parts_of<min_max_values<T>> : two_parts<T> {};
template <class T>
struct parts_of<value_index<T>> {
  static constexpr bool add_to(element_format& format) {
    return format.add(format_of<T>(), 0) &&
           format.add(format_of<index_t>(), sizeof(value_index<T>) - sizeof(index_t));
  }
};
template <class Last>
struct parts_of<tuple<Last>> {
  static constexpr bool add_to(element_format& format) { return format.add(format_of<Last>(), 0); }
};
template <class First, class... Rest>
struct parts_of<tuple<First, Rest...>> {
  static constexpr bool add_to(element_format& format) {
    constexpr std::size_t align = alignof(tuple<Rest...>);
    return format.add(format_of<First>(), 0) &&
           format.add(format_of<tuple<Rest...>>(), (sizeof(First) + align - 1) / align * align);
  }
};

/// A type-erased space: how the host reads and writes its memory.
struct space_access {
  const void* space;
  const char* name;
  /// Copies between host and device and waits; null if the host can access the space's memory.
  void (*copy)(const void* space, const void* from, void* to, std::size_t bytes, bool to_host);
};

/// Throws before it copies if the space cannot be waited for, for example while it records a graph.
template <class Space>
void copy_bytes(const void* space, const void* from, void* to, std::size_t bytes, bool to_host) {
  copy_problem problem;
  problem.rank = 1;
  problem.extent[0] = static_cast<index_t>(bytes);
  problem.source_stride[0] = problem.destination_stride[0] = 1;
  problem.element_bytes = 1;
  problem.source = from;
  problem.destination = to;
  (to_host ? problem.source_kind : problem.destination_kind) = Space::memory_type::kind;
  static_cast<const Space*>(space)->fence();
  dispatch_copy(*static_cast<const Space*>(space), problem);
  static_cast<const Space*>(space)->fence();
}

template <class Space>
space_access access_of(const Space& space) {
  if constexpr (!requires { Space::name; }) {
    return {&space, "", nullptr};  // a kind of host memory, which runs nothing
  } else if constexpr (Space::memory_type::host_accessible) {
    return {&space, Space::name, nullptr};
  } else {
    return {&space, Space::name, copy_bytes<Space>};
  }
}

/// How many threads record their operations.
extern constinit int recording_threads;
inline bool is_recording() { return __atomic_load_n(&recording_threads, __ATOMIC_RELAXED) != 0; }

/// Registers the memory of a new array. If this thread records, fills it with values that reveal
/// unwritten elements.
void note_array(void* data, index_t count, const element_format& format, const space_access& space);
/// The array is about to be freed.
void forget_array(const void* data) noexcept;

/// Host memory that the operation writes; only its elements are read, when the operation ends.
struct noted_output {
  const void* data;
  element_format format;
  int rank;
  index_t extent[maximum_rank];
  index_t stride[maximum_rank];
};
void note_output(const noted_output& output);
void note_result(const void* value, const element_format& format);

template <class View>
[[gnu::noinline, gnu::cold]] void note_view(const View& v) {
  if constexpr (View::memory_type::host_accessible) {
    noted_output output{
        v.data_handle(), format_of<typename View::value_type>(), View::rank(), {}, {}};
    for (int d = 0; d < View::rank(); ++d) {
      output.extent[d] = v.extent(d);
      output.stride[d] = v.stride(d);
    }
    note_output(output);
  }
}

}  // namespace detail

}  // namespace tandem
