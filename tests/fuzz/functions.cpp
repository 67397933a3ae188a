// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of <tandem/core/math.hpp> in kernels: correctly rounded floats, half and bf16
// through float, doubles within the stated bound, and the exact functions.

#include "fuzz/oracles_functions.hpp"
#include "fuzz/oracles_matmul.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

/// Applies function number `which` of oracle::function_names.
template <class T>
TANDEM_FUNCTION T evaluate(int which, T x, T y) {
  switch (which) {
    case 0:
      return tandem::exp(x);
    case 1:
      return tandem::exp2(x);
    case 2:
      return tandem::expm1(x);
    case 3:
      return tandem::log(x);
    case 4:
      return tandem::log2(x);
    case 5:
      return tandem::log10(x);
    case 6:
      return tandem::log1p(x);
    case 7:
      return tandem::sin(x);
    case 8:
      return tandem::cos(x);
    case 9:
      return tandem::tan(x);
    case 10:
      return tandem::asin(x);
    case 11:
      return tandem::acos(x);
    case 12:
      return tandem::atan(x);
    case 13:
      return tandem::sinh(x);
    case 14:
      return tandem::cosh(x);
    case 15:
      return tandem::tanh(x);
    case 16:
      return tandem::cbrt(x);
    case 17:
      return tandem::rsqrt(x);
    case 18:
      return tandem::erf(x);
    case 19:
      return tandem::erfc(x);
    case 20:
      return tandem::pow(x, y);
    case 21:
      return tandem::atan2(x, y);
    case 22:
      return tandem::hypot(x, y);
    case 23:
      return tandem::sincos(x).sin;
    default:
      return tandem::sincos(x).cos;
  }
}

template <class T, class Memory>
struct apply_function {
  view<const T, 1, layout_right, Memory> x;
  view<T, 1, layout_right, Memory> y;
  int which;

  TANDEM_FUNCTION void operator()(index_t i) const { y(i) = evaluate(which, x(i), x(i + 1)); }
};

/// Draws any bits, or values of a few orders of magnitude.
template <class T, class Space>
placed<T, 1, Space> draw_arguments(draw& d, const Space& space, index_t n) {
  const int kind = d.pick("arguments", {"values", "any_bits", "near_one"});
  const auto values = draw_values(d, "values");
  placed<T, 1, Space> x(space, {extents<1>(n), extents<1>(1), guard, n + 2 * guard}, values);
  for (index_t i = 0; kind != 0 && i < n; ++i) {
    const std::uint64_t bits = test::mix(values.seed << 20 ^ static_cast<std::uint64_t>(i));
    const double value =
        std::ldexp(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5, static_cast<int>(bits % 9));
    if (kind == 2) {
      x.initial(i) = static_cast<T>(static_cast<float>(value));
      if constexpr (std::is_same_v<T, double>) x.initial(i) = value;
    } else if constexpr (is_16bit_float<T>) {
      x.initial(i) = T::from_bits(static_cast<std::uint16_t>(bits >> 7));
    } else if constexpr (sizeof(T) == 4) {
      x.initial(i) = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 7));
    } else {
      x.initial(i) = std::bit_cast<double>(test::mix(bits));
    }
  }
  x.expect_unchanged();
  return x;
}

void require_value(int which, float found, float x, float y) {
  const long double value = oracle::exact(which, x, y);
  const oracle::candidates may_be = oracle::rounded(which, value);
  if (!same(found, may_be.low)) require_same(found, may_be.high, "result");
}
void require_value(int which, double found, double x, double y) {
  const long double value = oracle::exact(which, x, y);
  const bool both = oracle::takes_two(which);
  if (std::isnan(value) || value == 0 || std::isinf(x) || (both && std::isinf(y)))
    return require_same(found, static_cast<double>(value), "result");
  if (std::signbit(found) != std::signbit(value) ||
      !(oracle::distance_in_ulp(found, value) < oracle::bound_in_ulp(which)))
    require_same(found, static_cast<double>(value), "result");
}
template <class T>
  requires is_16bit_float<T>
void require_value(int which, T found, T x, T y) {
  const long double value = oracle::exact(which, static_cast<float>(x), static_cast<float>(y));
  const oracle::candidates may_be = oracle::rounded(which, value);
  const auto narrow = [](float v) { return static_cast<float>(oracle::nearest_16bit<T>(v)); };
  const auto result = static_cast<float>(found);
  if (!same(result, narrow(may_be.low))) require_same(result, narrow(may_be.high), "result");
}

