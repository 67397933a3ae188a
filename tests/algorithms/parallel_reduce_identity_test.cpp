// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes without terms start from the identity, and a reduction of no terms has a defined result,
// for types whose identity is not T{}.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <bit>
#include <cstdint>
#include <limits>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// A user's sum of two floats.
struct pair_of_floats {
  float a;
  float b;

  TANDEM_FUNCTION friend pair_of_floats operator+(pair_of_floats x, pair_of_floats y) {
    return {x.a + y.a, x.b + y.b};
  }
  TANDEM_FUNCTION pair_of_floats operator-() const { return {-a, -b}; }
};

/// Sizes from one term to many blocks; none is a multiple of a tile.
std::vector<std::size_t> sizes() {
  auto all = hostile_sizes();
  all.push_back(large_size);
  return all;
}

/// Returns 16-bit numbers of one sign with magnitudes from 1 to 2.
template <class T>
std::vector<T> of_one_sign(std::size_t n, float sign) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<T>(sign * (1.0f + static_cast<float>(mix(i) % 128) / 128.0f));
  return values;
}

template <class T, class Space>
void check_extremes(const Space& space) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const auto above = of_one_sign<T>(n, 1.0f);
    const auto below = of_one_sign<T>(n, -1.0f);
    float least = infinity;
    for (const T x : above) least = static_cast<float>(x) < least ? static_cast<float>(x) : least;
    float most = -infinity;
    for (const T x : below) most = static_cast<float>(x) > most ? static_cast<float>(x) : most;
    const auto x = to_space(space, above);
    const auto y = to_space(space, below);
    CHECK(static_cast<float>(tandem::parallel_reduce(space, x, tandem::minimum<T>{})) == least);
    CHECK(static_cast<float>(tandem::parallel_reduce(space, y, tandem::maximum<T>{})) == most);
    const auto both = tandem::parallel_reduce(space, x, tandem::minmax<T>{});
    CHECK(static_cast<float>(both.minimum) == least);
    const auto at = tandem::parallel_reduce(space, y, tandem::maxloc<T>{});
    CHECK(static_cast<float>(at.value) == most);
  }
}

/// Reduces along both axes, with slices that end within tiles.
template <class T, class Space>
void check_extremes_along_axes(const Space& space) {
  const index_t shapes[][2] = {{3, 5}, {70, 33}, {5, 5000}, {5000, 5}};
  for (const auto& [rows, columns] : shapes) {
    const auto n = static_cast<std::size_t>(rows * columns);
    const auto x = to_space(space, std::vector<T>(n, static_cast<T>(3.0f)));
    const auto matrix = tandem::reshape(x.const_view(), rows, columns);
    for (const int axis : {0, 1}) {
      const auto outputs = static_cast<std::size_t>(axis == 0 ? columns : rows);
      auto out = to_space(space, std::vector<T>(outputs, T{}));
      tandem::parallel_reduce_into(space, matrix, tandem::axis{axis}, tandem::minimum<T>{},
                                   out.view());
      bool is_right = true;
      for (const T result : to_host(space, out))
        is_right = is_right && static_cast<float>(result) == 3.0f;
      CHECK(is_right);
    }
  }
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr std::uint32_t minus_zero = 0x80000000u;

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: minima and maxima of half and bf16 never see a zero", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_extremes<tandem::half>(space);
  check_extremes<tandem::bf16>(space);
  check_extremes_along_axes<tandem::half>(space);
  check_extremes_along_axes<tandem::bf16>(space);
}

TEST_CASE_TEMPLATE("parallel_reduce: a minimum of nothing is infinity, also of a segment", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&]<class T>(T) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto none = to_space(space, std::vector<T>{});
    const auto least = tandem::parallel_reduce(space, none, tandem::minimum<T>{});
    const auto most = tandem::parallel_reduce(space, none, tandem::maximum<T>{});
    CHECK(static_cast<float>(least) == infinity);
    CHECK(static_cast<float>(most) == -infinity);
    const auto x = to_space(space, of_one_sign<T>(9, 1.0f));
    const auto offsets = to_space(space, std::vector<int>{0, 4, 4, 9});
    auto out = to_space(space, std::vector<T>(3, T{}));
    tandem::segmented_reduce(space, x, offsets, out, tandem::minimum<T>{});
    const auto results = to_host(space, out);
    CHECK(static_cast<float>(results[0]) >= 1);
    CHECK(static_cast<float>(results[1]) == infinity);
    CHECK(static_cast<float>(results[2]) >= 1);
  };
  check(tandem::half{});
  check(tandem::bf16{});
  check(float{});
}

TEST_CASE_TEMPLATE("parallel_reduce: sums of a user's numbers keep the sign of zero", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using number = tandem::complex<float>;
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const auto x = to_space(space, std::vector<pair_of_floats>(n, {-0.0f, -0.0f}));
    const auto y = to_space(space, std::vector<number>(n, number(-0.0f, -0.0f)));
    const auto pair = tandem::parallel_reduce(space, x, tandem::sum<pair_of_floats>{});
    const auto complex = tandem::parallel_reduce(space, y, tandem::sum<number>{});
    const std::uint32_t wanted = n == 0 ? 0 : minus_zero;
    CHECK(bits(pair.a) == wanted);
    CHECK(bits(pair.b) == wanted);
    CHECK(bits(complex.real()) == wanted);
    CHECK(bits(complex.imag()) == wanted);
  }
}
