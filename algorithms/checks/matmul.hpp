// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

#include <concepts>
#include <type_traits>

/// What matmul() demands of its operands.
namespace tandem::detail {

/// Elements of c.
template <class T>
concept matmul_element_type =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, half> ||
    std::same_as<T, bf16> || std::same_as<T, std::int32_t>;

/// Elements of a and b that matmul multiplies into a c of elements T.
template <class In, class T>
concept multiplies_into =
    (std::same_as<In, T> && !std::same_as<T, std::int32_t>) ||
    (std::same_as<T, float> && (std::same_as<In, half> || std::same_as<In, bf16>)) ||
    (std::same_as<T, std::int32_t> && std::same_as<In, std::int8_t>);

/// Operands whose elements go with those of c.
template <class A, class B, class C>
concept elements_fit_c = std::same_as<typename A::value_type, typename B::value_type> &&
                         multiplies_into<typename A::value_type, typename C::value_type>;

/// A function object that matmul can call on its finished elements.
template <class Function, class T>
concept finishes_elements = std::is_invocable_v<const Function&, T> ||
                            std::is_invocable_v<const Function&, index_t, index_t, T>;

/// A matrix, or a batch of matrices where the result is one too.
template <class A, class C>
concept matrices_for = (A::rank() == 2 || A::rank() == 3) && A::rank() <= C::rank();

/// Throws unless the shapes fit each other.
template <class A, class B, class C>
void require_matmul_shapes(const A& a, const B& b, const C& c) {
  // The last two dimensions are the matrix.
  constexpr int ra = A::rank() - 2;
  constexpr int rb = B::rank() - 2;
  constexpr int rc = C::rank() - 2;
  require_equal("matmul", "columns of a", a.extent(ra + 1), "rows of b", b.extent(rb));
  require_equal("matmul", "rows of c", c.extent(rc), "rows of a", a.extent(ra));
  require_equal("matmul", "columns of c", c.extent(rc + 1), "columns of b", b.extent(rb + 1));
  if constexpr (ra == 1)
    require_equal("matmul", "matrices of a", a.extent(0), "matrices of c", c.extent(0));
  if constexpr (rb == 1)
    require_equal("matmul", "matrices of b", b.extent(0), "matrices of c", c.extent(0));
}

/// Whether two indices along `first` and `second` name the same element, which makes a view useless
/// as an output.
template <class View>
bool repeats_elements(const View& v, int first, int second) {
  index_t s = v.stride(first) < 0 ? -v.stride(first) : v.stride(first);
  index_t t = v.stride(second) < 0 ? -v.stride(second) : v.stride(second);
  const index_t step_first = t;
  const index_t step_second = s;
  while (t != 0) {
    const index_t rest = s % t;
    s = t;
    t = rest;
  }
  if (s == 0) return v.size() > 1;
  // The smallest steps with i * stride(first) == j * stride(second), s being the greatest common
  // divisor.
  return step_first / s < v.extent(first) && step_second / s < v.extent(second);
}

/// Throws unless the elements of c are distinct, dimension against dimension.
template <class View>
void require_distinct_elements(const View& c) {
  if (c.empty()) return;
  for (int d = 1; d < View::rank(); ++d) {
    for (int e = 0; e < d; ++e) require(!repeats_elements(c, e, d), "matmul", "c overlaps itself");
  }
}

/// The dimensions of two views that step through memory alike, largest stride first.
struct common_steps {
  struct step {
    index_t stride;
    index_t lowest;  ///< of the differences between an index of one view and one of the other
    index_t highest;
  };
  step steps[maximum_rank];
  int count = 0;

  void insert(const step& added) {
    int at = count++;
    for (; at > 0 && steps[at - 1].stride < added.stride; --at) steps[at] = steps[at - 1];
    steps[at] = added;
  }

  /// Whether each stride is larger than what the ones after it can reach together.
  bool nested() const {
    index_t reach = 0;
    for (int d = count - 1; d >= 0; --d) {
      if (steps[d].stride <= reach) return false;
      reach += steps[d].stride * tandem::max(steps[d].highest, -steps[d].lowest);
    }
    return true;
  }

  /// Whether indices from dimension `d` on differ such that sum(stride * difference) == distance.
  /// Strides being nested, only two multiples of the largest come near enough.
  bool can_meet(index_t distance, int d = 0) const {
    if (d >= count || d >= maximum_rank) return distance == 0;
    const step& s = steps[d];
    const index_t below = distance / s.stride - (distance % s.stride < 0);
    for (index_t difference = below; difference <= below + 1; ++difference) {
      if (difference < s.lowest || difference > s.highest) continue;
      if (can_meet(distance - difference * s.stride, d + 1)) return true;
    }
    return false;
  }
};

/// Finds the common steps of two views; false where their strides differ.
template <class A, class C>
bool find_common_steps(const A& a, const C& c, common_steps& found) {
  if constexpr (A::rank() != C::rank()) {
    return false;
  } else {
    for (int d = 0; d < A::rank(); ++d) {
      if (a.extent(d) == 1 && c.extent(d) == 1) continue;
      const index_t stride = a.extent(d) == 1 ? c.stride(d) : a.stride(d);
      if (stride <= 0 || (c.extent(d) > 1 && c.stride(d) != stride)) return false;
      found.insert({stride, 1 - c.extent(d), a.extent(d) - 1});
    }
    return found.nested();
  }
}

/// Whether an input and the output share an element. Exact for parts of one larger array, such as
/// the blocks of a matrix, whose address ranges intersect; otherwise as overlaps().
template <class A, class C>
bool shares_elements(const A& a, const C& c) {
  if (!overlaps(a, c)) return false;
  common_steps steps;
  if (!find_common_steps(a, c, steps)) return true;
  const auto bytes = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(c.data_handle()) -
                                          reinterpret_cast<std::uintptr_t>(a.data_handle()));
  constexpr auto size = static_cast<index_t>(sizeof(typename C::value_type));
  return bytes % size != 0 || steps.can_meet(bytes / size);
}

/// Throws unless the epilogue fits c. The bias is read while c is written.
template <class Space, class C, class Epilogue>
void require_epilogue(const Space& space, const C& c, const Epilogue& epilogue) {
  require(
      epilogue.activation != matmul_activation::gelu || !std::is_integral_v<typename C::value_type>,
      "matmul", "gelu of integers");
  if (!epilogue.bias) return;
  require_equal("matmul", "elements of bias", epilogue.bias->extent(0), "columns of c",
                c.extent(C::rank() - 1));
  require_operand(space, "matmul", "bias", *epilogue.bias);
  require(!overlaps(*epilogue.bias, c), "matmul", "c overlaps the bias");
}

}  // namespace tandem::detail
