// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math.hpp>
#include <tandem/core/numbers/half.hpp>
#include <tandem/core/reducers/concept.hpp>
#include <tandem/core/tuple.hpp>

#include <concepts>
#include <limits>
#include <type_traits>

namespace tandem {

/// Sum of the terms. Integers wrap around; floating-point sums have the fixed reduction order.
/// Without terms: T{}.
///
/// sum{}, without a type, adds in the type of the terms, integers in 64 bits. T may be bool
/// (whether any term is true), half or bf16 (an addition of floats, rounded each time) and any type
/// with + whose T{} is zero, such as a complex number. If it consists of floating point it also
/// needs a unary minus, for identity().
template <class T = void>
struct sum : plain_reducer<T> {
  TANDEM_FUNCTION constexpr T combine(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      using Bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
    } else {
      return static_cast<T>(a + b);
    }
  }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  /// -T{} if T consists of floating point: x + -0.0 is x for every x, whereas x + +0.0 is not for
  /// x = -0.0.
  TANDEM_FUNCTION constexpr T identity() const {
    if constexpr (!std::is_integral_v<T> && requires(const T& zero) { static_cast<T>(-zero); }) {
      return static_cast<T>(-T{});
    } else {
      return T{};
    }
  }
  TANDEM_FUNCTION constexpr T empty() const { return T{}; }
};
template <>
struct sum<void> : detail::deduced_reducer<sum, true> {};

/// Product of the terms. Integers wrap around. Without terms: 1. product{} multiplies in the type
/// of the terms, integers in 64 bits.
template <class T = void>
struct product : plain_reducer<T> {
  TANDEM_FUNCTION constexpr T combine(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      using Bits = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      return static_cast<T>(static_cast<Bits>(a) * static_cast<Bits>(b));
    } else {
      return static_cast<T>(a * b);
    }
  }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr T identity() const { return T{1}; }
  TANDEM_FUNCTION constexpr T empty() const { return T{1}; }
};
template <>
struct product<void> : detail::deduced_reducer<product, true> {};

namespace detail {

template <class T>
consteval T limit_of(bool highest) {
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized,
                "tandem: a minimum or maximum of this type has no identity: specialise "
                "std::numeric_limits for it, or name a reduction{operation, identity}");
  if constexpr (limits::has_infinity)
    return highest ? limits::infinity() : static_cast<T>(-limits::infinity());
  return highest ? limits::max() : limits::lowest();
}

/// +infinity, or the largest value of a type without one; -infinity, or the lowest. Constants,
/// because device code may use the value of a host function but not call it.
template <class T>
inline constexpr T above_all = limit_of<T>(true);
template <class T>
inline constexpr T below_all = limit_of<T>(false);

}  // namespace detail

/// Smallest term; NaN if any term is NaN, as in numpy.min. Without terms: +infinity, or the type's
/// largest value. minimum{} takes the type of the terms.
template <class T = void>
struct minimum : plain_reducer<T> {
  TANDEM_FUNCTION constexpr T combine(T a, T b) const { return tandem::min(a, b); }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr T identity() const { return detail::above_all<T>; }
  TANDEM_FUNCTION constexpr T empty() const { return identity(); }
};
template <>
struct minimum<void> : detail::deduced_reducer<minimum> {};

/// Largest term; NaN if any term is NaN, as in numpy.max. Without terms: -infinity, or the type's
/// lowest value. maximum{} takes the type of the terms.
template <class T = void>
struct maximum : plain_reducer<T> {
  TANDEM_FUNCTION constexpr T combine(T a, T b) const { return tandem::max(a, b); }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr T identity() const { return detail::below_all<T>; }
  TANDEM_FUNCTION constexpr T empty() const { return identity(); }
};
template <>
struct maximum<void> : detail::deduced_reducer<maximum> {};

/// A term and its flat (row-major) index; index -1 if there are no terms.
template <class T>
struct value_index {
  T value;
  index_t index;
};

namespace detail {

/// Reducers that find the position of an extreme. Among equal terms the smallest index wins; a NaN
/// wins over every number, and the first NaN over the others, as in numpy.argmin. Exact, so the
/// order of combining cannot show.
template <class T, bool Largest>
struct extreme_at {
  using accumulator = value_index<T>;
  using result = value_index<T>;
  static constexpr bool commutative = true;

