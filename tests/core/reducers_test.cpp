// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guarantees of reducers: identities that change no bit, and the result of reducing nothing.

#include <tandem/tandem.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

using tandem::bf16;
using tandem::half;

namespace {

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Checks that combine(x, identity()) and combine(identity(), x) are x, bit for bit.
template <class R>
void check_identity(const R& reducer, const std::vector<typename R::accumulator>& values) {
  for (const auto& x : values) {
    CHECK(same_bits(reducer.combine(x, reducer.identity()), x));
    CHECK(same_bits(reducer.combine(reducer.identity(), x), x));
  }
}

template <class T>
std::vector<T> numbers() {
  std::vector<T> result;
  for (const float x : {0.0f, -0.0f, 1.0f, -1.5f, 3e-5f, std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()})
    result.push_back(static_cast<T>(x));
  return result;
}

/// A user-defined number.
struct pair_of_floats {
  float x = 0;
  float y = 0;
  friend pair_of_floats operator+(pair_of_floats a, pair_of_floats b) {
    return {a.x + b.x, a.y + b.y};
  }
  friend pair_of_floats operator-(pair_of_floats a) { return {-a.x, -a.y}; }
};

}  // namespace

TEST_CASE_TEMPLATE("reducers: identities of sums, minima and maxima change no bit", T, float,
                   double, half, bf16) {
  check_identity(tandem::sum<T>{}, numbers<T>());
  check_identity(tandem::minimum<T>{}, numbers<T>());
  check_identity(tandem::maximum<T>{}, numbers<T>());
  check_identity(tandem::product<T>{}, numbers<T>());
}

TEST_CASE("reducers: sums of complex numbers and of a user's own start from minus zero") {
  using complex = std::complex<float>;
  check_identity(tandem::sum<complex>{}, {complex(-0.0f, 0.0f), complex(0.0f, -0.0f),
                                          complex(-0.0f, -0.0f), complex(1.0f, -2.0f)});
  check_identity(tandem::sum<pair_of_floats>{}, {{-0.0f, 0.0f}, {-0.0f, -0.0f}, {3.0f, -0.0f}});
  CHECK(same_bits(tandem::sum<complex>{}.empty(), complex(0.0f, 0.0f)));
}

TEST_CASE_TEMPLATE("reducers: a minimum of no 16-bit floats is infinity", T, half, bf16) {
  const auto infinity = std::numeric_limits<float>::infinity();
  CHECK(static_cast<float>(tandem::minimum<T>{}.empty()) == infinity);
  CHECK(static_cast<float>(tandem::maximum<T>{}.empty()) == -infinity);
  CHECK(static_cast<float>(tandem::minloc<T>{}.identity().value) == infinity);
  std::vector<T> values;
  for (const float x : {5.0f, 3.0f, 4.0f}) values.push_back(T(x));
  const auto view = tandem::as_view<tandem::host_memory>(values.data(), values.size());
  CHECK(static_cast<float>(tandem::parallel_reduce(tandem::serial{}, view, tandem::minimum<T>{})) ==
        3.0f);
  CHECK(static_cast<float>(
            tandem::parallel_reduce(tandem::default_space{}, view, tandem::minimum<T>{})) == 3.0f);
  CHECK(static_cast<float>(
            tandem::parallel_reduce(tandem::default_space{}, view, tandem::sum<T>{})) == 12.0f);
}

TEST_CASE("reducers: numeric limits of 16-bit floats are those of their formats") {
  using of_half = std::numeric_limits<half>;
  using of_bf16 = std::numeric_limits<bf16>;
  CHECK(static_cast<float>(of_half::max()) == 65504.0f);
  CHECK(static_cast<float>(of_half::lowest()) == -65504.0f);
  CHECK(static_cast<float>(of_half::min()) == 0x1p-14f);
  CHECK(static_cast<float>(of_half::denorm_min()) == 0x1p-24f);
  CHECK(static_cast<float>(of_half::epsilon()) == 0x1p-10f);
  CHECK(static_cast<float>(of_bf16::max()) == 0x1.fep127f);
  CHECK(static_cast<float>(of_bf16::min()) == 0x1p-126f);
  CHECK(static_cast<float>(of_bf16::denorm_min()) == 0x1p-133f);
  CHECK(static_cast<float>(of_bf16::epsilon()) == 0x1p-7f);
  CHECK(tandem::is_nan(of_half::quiet_NaN()));
  CHECK(tandem::is_nan(of_bf16::quiet_NaN()));
  CHECK(of_half::digits10 == 3);
  CHECK(of_half::max_digits10 == 5);
  CHECK(of_half::max_exponent10 == 4);
  CHECK(of_half::min_exponent10 == -4);
  CHECK(of_bf16::digits10 == 2);
  CHECK(of_bf16::max_digits10 == 4);
  CHECK(of_bf16::max_exponent10 == 38);
  CHECK(of_bf16::min_exponent10 == -37);
}

TEST_CASE("reducers: sums of truth are any, products are all") {
  const tandem::sum<bool> any;
  const tandem::product<bool> every;
  CHECK(any.combine(true, true));
  CHECK(!any.combine(false, any.identity()));
  CHECK(!every.combine(true, false));
  CHECK(every.combine(true, every.identity()));
}

TEST_CASE("dot: integers are multiplied in the 64 bits that they are added in") {
  const std::vector<int> x(10, 100000);
  const auto v = tandem::as_view<tandem::host_memory>(x.data(), x.size());
  CHECK(tandem::dot(tandem::serial{}, v, v) == 100000000000);
  CHECK(tandem::dot(tandem::default_space{}, v, v) == 100000000000);
  const std::vector<std::uint8_t> small(1000, 255);
  const auto w = tandem::as_view<tandem::host_memory>(small.data(), small.size());
  CHECK(tandem::dot(tandem::default_space{}, w, w) == 65025000);
}
