// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iterator>
#include <limits>

#include "support/backends.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

using namespace tandem::test;

// Compares thousands of random products of each type with the CPU's plain form: bit for bit if the
// type promises that, and whether or not k is split; otherwise, with tensor cores, within a bound
// computed from k and the magnitudes.

namespace {

using swept = on_fastest;
constexpr bool on_device = swept::on_device;
// The host's sweep checks a device's specification against serial.
using specification = std::conditional_t<on_device, host_space, tandem::serial>;
constexpr std::uint64_t all_cases = on_device ? 2200 : 2000;
constexpr tandem::index_t largest_size = on_device ? 700 : 160;

/// Size of the pool that a and b are taken from, and of the bias of the widest c.
constexpr std::size_t pool_elements = std::size_t{1} << 21;
constexpr std::size_t bias_elements = 8192;

template <class T>
T pool_value(std::uint64_t seed, std::uint64_t i) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
    return random_value<T>(seed, i);
  } else {
    return T(random_value<float>(seed, i) / 16);  // products over 5000 terms stay far below 65504
  }
}

template <class T>
std::vector<T> pool(std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = pool_value<T>(seed, i);
  return values;
}

/// Returns random values with a NaN, an infinity, a zero of either sign, a subnormal or a very
/// large number at every 499th place.
template <class T>
std::vector<T> hostile_pool(std::size_t count, std::uint64_t seed) {
  std::vector<T> values = pool<T>(count, seed);
  if constexpr (!std::is_integral_v<T>) {
    using limits =
        std::numeric_limits<std::conditional_t<std::is_same_v<T, double>, double, float>>;
    constexpr auto tiny = limits::denorm_min();
    const T special[] = {T(limits::quiet_NaN()),
                         T(limits::infinity()),
                         T(-limits::infinity()),
                         T(0.0f),
                         T(-0.0f),
                         T(tiny),
                         T(-12345 * tiny),
                         T(limits::max()),
                         T(limits::lowest() / 2)};
    for (std::size_t i = 7; i < count; i += 499) values[i] = special[i % std::size(special)];
  }
  return values;
}

/// Runs products of one type on one space, in memory that they share.
template <class T, class In>
class sweep {
 public:
  using Sum = tandem::detail::matmul_sum_t<T>;
  using Product = sweep_product<T, In>;
  using Space = typename swept::space;

  explicit sweep(tandem::matmul_precision precision) : precision_(precision) {}

  void check(std::uint64_t seed) {
    const Product p(seed, largest_size);
    REQUIRE(static_cast<std::size_t>(tandem::max(tandem::max(p.a.span, p.b.span), p.c.span)) <=
            pool_elements);
    const std::vector<T> before = poisoned(p, seed);
    const std::vector<T> got = result(p, before);
    std::vector<T> expected = before;
    const tandem::index_t wrong =
        exact() ? first_other(got, specified(p, expected)) : first_outside(p, before, got);
    INFO("seed = " << seed << ", batch = " << p.size.batch << ", m = " << p.size.m
                   << ", n = " << p.size.n << ", k = " << p.size.k);
    INFO("strides of a " << p.a.batch << " " << p.a.row << " " << p.a.column << ", b " << p.b.batch
                         << " " << p.b.row << " " << p.b.column << ", c " << p.c.batch << " "
                         << p.c.row << " " << p.c.column << " at " << p.c.offset);
    INFO("alpha = " << p.alpha << ", beta = " << p.beta << ", stride of bias " << p.bias_stride
                    << ", activation " << static_cast<int>(p.activation));
    CHECK(wrong == -1);
  }

 private:
  bool exact() const {
    const bool rounds_as_chain = std::is_same_v<T, In> && (sizeof(T) > 2);
    return !on_device || std::is_integral_v<T> ||
           (rounds_as_chain && precision_ == tandem::matmul_precision::full);
  }

  /// Fills c before the product: NaN if it must not be read, other values between its elements.
  static std::vector<T> poisoned(const Product& p, std::uint64_t seed) {
    std::vector<T> c = pool<T>(static_cast<std::size_t>(p.c.span), seed);
    if constexpr (!std::is_integral_v<T>) {
      if (p.beta == Sum{0}) set_elements(p, c, T(std::numeric_limits<float>::quiet_NaN()));
    }
    return c;
  }

  static void set_elements(const Product& p, std::vector<T>& c, T value) {
    const auto elements =
        matrices_at<tandem::host_memory>(c.data(), p.size.batch, p.size.m, p.size.n, p.c);
    for (tandem::index_t b = 0; b < p.size.batch; ++b)
      for (tandem::index_t i = 0; i < p.size.m; ++i)
        for (tandem::index_t j = 0; j < p.size.n; ++j) elements(b, i, j) = value;
  }

  std::vector<T> result(const Product& p, const std::vector<T>& before) {
    const auto c = tandem::subview(c_.view(), tandem::slice{0, p.c.span});
    tandem::copy(space_, before, c);
    run_product<T, In>(space_, p, a_.data_handle(), b_.data_handle(), c_.data_handle(),
                       bias_.data_handle() + bias_elements / 2, precision_);
    return to_host(space_, c);
  }

  const std::vector<T>& specified(Product p, std::vector<T>& c) const {
    p.split_k = false;  // changes no bit of these products
    run_product<T, In>(specification_, p, host_a_.data(), host_b_.data(), c.data(),
                       host_bias_.data() + bias_elements / 2, precision_);
    return c;
  }

