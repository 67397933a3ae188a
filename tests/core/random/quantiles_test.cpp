// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares variables of floats with those of doubles, whose errors are a million times smaller.

#include <tandem/core/random/quantiles.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

using tandem::detail::half_lives;
using tandem::detail::standard_normal;

namespace {

/// The middle value of the lower half of 64 bits, whose upper half is a word.
constexpr std::uint32_t middle = 0x80000000;

/// Distance between the tested words; TANDEM_TEST_DRAWS=4294967296 tests all.
std::uint64_t step() {
  constexpr std::uint64_t words = std::uint64_t{1} << 32;
  const char* const draws = std::getenv("TANDEM_TEST_DRAWS");
  const std::uint64_t asked = draws == nullptr ? 0 : std::strtoull(draws, nullptr, 10);
  return asked >= words ? 1 : 4093;
}

/// Returns the largest relative error of f(word) against exact(word), over all tested words.
template <class Approximate, class Exact>
double largest_error(const Approximate& f, const Exact& exact) {
  const std::uint64_t every = step();
  double largest = 0;
  for (std::uint64_t i = 0; i < std::uint64_t{1} << 32; i += every) {
    const auto word = static_cast<std::uint32_t>(i);
    const double wanted = exact(word);
    largest = std::fmax(largest, std::fabs((double{f(word)} - wanted) / wanted));
  }
  return largest;
}

}  // namespace

TEST_CASE("quantiles: floats have the relative errors that docs/numerics.md says") {
  const double normal =
      largest_error([](std::uint32_t word) { return standard_normal(word); },
                    [](std::uint32_t word) { return standard_normal(middle, word); });
  CAPTURE(normal);
  CHECK(normal < 2.4e-7);
  const double half_life =
      largest_error([](std::uint32_t word) { return half_lives(word); },
                    [](std::uint32_t word) { return half_lives(middle, word); });
  CAPTURE(half_life);
  CHECK(half_life < 2.2e-7);
}
