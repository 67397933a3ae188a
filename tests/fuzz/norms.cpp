// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// asum, nrm_inf and norm2 of views of any rank and strides.

#include <cmath>

#include "fuzz/oracles.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;

/// |x| in the type of the sum: floats for 16 bits, unsigned 64-bit integers for integers.
template <class T>
auto magnitude(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<std::uint64_t>(x);
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = static_cast<std::uint64_t>(x);
    return x < 0 ? std::uint64_t{0} - wide : wide;
  } else if constexpr (is_16bit_float<T>) {
    return std::fabs(static_cast<float>(x));
  } else {
    return std::fabs(x);
  }
}

template <class Magnitude>
void require_sum_and_maximum(const std::vector<Magnitude>& terms, Magnitude sum, Magnitude peak) {
  if (terms.empty()) {
    require_same(sum, Magnitude{0}, "asum");
    require_same(peak, Magnitude{0}, "nrm_inf");
  } else {
    require_same(sum, oracle::reduce(terms, oracle::plus<Magnitude>), "asum");
    require_same(peak, oracle::reduce(terms, oracle::larger<Magnitude>), "nrm_inf");
  }
}

/// Computes the canonical sum of squares in double, and its root in the type of the result.
template <class Result, class T>
Result root_of_squares(const std::vector<T>& x) {
  std::vector<double> squares;
  for (const T& value : x) {
    const auto wide = static_cast<double>(value);
    squares.push_back(wide * wide);
  }
  if (squares.empty()) return 0;
  return static_cast<Result>(std::sqrt(oracle::reduce(squares, oracle::plus<double>)));
}

/// For doubles, only accuracy is promised if squares overflow or underflow. A long double has room
/// for the squares and more digits than the bound needs.
void require_norm_of_doubles(const std::vector<double>& x, double found) {
  long double sum = 0;
  for (const double value : x) sum += static_cast<long double>(value) * value;
  const long double exact = std::sqrt(sum);
  if (!std::isfinite(exact)) return require_same(found, static_cast<double>(exact), "norm2");
  const auto count = static_cast<long double>(x.size());
  const long double roundings = 32 + 8 + std::log2(count + 1);
  const long double bound = roundings * 0x1p-53L * exact + 0x1p-1074L;
  const long double limit = 0x1p1024L;
  const long double value = std::isinf(found) ? limit : static_cast<long double>(found);
  if (std::isinf(found) && exact + bound >= limit * (1 - 0x1p-54L)) return;
  if (!(std::fabs(value - exact) <= bound))
    throw mismatch("norm2 is " + shown(found) + ", not " + shown(static_cast<double>(exact)));
}

template <class T, int Rank>
struct norms {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    extents<Rank> sizes;
    index_t left = most;
    for (int k = Rank - 1; k >= 0; --k) {
      sizes[k] = d.size("extent" + std::to_string(k), left, sizeof(T));
      left /= std::max<index_t>(sizes[k], 1);
    }
    placed<T, Rank, Space> x(space, draw_placement(d, "x", sizes, false), draw_values(d, "values"));
    if constexpr (std::is_same_v<T, double>) scale(d, x);
    x.upload(space);
    const std::vector<T> elements = x.elements();
    std::vector<decltype(magnitude(T{}))> terms;
    for (const T& value : elements) terms.push_back(magnitude(value));
    with_view(x, [&](const auto& v) {
      require_sum_and_maximum(terms, asum(space, v), nrm_inf(space, v));
      const auto root = norm2(space, v);
      if constexpr (std::is_same_v<T, double>) {
        require_norm_of_doubles(elements, root);
      } else {
        require_same(root, root_of_squares<std::remove_const_t<decltype(root)>>(elements), "norm2");
      }
    });
    return true;
  }

 private:
  /// Multiplies the elements by a power of two, some of them by a different one.
  template <class Operand>
  static void scale(draw& d, Operand& x) {
    const int power = static_cast<int>(d.number("power", 0, 2000)) - 1000;
    const int other = static_cast<int>(d.number("other", 0, 60));
    std::vector<bool> seen(static_cast<std::size_t>(x.expected_buffer().size()));
    for (index_t i = 0; i < x.size(); ++i) {
      if (seen[static_cast<std::size_t>(x.place(i))]) continue;
      seen[static_cast<std::size_t>(x.place(i))] = true;
      x.initial(i) = std::ldexp(x(i), i % 3 == 0 ? power - other : power);
    }
    x.expect_unchanged();
  }
};

const registered all[] = {
    {"norms-float", on_a_space<norms<float, 1>>},
    {"norms-double", on_a_space<norms<double, 1>>},
    {"norms-plane", on_a_space<norms<double, 2>>},
    {"norms-half", on_a_space<norms<half, 2>>},
    {"norms-int32", on_a_space<norms<std::int32_t, 1>>},
    {"norms-int8", on_a_space<norms<std::int8_t, 3>>},
    {"norms-uint64", on_a_space<norms<std::uint64_t, 1>>},
};

}  // namespace
}  // namespace tandem::fuzz