  /// Contiguous doubles of an operand's elements, or of their magnitudes.
  template <class Elements>
  static std::vector<double> doubles(const Elements& from, bool magnitudes) {
    std::vector<double> to;
    to.reserve(static_cast<std::size_t>(from.size()));
    for (tandem::index_t b = 0; b < from.extent(0); ++b)
      for (tandem::index_t i = 0; i < from.extent(1); ++i)
        for (tandem::index_t j = 0; j < from.extent(2); ++j) {
          const auto x = static_cast<double>(static_cast<float>(from(b, i, j)));
          to.push_back(magnitudes ? std::fabs(x) : x);
        }
    return to;
  }

  /// Computes a b in double, or the sums of the magnitudes.
  std::vector<double> totals(const Product& p, bool magnitudes) const {
    const product_sizes& s = p.size;
    using tandem::host_memory;
    const auto a =
        doubles(matrices_at<host_memory>(host_a_.data(), s.batch, s.m, s.k, p.a), magnitudes);
    const auto b =
        doubles(matrices_at<host_memory>(host_b_.data(), s.batch, s.k, s.n, p.b), magnitudes);
    std::vector<double> c(static_cast<std::size_t>(s.batch * s.m * s.n));
    tandem::matmul(specification_, tandem::as_view<host_memory>(a.data(), s.batch, s.m, s.k),
                   tandem::as_view<host_memory>(b.data(), s.batch, s.k, s.n),
                   tandem::as_view<host_memory>(c.data(), s.batch, s.m, s.n));
    return c;
  }

  /// Index of the first element of the buffer with a wrong value, or -1.
  tandem::index_t first_outside(const Product& p, const std::vector<T>& before,
                                std::vector<T> got) const {
    const product_sizes& s = p.size;
    const auto total = totals(p, false);
    const auto magnitude = totals(p, true);
    std::size_t at = 0;
    for (tandem::index_t b = 0; b < s.batch; ++b)
      for (tandem::index_t i = 0; i < s.m; ++i)
        for (tandem::index_t j = 0; j < s.n; ++j, ++at) {
          const auto e =
              static_cast<std::size_t>(p.c.offset + b * p.c.batch + i * p.c.row + j * p.c.column);
          const double bias =
              p.bias_stride == 0
                  ? 0
                  : host_bias_[static_cast<std::size_t>(
                        static_cast<tandem::index_t>(bias_elements / 2) + j * p.bias_stride)];
          const double old = p.beta == Sum{0} ? 0 : static_cast<float>(before[e]);
          const bounded_result wanted = finish_bounded<T>(
              total[at], magnitude[at] * total_error(s.k, precision_), static_cast<double>(p.alpha),
              static_cast<double>(p.beta), old, bias, p.activation);
          if (!(std::fabs(static_cast<float>(got[e]) - wanted.value) <= wanted.error))
            return static_cast<tandem::index_t>(e);
          got[e] = before[e];
        }
    return first_other(got, before);
  }

  tandem::matmul_precision precision_;
  Space space_ = swept::make();
  specification specification_;
  // Bitwise comparison allows any value; a bound needs finite numbers.
  std::vector<In> host_a_ =
      exact() ? hostile_pool<In>(pool_elements, 1) : pool<In>(pool_elements, 1);
  std::vector<In> host_b_ =
      exact() ? hostile_pool<In>(pool_elements, 2) : pool<In>(pool_elements, 2);
  std::vector<Sum> host_bias_ = pool<Sum>(bias_elements, 3);
  tandem::array<In, 1, Space> a_ = to_space(space_, host_a_);
  tandem::array<In, 1, Space> b_ = to_space(space_, host_b_);
  tandem::array<Sum, 1, Space> bias_ = to_space(space_, host_bias_);
  tandem::array<T, 1, Space> c_{tandem::extents<1>(pool_elements), space_};
};

template <class T, class In>
void sweep_all(tandem::matmul_precision precision = tandem::matmul_precision::full,
               std::uint64_t cases = sweep_inputs(all_cases)) {
  sweep<T, In> products(precision);
  for (std::uint64_t seed = 0; seed < cases; ++seed) products.check(seed);
}

}  // namespace

TEST_CASE("matmul: 2,000 random products of floats have the specification's bits") {
  sweep_all<float, float>();
}

TEST_CASE("matmul: 2,000 random products of doubles have the specification's bits") {
  sweep_all<double, double>();
}

TEST_CASE("matmul: 2,000 random products of 8-bit integers are exact") {
  sweep_all<std::int32_t, std::int8_t>();
}

TEST_CASE("matmul: 2,000 random products of half are as near as their type allows") {
  sweep_all<tandem::half, tandem::half>();
  sweep_all<float, tandem::half>();
}

TEST_CASE("matmul: 2,000 random products of bf16 are as near as their type allows") {
  sweep_all<tandem::bf16, tandem::bf16>();
  sweep_all<float, tandem::bf16>();
}

TEST_CASE("matmul: 2,000 random products in each precision of floats are as near as it says") {
  // On the host every precision computes as `full`.
  const std::uint64_t cases = on_device ? sweep_inputs(all_cases) : 100;
  sweep_all<float, float>(tandem::matmul_precision::tf32, cases);
  sweep_all<float, float>(tandem::matmul_precision::bf16x6, cases);
  sweep_all<float, float>(tandem::matmul_precision::bf16x9, cases);
}
