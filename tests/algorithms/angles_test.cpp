// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over one function of angles each, which g++ vectorises if the file is compiled for AVX2 or
// AVX-512 (tests/math/math.cmake): small angles in vectors, large ones by a call.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace tandem::test;

namespace {

/// Angles of both signs in random order: most are below 2^20. Every 16th has random bits, which
/// makes half of those large and some NaN or infinite.
std::vector<double> angles() {
  std::vector<double> values(20003);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = mix(mix(7) ^ i);
    values[i] = bits % 16 == 0 ? __builtin_bit_cast(double, mix(bits))
                               : static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-58;
  }
  return values;
}

/// Hashes f(x) over all angles; all NaNs count as equal.
template <class Space, class F>
std::uint64_t hash_of_values(const Space& space, F f) {
  auto x = to_space(space, angles());
  tandem::array<double, 1, Space> y(tandem::extents<1>(x.size()), space);
  tandem::transform(space, x.view(), y.view(), f);
  auto values = to_host(space, y);
  for (double& value : values) {
    if (tandem::is_nan(value)) value = 2.0;
  }
  return hash_of(values);
}

}  // namespace

TEST_CASE_TEMPLATE("math: equal bits of angles in loops", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto sines = hash_of_values(
      space, TANDEM_LAMBDA(double v) { return tandem::sin(v); });
  const auto cosines = hash_of_values(
      space, TANDEM_LAMBDA(double v) { return tandem::cos(v); });
  const auto tangents = hash_of_values(
      space, TANDEM_LAMBDA(double v) { return tandem::tan(v); });
  const auto both = hash_of_values(
      space, TANDEM_LAMBDA(double v) {
        const auto [sine, cosine] = tandem::sincos(v);
        return sine + 2 * cosine;
      });
  CHECK(sines == 17902737857577455358u);
  CHECK(cosines == 8464509624999514938u);
  CHECK(tangents == 17187181289688574646u);
  CHECK(both == 14707761517959603153u);
}