template <class T>
struct functions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const auto which = static_cast<int>(
        d.number("function", 0, static_cast<index_t>(std::size(oracle::function_names)) - 1));
    const index_t n = d.number("n", 1, 2000);
    auto x = draw_arguments<T>(d, space, n + 1);
    x.upload(space);
    array<T, 1, Space> y(extents<1>(n), space);
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          parallel_for(s, n,
                       apply_function<T, typename Space::memory_type>{x.packed(), y.view(), which});
        });
    const auto results = to_vector(space, y);
    for (index_t i = 0; i < n; ++i) {
      try {
        require_value(which, results[static_cast<std::size_t>(i)], x(i), x(i + 1));
      } catch (const mismatch& e) {
        throw mismatch(std::string(oracle::function_names[which]) + "(" + shown(x(i)) + ", " +
                       shown(x(i + 1)) + "): " + e.what());
      }
    }
    return true;
  }
};

template <class T>
struct exact_answers {
  T remainder;
  T up;
  T cut;
  T nearest_away;
  T nearest_even;
  T with_sign;
  std::int32_t as_int32;
  std::int64_t as_int64;
  std::uint8_t as_uint8;
};

template <class T, class Memory>
struct compute_exact {
  view<const T, 1, layout_right, Memory> x;
  view<exact_answers<T>, 1, layout_right, Memory> y;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const T a = x(i);
    const T b = x(i + 1);
    y(i) = {tandem::fmod(a, b),
            tandem::ceil(a),
            tandem::trunc(a),
            tandem::round(a),
            tandem::nearbyint(a),
            tandem::copysign(a, b),
            saturate_cast<std::int32_t>(a),
            saturate_cast<std::int64_t>(a),
            saturate_cast<std::uint8_t>(a)};
  }
};

/// Truncates and saturates to the type; NaN becomes 0. Uses 128 bits, which hold every compared
/// value.
template <class Integer, class T>
Integer saturated(T x) {
  if (std::isnan(x)) return 0;
  const double held = std::fmin(std::fmax(static_cast<double>(x), -0x1p100), 0x1p100);
  const auto wide = static_cast<__int128>(held);
  const auto low = static_cast<__int128>(std::numeric_limits<Integer>::min());
  const auto high = static_cast<__int128>(std::numeric_limits<Integer>::max());
  return static_cast<Integer>(wide < low ? low : wide > high ? high : wide);
}

template <class T>
struct exact_functions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.number("n", 1, 3000);
    auto x = draw_arguments<T>(d, space, n + 1);
    x.upload(space);
    array<exact_answers<T>, 1, Space> y(extents<1>(n), space);
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          parallel_for(s, n, compute_exact<T, typename Space::memory_type>{x.packed(), y.view()});
        });
    const auto results = to_vector(space, y);
    for (index_t i = 0; i < n; ++i) require(results[static_cast<std::size_t>(i)], x(i), x(i + 1));
    return true;
  }

 private:
  static void require(const exact_answers<T>& r, T a, T b) {
    const std::string of = " of " + shown(a);
    require_same(r.remainder, std::fmod(a, b), "fmod" + of + " and " + shown(b));
    require_same(r.up, std::ceil(a), "ceil" + of);
    require_same(r.cut, std::trunc(a), "trunc" + of);
    require_same(r.nearest_away, std::round(a), "round" + of);
    require_same(r.nearest_even, std::nearbyint(a), "nearbyint" + of);
    require_same(r.with_sign, std::copysign(a, b), "copysign" + of);
    require_same(r.as_int32, saturated<std::int32_t>(a), "int32" + of);
    require_same(r.as_int64, saturated<std::int64_t>(a), "int64" + of);
    require_same(r.as_uint8, saturated<std::uint8_t>(a), "uint8" + of);
  }
};

const registered all[] = {
    {"functions-float", on_a_space<functions<float>>},
    {"functions-double", on_a_space<functions<double>>},
    {"functions-half", on_a_space<functions<half>>},
    {"functions-bf16", on_a_space<functions<bf16>>},
    {"exact-functions-float", on_a_space<exact_functions<float>>},
    {"exact-functions-double", on_a_space<exact_functions<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
