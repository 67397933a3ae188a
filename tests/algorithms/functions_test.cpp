// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of <tandem/core/math.hpp> have equal bits on every backend: those of a hash
// recorded on one of them.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// Folds the results of all functions for one input into 64 bits; all NaNs count as equal.
template <class T>
class folded {
 public:
  TANDEM_FUNCTION constexpr void add(T value) {
    std::uint64_t bits = 0x7ff8;
    if constexpr (sizeof(T) == 4) {
      if (!tandem::is_nan(value)) bits = __builtin_bit_cast(std::uint32_t, value);
    } else {
      if (!tandem::is_nan(value)) bits = __builtin_bit_cast(std::uint64_t, value);
    }
    bits_ = (bits_ ^ bits) * 0x9e3779b97f4a7c15u;
    bits_ ^= bits_ >> 29;
  }
  TANDEM_FUNCTION constexpr std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

template <class T>
TANDEM_FUNCTION std::uint64_t all_functions(T x, T y) {
  folded<T> all;
  all.add(tandem::exp(x));
  all.add(tandem::exp2(x));
  all.add(tandem::expm1(x));
  all.add(tandem::log(x));
  all.add(tandem::log2(x));
  all.add(tandem::log10(x));
  all.add(tandem::log1p(x));
  const auto [sine, cosine] = tandem::sincos(x);
  all.add(sine);
  all.add(cosine);
  all.add(tandem::tan(x));
  all.add(tandem::asin(x));
  all.add(tandem::acos(x));
  all.add(tandem::atan(x));
  all.add(tandem::atan2(x, y));
  all.add(tandem::sinh(x));
  all.add(tandem::cosh(x));
  all.add(tandem::tanh(x));
  all.add(tandem::cbrt(x));
  all.add(tandem::rsqrt(x));
  all.add(tandem::hypot(x, y));
  all.add(tandem::erf(x));
  all.add(tandem::erfc(x));
  all.add(tandem::pow(tandem::abs(x), y));
  all.add(tandem::fmod(x, y));
  all.add(tandem::ceil(x));
  all.add(tandem::trunc(x));
  all.add(tandem::round(x));
  // The exclusive or keeps g++ 12 from turning this into trunc(x), whose zeros have signs.
  all.add(static_cast<T>(tandem::saturate_cast<std::int16_t>(x) ^ 1));
  return all.bits();
}

/// Random inputs: half of them within 13 binades, half with any bits, including NaN and infinities.
template <class T, class Bits>
std::vector<T> inputs(std::uint64_t seed) {
  std::vector<T> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = static_cast<Bits>(mix(mix(seed) ^ i));
    values[i] = i % 2 == 0 ? random_value<T>(seed, i) : __builtin_bit_cast(T, bits);
  }
  return values;
}

template <class T, class Bits, class Space>
std::uint64_t hash_of_functions(const Space& space) {
  auto x = to_space(space, inputs<T, Bits>(1));
  auto y = to_space(space, inputs<T, Bits>(2));
  tandem::array<std::uint64_t, 1, Space> folds(tandem::extents<1>(x.size()), space);
  tandem::transform(
      space, x.view(), y.view(), folds.view(),
      TANDEM_LAMBDA(T a, T b) { return all_functions(a, b); });
  return hash_of(to_host(space, folds));
}

}  // namespace

TEST_CASE_TEMPLATE("math: equal bits on every backend", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_functions<float, std::uint32_t>(space) == 9283280256445877729u);
  CHECK(hash_of_functions<double, std::uint64_t>(space) == 15735880873876134931u);
}
