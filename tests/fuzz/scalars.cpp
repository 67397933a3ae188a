// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of one number that kernels use, at bit patterns of every kind.

#include "fuzz/oracles_matmul.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

/// The bits of the results for one pair of inputs.
struct answers {
  std::uint16_t as_half;
  std::uint16_t as_bf16;
  std::int32_t as_integer;
  float smaller;
  float larger;
  float magnitude;
  float root;
  float nearest;
  float below;
  float fused;
  float from_half;
  float from_bf16;
};

template <class Memory>
struct compute {
  view<const float, 1, layout_right, Memory> x;
  view<answers, 1, layout_right, Memory> y;

  TANDEM_FUNCTION void operator()(int i) const {
    const float a = x(i);
    const float b = x(i == 0 ? 0 : i - 1);
    answers r{};
    r.as_half = half(a).bits();
    r.as_bf16 = bf16(a).bits();
    r.as_integer = to_int32(a);
    r.smaller = tandem::min(a, b);
    r.larger = tandem::max(a, b);
    r.magnitude = tandem::abs(a);
    r.root = tandem::sqrt(a);
    r.nearest = tandem::rint(a);
    r.below = tandem::floor(a);
    r.fused = tandem::fma(a, b, a);
    const auto bits = static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, a) >> 5);
    r.from_half = float{half::from_bits(bits)};
    r.from_bf16 = float{bf16::from_bits(bits)};
    y(i) = r;
  }
};

/// Decodes a 16-bit IEEE format from the definition of its fields.
double decoded(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double value = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    value = fraction == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    value = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

void require_16bit(double found, double expected, const char* what) {
  const auto narrow = static_cast<float>(found);
  require_same(narrow, static_cast<float>(expected), what);
}

void require_answers(const answers& r, float a, float b) {
  require_16bit(decoded(r.as_half, 5), oracle::nearest_16bit<half>(a), "half");
  require_16bit(decoded(r.as_bf16, 8), oracle::nearest_16bit<bf16>(a), "bf16");
  const double cut = std::trunc(std::fmin(std::fmax(a, -2147483648.0), 2147483647.0));
  require_same(r.as_integer, std::isnan(a) ? 0 : static_cast<std::int32_t>(cut), "to_int32");
  require_same(r.smaller, oracle::smaller(a, b), "min");
  require_same(r.larger, oracle::larger(a, b), "max");
  require_same(r.magnitude, std::fabs(a), "abs");
  require_same(r.root, std::sqrt(a), "sqrt");
  require_same(r.nearest, std::nearbyint(a), "rint");
  require_same(r.below, std::floor(a), "floor");
  require_same(r.fused, std::fma(a, b, a), "fma");
  const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(a) >> 5);
  require_16bit(static_cast<double>(r.from_half), decoded(bits, 5), "float of a half");
  require_16bit(static_cast<double>(r.from_bf16), decoded(bits, 8), "float of a bf16");
}

struct scalars {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto n = static_cast<int>(d.number("n", 1, 3000));
    const bool any_bits = d.one_in("any_bits", 2);
    const placement<1> at{extents<1>(n), extents<1>(1), guard, n + 2 * guard};
    const auto values = draw_values(d, "values");
    placed<float, 1, Space> x(space, at, values);
    for (index_t i = 0; any_bits && i < n; ++i) {
      const std::uint64_t bits = test::mix(values.seed ^ static_cast<std::uint64_t>(i));
      x.initial(i) = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 7));
    }
    x.upload(space);
    array<answers, 1, Space> y(extents<1>(n), space);
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          parallel_for(s, n, compute<memory>{x.packed(), y.view()});
        });
    std::vector<answers> results(static_cast<std::size_t>(n));
    copy(space, y, results);
    space.fence();
    for (index_t i = 0; i < n; ++i)
      require_answers(results[static_cast<std::size_t>(i)], x(i), x(i == 0 ? 0 : i - 1));
    return true;
  }
};

const registered all[] = {{"scalars", on_a_space<scalars>}};

}  // namespace
}  // namespace tandem::fuzz
