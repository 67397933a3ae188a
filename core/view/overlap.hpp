// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view.hpp>

#include <cstdint>
#include <type_traits>

/// Which elements two views share, and which ones a view has twice: the same rule for every
/// algorithm, in bytes, so that views of different element types can be compared.
namespace tandem::detail {

/// Throws unless the elements of `v` can be numbered and addressed: no negative extent, a size and
/// element distances that fit 64 bits, and memory.
template <class View>
void require_data(const char* operation, const char* operand, const View& v) {
  constexpr auto size = static_cast<index_t>(sizeof(typename View::value_type));
  bool none = false;
  for (int d = 0; d < View::rank(); ++d) {
    if (v.extent(d) < 0) fail_negative(operation, operand, v.extent(d));
    none |= v.extent(d) == 0;
  }
  if (none) return;
  index_t elements = 1;
  index_t reach = size;
  for (int d = 0; d < View::rank(); ++d) {
    index_t step = v.stride(d);
    bool overflows = __builtin_mul_overflow(elements, v.extent(d), &elements);
    overflows |= __builtin_mul_overflow(step, v.extent(d) - 1, &step);
    overflows |= __builtin_mul_overflow(step, size, &step);
    if (step < 0) overflows |= __builtin_sub_overflow(index_t{0}, step, &step);
    overflows |= __builtin_add_overflow(reach, step, &reach);
    if (overflows) {
      throw extent_error(message({operation, ": ", operand, ": the elements or bytes of ",
                                  v.extent(d), " times the other extents overflow 64 bits"}));
    }
  }
  if (v.data_handle() == nullptr) {
    throw argument_error(
        message({operation, ": ", operand, " has ", elements, " elements but no memory (null)"}));
  }
}

/// Address of a view's first byte in memory, whatever the signs of its strides, and the distance to
/// the beginning of its last element. For views that passed require_data().
struct byte_span {
  std::uintptr_t begin;
  index_t last;
};

template <class View>
byte_span bytes_of(const View& v) {
  constexpr auto size = static_cast<index_t>(sizeof(typename View::value_type));
  byte_span found{reinterpret_cast<std::uintptr_t>(v.data_handle()), 0};
  for (int d = 0; d < View::rank(); ++d) {
    const index_t reach = v.stride(d) * (v.extent(d) - 1) * size;
    if (reach < 0) found.begin += static_cast<std::uintptr_t>(reach);
    found.last += reach < 0 ? -reach : reach;
  }
  return found;
}

/// The sums step[0] * z[0] + step[1] * z[1] + .. for integers 0 <= z[k] <= most[k] and positive
/// steps: the offsets that a view's indices reach.
///
/// Whether such a sum hits an interval is a bounded linear Diophantine problem, NP-hard in general.
/// For the strides of real views, a depth-first search visits a handful of nodes: it takes the
/// largest step first and prunes by the reach and the greatest common divisor of the remaining
/// steps. After node_limit nodes it gives up and answers yes.
class bounded_sums {
 public:
  /// Adds a step; `most` of 0 has no effect, a step of zero repeats each sum.
  void add(index_t step, index_t most);

  /// Whether a sum is in [low, high].
  bool reach(index_t low, index_t high);

  /// Whether two different choices have the same sum.
  bool repeat() const;

 private:
  struct term {
    index_t step;
    index_t most;
    index_t reach;    ///< of this and all later steps together
    index_t divisor;  ///< greatest common divisor of this and all later steps
  };

  static constexpr int node_limit = 1 << 14;

  /// Whether each step is larger than the combined reach of the later ones.
  bool nested() const;

  /// Computes the reach and divisor of each step with the later ones.
  void add_up();

  bool search(int k, index_t low, index_t high, int& nodes) const;

  term terms_[2 * maximum_rank + 1] = {};
  int count_ = 0;
  bool repeats_ = false;  ///< a step of zero or two equal ones
};

/// Adds the distances between the elements of a view, in units of `size`, to `sums`.
template <class View>
void add_steps(const View& v, index_t size, bounded_sums& sums) {
  for (int d = 0; d < View::rank(); ++d)
    sums.add((v.stride(d) < 0 ? -v.stride(d) : v.stride(d)) * size, v.extent(d) - 1);
}

/// Whether two views share a byte. Exact for the strides of real views; if the answer would take
/// too long (bounded_sums), views with intersecting address ranges count as overlapping.
template <class A, class B>
bool overlaps(const A& a, const B& b) {
  if (a.empty() || b.empty()) return false;
  constexpr auto a_size = static_cast<index_t>(sizeof(typename A::value_type));
  constexpr auto b_size = static_cast<index_t>(sizeof(typename B::value_type));
  const byte_span x = bytes_of(a);
  const byte_span y = bytes_of(b);
  const auto between = static_cast<index_t>(y.begin - x.begin);
  if (between >= x.last + a_size || -between >= y.last + b_size) return false;
  // Byte p of an element of a is byte q of one of b if
  //   x.begin + steps of a + p == y.begin + steps of b + q.
  // Counting b's steps down from its last element makes all steps positive.
  bounded_sums sums;
  add_steps(a, a_size, sums);
  add_steps(b, b_size, sums);
  const index_t wanted = between + y.last;
  return sums.reach(wanted - (a_size - 1), wanted + (b_size - 1));
}

/// Whether two indices of a view refer to the same element, which disqualifies it as an output.
template <class View>
bool overlaps_itself(const View& v) {
  if constexpr (std::is_same_v<typename View::layout_type, layout_right> ||
                std::is_same_v<typename View::layout_type, layout_left>) {
    return false;
  } else {
    if (v.size() <= 1) return false;
    bounded_sums sums;
    add_steps(v, 1, sums);
    return sums.repeat();
  }
}

/// Throws argument_error if elements of an output overlap each other.
template <class View>
void require_distinct_elements(const char* operation, const char* operand, const View& v) {
  if (overlaps_itself(v))
    throw argument_error(message({operation, ": ", operand, " overlaps itself"}));
}

/// Whether two views have the same elements in the same order, for operations in place.
template <class A, class B>
bool same_elements(const A& a, const B& b) {
  if constexpr (sizeof(typename A::value_type) != sizeof(typename B::value_type)) return false;
  if (static_cast<const void*>(a.data_handle()) != static_cast<const void*>(b.data_handle()))
    return false;
  for (int d = 0; d < A::rank(); ++d) {
    if (a.extent(d) != b.extent(d)) return false;
    if (a.extent(d) > 1 && a.stride(d) != b.stride(d)) return false;
  }
  return true;
}

}  // namespace tandem::detail