  template <castable_term<T> Term>
  TANDEM_FUNCTION constexpr value_index<T> lift(Term term, index_t i) const {
    return {static_cast<T>(term), i};
  }
  TANDEM_FUNCTION constexpr value_index<T> combine(value_index<T> a, value_index<T> b) const {
    return second_wins(a, b) ? b : a;
  }
  TANDEM_FUNCTION constexpr value_index<T> identity() const {
    return {Largest ? below_all<T> : above_all<T>, above_all<index_t>};
  }
  TANDEM_FUNCTION constexpr value_index<T> finish(value_index<T> a) const { return a; }
  TANDEM_FUNCTION constexpr value_index<T> empty() const { return {identity().value, -1}; }

 private:
  TANDEM_FUNCTION static constexpr bool second_wins(value_index<T> a, value_index<T> b) {
    if constexpr (on_device) {
      // Branch-free: each step is one comparison, predicated by the previous one.
      const bool earlier = b.index < a.index;
      const bool better = Largest ? a.value < b.value : b.value < a.value;
      const bool over_nan = bool(int(a.value == a.value) | int(earlier));
      return bool(int(better) | (int(a.value == b.value) & int(earlier)) |
                  (int(is_nan(b.value)) & int(over_nan)));
    } else {
      const bool a_nan = is_nan(a.value);
      const bool b_nan = is_nan(b.value);
      if (a_nan || b_nan) return b_nan && (!a_nan || b.index < a.index);
      const bool better = Largest ? a.value < b.value : b.value < a.value;
      return better || (a.value == b.value && b.index < a.index);
    }
  }
};

}  // namespace detail

/// Smallest term and its index: {value, index}. Ties go to the smallest index; the first NaN wins
/// over everything. minloc{} takes the type of the terms.
template <class T = void>
struct minloc : detail::extreme_at<T, false> {};
template <>
struct minloc<void> : detail::deduced_reducer<minloc> {};

/// Largest term and its index: {value, index}. Ties go to the smallest index; the first NaN wins
/// over everything. maxloc{} takes the type of the terms.
template <class T = void>
struct maxloc : detail::extreme_at<T, true> {};
template <>
struct maxloc<void> : detail::deduced_reducer<maxloc> {};

/// Smallest and largest of the terms.
template <class T>
struct min_max_values {
  T minimum;
  T maximum;
};

/// Smallest and largest term in one pass; both NaN if any term is NaN. minmax{} takes the type of
/// the terms.
template <class T = void>
struct minmax {
  using accumulator = min_max_values<T>;
  using result = min_max_values<T>;
  static constexpr bool commutative = true;

  template <detail::castable_term<T> Term>
  TANDEM_FUNCTION constexpr min_max_values<T> lift(Term term, index_t) const {
    return {static_cast<T>(term), static_cast<T>(term)};
  }
  TANDEM_FUNCTION constexpr min_max_values<T> combine(min_max_values<T> a,
                                                      min_max_values<T> b) const {
    return {tandem::min(a.minimum, b.minimum), tandem::max(a.maximum, b.maximum)};
  }
  TANDEM_FUNCTION constexpr min_max_values<T> identity() const {
    return {detail::above_all<T>, detail::below_all<T>};
  }
  TANDEM_FUNCTION constexpr min_max_values<T> finish(min_max_values<T> a) const { return a; }
  TANDEM_FUNCTION constexpr min_max_values<T> empty() const { return identity(); }
};
template <>
struct minmax<void> : detail::deduced_reducer<minmax> {};

/// Whether every term is true. Without terms: true.
struct logical_and : plain_reducer<bool> {
  TANDEM_FUNCTION constexpr bool combine(bool a, bool b) const { return a && b; }
  TANDEM_FUNCTION constexpr bool operator()(bool a, bool b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr bool identity() const { return true; }
  TANDEM_FUNCTION constexpr bool empty() const { return true; }
};

/// Whether any term is true. Without terms: false.
struct logical_or : plain_reducer<bool> {
  TANDEM_FUNCTION constexpr bool combine(bool a, bool b) const { return a || b; }
  TANDEM_FUNCTION constexpr bool operator()(bool a, bool b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr bool identity() const { return false; }
  TANDEM_FUNCTION constexpr bool empty() const { return false; }
};

/// Bits that all terms have. Without terms: all bits. bitwise_and{} takes the type of the terms.
template <class T = void>
struct bitwise_and : plain_reducer<T> {
  static_assert(std::is_integral_v<T>, "tandem: bitwise operations are for integers");

  TANDEM_FUNCTION constexpr T combine(T a, T b) const { return static_cast<T>(a & b); }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr T identity() const { return static_cast<T>(~T{}); }
  TANDEM_FUNCTION constexpr T empty() const { return identity(); }
};
template <>
struct bitwise_and<void> : detail::deduced_reducer<bitwise_and> {};

/// Bits that any term has. Without terms: none. bitwise_or{} takes the type of the terms.
template <class T = void>
struct bitwise_or : plain_reducer<T> {
  static_assert(std::is_integral_v<T>, "tandem: bitwise operations are for integers");

  TANDEM_FUNCTION constexpr T combine(T a, T b) const { return static_cast<T>(a | b); }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr T identity() const { return T{}; }
  TANDEM_FUNCTION constexpr T empty() const { return T{}; }
};
template <>
struct bitwise_or<void> : detail::deduced_reducer<bitwise_or> {};

/// A reducer made of the caller's operation and its exact identity. It counts as not commutative,
/// so terms are combined in order (the ordered shape), unless `Commutative` is set. The identity is
/// no initial value: it may be combined any number of times. with_initial() adds one.
template <class T, class Operation, bool Commutative = false>
struct reduction {
  using accumulator = T;
  using result = T;
  static constexpr bool commutative = Commutative;

  Operation operation;  ///< operation(earlier, later)
  T neutral;            ///< operation(x, neutral) and operation(neutral, x) are x, bit for bit

  template <class Term>
  TANDEM_FUNCTION constexpr T lift(Term term, index_t) const {
    return static_cast<T>(term);
  }
  TANDEM_FUNCTION constexpr T combine(T a, T b) const {
    if constexpr (detail::is_16bit_float<T>) {
      return detail::as_stored<T>(operation(a, b));
    } else {
      return operation(a, b);
    }
  }
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const { return combine(a, b); }
  TANDEM_FUNCTION constexpr T identity() const { return neutral; }
  TANDEM_FUNCTION constexpr T finish(T a) const { return a; }
  TANDEM_FUNCTION constexpr T empty() const { return neutral; }
};

template <class T, class Operation>
reduction(Operation, T) -> reduction<T, Operation>;

namespace detail {

struct no_identity {};

}  // namespace detail

/// Says what reduction{operation} lacks, and stands for a sum after that, so that a compiler says
/// nothing else.
template <class Operation>
struct reduction<detail::no_identity, Operation> {
  static_assert(sizeof(Operation) == 0,
                "tandem: reduction{operation, identity}: the identity is missing, the value that "
                "changes no other one: 0.0f for a sum, 1.0f for a product");

  Operation operation;

  template <class Term>
  static constexpr sum<Term> for_terms() {
    return {};
  }
  template <class T>
  static constexpr sum<T> for_elements() {
    return {};
  }
};

template <class Operation>
reduction(Operation) -> reduction<detail::no_identity, Operation>;

/// Marks an operation as commutative: commutative_reduction(op, identity) uses the faster,
/// unordered shape.
template <class T, class Operation>
constexpr reduction<T, Operation, true> commutative_reduction(Operation operation, T identity) {
  return {operation, identity};
}
template <class Operation>
constexpr reduction<detail::no_identity, Operation> commutative_reduction(Operation operation) {
  return {operation};
}

/// Reducers for which any order of combining gives the same bits, so that a backend may choose the
/// fastest. These are sums, products and extremes of integers, bitwise and logical reducers, minloc
/// and maxloc, and combinations of them.
template <class R>
inline constexpr bool order_free = false;
template <std::integral T>
inline constexpr bool order_free<sum<T>> = true;
template <std::integral T>
inline constexpr bool order_free<product<T>> = true;
template <std::integral T>
inline constexpr bool order_free<minimum<T>> = true;
template <std::integral T>
inline constexpr bool order_free<maximum<T>> = true;
template <class T>
inline constexpr bool order_free<bitwise_and<T>> = true;
template <class T>
inline constexpr bool order_free<bitwise_or<T>> = true;
template <>
inline constexpr bool order_free<logical_and> = true;
template <>
inline constexpr bool order_free<logical_or> = true;
template <class T>
inline constexpr bool order_free<minloc<T>> = true;
template <class T>
inline constexpr bool order_free<maxloc<T>> = true;

}  // namespace tandem
