// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers by element: the hashes tie them to one sequence of bits on every backend and
// thread count, the moments and counts tie that sequence to its distribution.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

using namespace tandem::test;
using tandem::argument_error;

namespace {

constexpr std::uint64_t seed = 0x123456789abcdef0;

template <class T, class Backend, class Distribution>
std::vector<T> drawn(std::size_t n, const Distribution& distribution, std::uint64_t key = seed) {
  const auto space = Backend::make();
  tandem::array<T, 1, typename Backend::space> x(tandem::extents<1>(n), space);
  tandem::fill_random(space, x, distribution, key);
  return to_host(space, x);
}

/// Hashes draws of sizes near block and tile boundaries, and of more elements than one thread gets.
template <class T, class Backend, class Distribution>
std::uint64_t hash_of_draws(const Distribution& distribution) {
  std::uint64_t hash = 0;
  for (const std::size_t n : {1ul, 2ul, 3ul, 5ul, 1023ul, 1025ul, 70001ul})
    hash = mix(hash ^ hash_of(drawn<T, Backend>(n, distribution)));
  return hash;
}

/// Returns the k-th moments, k = 1 to 4, of the terms (x - centre) / scale.
template <class T>
std::vector<double> moments(const std::vector<T>& x, double centre, double scale) {
  std::vector<double> sums(4);
  for (const T value : x) {
    const double z = (static_cast<double>(value) - centre) / scale;
    double power = 1;
    for (double& sum : sums) sum += power *= z;
  }
  for (double& sum : sums) sum /= static_cast<double>(x.size());
  return sums;
}

/// Whether the counts are plausible under `shares`: chi-square must be within 5 standard deviations
/// of its mean, which equals the degrees of freedom.
bool is_likely(const std::vector<double>& counts, const std::vector<double>& shares) {
  double n = 0;
  for (const double count : counts) n += count;
  double chi_square = 0;
  double freedom = -1;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double wanted = n * shares[k];
    if (wanted < 5) continue;  // too few for the approximation
    chi_square += (counts[k] - wanted) * (counts[k] - wanted) / wanted;
    ++freedom;
  }
  return std::abs(chi_square - freedom) < 5 * std::sqrt(2 * freedom);
}

/// Counts the values of floor(bin(x)).
template <class T, class Bin>
std::vector<double> counted(const std::vector<T>& x, std::size_t bins, const Bin& bin) {
  std::vector<double> counts(bins);
  for (const T value : x) ++counts[static_cast<std::size_t>(bin(static_cast<double>(value)))];
  return counts;
}

std::vector<double> equal_shares(std::size_t bins) {
  return std::vector<double>(bins, 1 / static_cast<double>(bins));
}

/// How many draws the tests of moments and shares use; TANDEM_TEST_DRAWS raises it.
std::size_t many() {
  static const char* const draws = std::getenv("TANDEM_TEST_DRAWS");
  return draws == nullptr ? 1000000 : static_cast<std::size_t>(std::atoll(draws));
}

/// The bits of the variables derived from one word in `step`, as a term of a sum in which every
/// word counts.
struct variables_of_words {
  std::uint64_t step;

  TANDEM_FUNCTION std::uint64_t operator()(tandem::index_t i) const {
    const auto word = static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * step);
    const std::uint64_t normal =
        __builtin_bit_cast(std::uint32_t, tandem::detail::standard_normal(word));
    const std::uint64_t half_lives =
        __builtin_bit_cast(std::uint32_t, tandem::detail::half_lives(word));
    const std::uint64_t mixed = ((normal << 32 | half_lives) ^ word) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 29;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("random: golden hashes of every distribution", Backend, TANDEM_TEST_BACKENDS) {
  CHECK(hash_of_draws<std::uint8_t, Backend>(tandem::random_bits{}) == 0x35c76da2e6a076f2u);
  CHECK(hash_of_draws<std::uint32_t, Backend>(tandem::random_bits{}) == 0x585990568a35a594u);
  CHECK(hash_of_draws<std::uint64_t, Backend>(tandem::random_bits{}) == 0x1a312991976d9c7eu);
  CHECK(hash_of_draws<float, Backend>(tandem::uniform{}) == 0xd5cc171e680a8699u);
  CHECK(hash_of_draws<double, Backend>(tandem::uniform{-3, 0.1}) == 0x6354146fd11bfbf2u);
  CHECK(hash_of_draws<float, Backend>(tandem::normal{}) == 0x45bc1e48487082b7u);
  CHECK(hash_of_draws<double, Backend>(tandem::normal{1, 3}) == 0x15e41f119bd6ac82u);
  CHECK(hash_of_draws<float, Backend>(tandem::exponential{0.3}) == 0xc72c5ec12534594bu);
  CHECK(hash_of_draws<double, Backend>(tandem::exponential{}) == 0x291941369a01a6bdu);
  CHECK(hash_of_draws<std::int8_t, Backend>(tandem::uniform_int{-100, 27}) == 0x4b5831a81d4bc204u);
  CHECK(hash_of_draws<std::int32_t, Backend>(tandem::uniform_int{-2000000000, 147483648}) ==
        0xb8421569b292e465u);
  CHECK(hash_of_draws<std::int64_t, Backend>(
            tandem::uniform_int{std::int64_t{-5}, std::int64_t{1} << 62}) == 0xa9bb647f192e820cu);
  CHECK(hash_of_draws<std::uint8_t, Backend>(tandem::bernoulli{0.3}) == 0x885555d5816ae862u);
  CHECK(hash_of_draws<float, Backend>(tandem::poisson{3.7}) == 0x24ca90a39b4fa8e1u);
  CHECK(hash_of_draws<int, Backend>(tandem::poisson{32}) == 0xeb1d6a0560e75ed9u);
}

TEST_CASE_TEMPLATE("random: long lines, whole and aligned or not, have the bits of serial", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto check = [&](auto zero, const auto& distribution, tandem::index_t offset) {
    using T = decltype(zero);
    const tandem::index_t n = takes_few() ? 654'321 : (1 << 22) + 1234567;
    tandem::array<T, 1, typename Backend::space> x(tandem::extents<1>(n), T(-1), space);
    tandem::array<T, 1, tandem::serial> wanted(tandem::extents<1>(n), T(-1), reference);
    const tandem::slice window{offset, n - 1};
    tandem::fill_random(space, tandem::subview(x.view(), window), distribution, seed);
    tandem::fill_random(reference, tandem::subview(wanted.view(), window), distribution, seed);
    CAPTURE(offset);
    CHECK(first_difference(to_host(space, x), to_host(reference, wanted)) == -1);
  };
  for (const tandem::index_t offset : {0, 1, 4}) {
    check(float{}, tandem::normal{2, 5}, offset);
    check(float{}, tandem::uniform{}, offset);
  }
  check(float{}, tandem::exponential{}, 0);
  check(double{}, tandem::normal{}, 0);
  check(double{}, tandem::uniform{}, 0);
  check(double{}, tandem::exponential{}, 0);
  check(std::uint32_t{}, tandem::random_bits{}, 0);
  check(std::uint8_t{}, tandem::random_bits{}, 0);
  check(std::uint64_t{}, tandem::random_bits{}, 0);
}

TEST_CASE_TEMPLATE("random: words have the variables of serial", Backend, TANDEM_TEST_BACKENDS) {
  // TANDEM_TEST_DRAWS=4294967296 covers all words.
  const auto n = static_cast<tandem::index_t>(many());
  const variables_of_words f{n >= tandem::index_t{1} << 32 ? 1 : (std::uint64_t{1} << 32) / many()};
  const auto sum_on = [&](const auto& space) {
    return tandem::parallel_reduce(space, n, f, tandem::sum<std::uint64_t>{});
  };
  CHECK(sum_on(Backend::make()) == sum_on(tandem::serial{}));
}

TEST_CASE_TEMPLATE("random: words are those of philox and of std::philox4x32", Backend,
                   TANDEM_TEST_BACKENDS) {
  // C++26, [rand.predef]: the 10000th value of std::philox4x32, whose default seed is 20111115.
  const auto words = drawn<std::uint32_t, Backend>(10000, tandem::random_bits{}, 20111115);
  CHECK(words.back() == 1955073260u);
  const auto pairs = drawn<std::uint64_t, Backend>(5000, tandem::random_bits{}, 20111115);
  bool equal = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    equal &= words[i] == tandem::philox(20111115, i);
    equal &= words[i] == static_cast<std::uint32_t>(pairs[i / 2] >> (i % 2 * 32));
    equal &= i >= pairs.size() || pairs[i] == tandem::philox64(20111115, i);
  }
  CHECK(equal);
}

TEST_CASE_TEMPLATE("random: a kernel draws what fill_random writes", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int n = 5001;
  tandem::array<float, 1, typename Backend::space> x(tandem::extents<1>(n), space);
  tandem::array<std::uint32_t, 1, typename Backend::space> w(tandem::extents<1>(n), space);
  auto xv = x.view();
  auto wv = w.view();
  const auto values = tandem::random_values<float>(tandem::normal{2, 5}, seed);
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(int i) {
        xv(i) = values(static_cast<std::uint64_t>(i));
        wv(i) = tandem::philox(seed, static_cast<std::uint64_t>(i));
      });
  CHECK(first_difference(to_host(space, x), drawn<float, Backend>(n, tandem::normal{2, 5})) == -1);
  CHECK(to_host(space, w) == drawn<std::uint32_t, Backend>(n, tandem::random_bits{}));
}

TEST_CASE_TEMPLATE("random: a value depends on the row-major index alone", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using space_type = typename Backend::space;
  const auto wanted = drawn<float, Backend>(6 * 7 * 11, tandem::uniform{});
  tandem::array<float, 3, space_type> cube(tandem::extents<3>(6, 7, 11), space);
  tandem::array<float, 3, space_type, tandem::layout_left> left(tandem::extents<3>(6, 7, 11),
                                                                space);
  tandem::array<float, 2, space_type> wide(tandem::extents<2>(44, 33), -1.0f, space);
  tandem::array<float, 1, space_type> shifted(tandem::extents<1>(wanted.size() + 1), -1.0f, space);
  const auto window = tandem::subview(wide.view(), tandem::slice{1, 43}, tandem::slice{3, 14});
  const auto tail = tandem::subview(shifted.view(), tandem::slice{1, shifted.size()});
  tandem::fill_random(space, cube, tandem::uniform{}, seed);
  tandem::fill_random(space, left.view(), tandem::uniform{}, seed);
  tandem::fill_random(space, window, tandem::uniform{}, seed);
  tandem::fill_random(space, tail, tandem::uniform{}, seed);
  CHECK(first_difference(to_host(space, cube), wanted) == -1);
  CHECK(first_difference(to_host(space, left), wanted) == -1);
  tandem::array<double, 3, space_type, tandem::layout_left> doubles(left.extents(), space);
  tandem::fill_random(space, doubles.view(), tandem::uniform{}, seed);
  const auto wanted_doubles = drawn<double, Backend>(6 * 7 * 11, tandem::uniform{});
  CHECK(first_difference(to_host(space, doubles), wanted_doubles) == -1);
  CHECK(first_difference(to_host(space, window), wanted) == -1);
  CHECK(first_difference(to_host(space, tail), wanted) == -1);
  const auto around = to_host(space, wide);
  CHECK(std::count(around.begin(), around.end(), -1.0f) == 44 * 33 - 42 * 11);
  CHECK(to_host(space, shifted).front() == -1.0f);
}

TEST_CASE_TEMPLATE("random: uniform reals fill [lo, hi) evenly", Backend, TANDEM_TEST_BACKENDS) {
  const auto x = drawn<float, Backend>(many(), tandem::uniform{});
  CHECK(is_likely(counted(x, 1000, [](double v) { return v * 1000; }), equal_shares(1000)));
  const auto y = drawn<double, Backend>(many(), tandem::uniform{-3, 5});
  CHECK(is_likely(counted(y, 1000, [](double v) { return (v + 3) * 125; }), equal_shares(1000)));
  // The width is so small that lo + width * u rounds to hi for many words.
  const auto narrow = drawn<float, Backend>(1000, tandem::uniform{1, 1 + 0x1p-22});
  CHECK(*std::min_element(narrow.begin(), narrow.end()) == 1.0f);
  CHECK(*std::max_element(narrow.begin(), narrow.end()) == 1 + 0x1p-23f);
}

TEST_CASE_TEMPLATE("random: normal variables have the moments and shares of theirs", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto check = [](const auto& x, double mean, double deviation) {
    const auto m = moments(x, mean, deviation);
    const double unit = 5 / std::sqrt(static_cast<double>(many()));  // 5 standard deviations
    CHECK(std::abs(m[0]) < unit);
    CHECK(std::abs(m[1] - 1) < unit * std::sqrt(2.0));
    CHECK(std::abs(m[2]) < unit * std::sqrt(15.0));
    CHECK(std::abs(m[3] - 3) < unit * std::sqrt(96.0));
    // The cumulative distribution function maps the draws to uniform ones.
    const auto share = [&](double v) {
      return 500 * std::erfc((mean - v) / deviation * std::sqrt(0.5));
    };
    CHECK(is_likely(counted(x, 1001, share), equal_shares(1000)));
  };
  check(drawn<float, Backend>(many(), tandem::normal{}), 0, 1);
  check(drawn<double, Backend>(many(), tandem::normal{-2, 0.25}), -2, 0.25);
}

TEST_CASE_TEMPLATE("random: exponential variables have the mean and shares of theirs", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto check = [](const auto& x, double rate) {
    const auto m = moments(x, 0, 1 / rate);
    const double unit = 5 / std::sqrt(static_cast<double>(many()));
    CHECK(std::abs(m[0] - 1) < unit);
    CHECK(std::abs(m[1] - 2) < unit * std::sqrt(20.0));
    const auto share = [&](double v) { return -1000 * std::expm1(-rate * v); };
    CHECK(is_likely(counted(x, 1001, share), equal_shares(1000)));
    CHECK(*std::min_element(x.begin(), x.end()) > 0);
  };
  check(drawn<float, Backend>(many(), tandem::exponential{}), 1);
  check(drawn<double, Backend>(many(), tandem::exponential{40}), 40);
}

TEST_CASE_TEMPLATE("random: integers of a range are equally probable", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto dice = drawn<std::int8_t, Backend>(many(), tandem::uniform_int{1, 6});
  CHECK(is_likely(counted(dice, 6, [](double v) { return v - 1; }), equal_shares(6)));
  // Without rejection the first third would be twice as probable as the others.
  const auto check = [](const auto& x, double bound) {
    CHECK(is_likely(counted(x, 300, [&](double v) { return v / bound * 300; }), equal_shares(300)));
  };
  check(drawn<std::uint32_t, Backend>(many(), tandem::uniform_int{0u, 0xbfffffffu}), 0x1.8p31);
  check(drawn<std::uint64_t, Backend>(many(), tandem::uniform_int{0ul, 0xbffffffffffffffful}),
        0x1.8p63 * (1 + 0x1p-52));
  const auto whole = drawn<std::uint32_t, Backend>(1000, tandem::uniform_int{0u, ~0u});
  CHECK(whole == drawn<std::uint32_t, Backend>(1000, tandem::random_bits{}));
  const auto one = drawn<long, Backend>(100, tandem::uniform_int{-7, -7});
  CHECK(one == std::vector<long>(100, -7));
}

TEST_CASE_TEMPLATE("random: Bernoulli and Poisson variables have their shares", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto coin = drawn<int, Backend>(many(), tandem::bernoulli{0.2});
  CHECK(is_likely(counted(coin, 2, [](double v) { return v; }), {0.8, 0.2}));
  CHECK(drawn<int, Backend>(1000, tandem::bernoulli{0}) == std::vector<int>(1000, 0));
  CHECK(drawn<int, Backend>(1000, tandem::bernoulli{1}) == std::vector<int>(1000, 1));
  for (const double mean : {0.01, 3.0, 32.0}) {
    std::vector<double> shares(128);
    double weight = std::exp(-mean);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      shares[k] = weight;
      weight *= mean / static_cast<double>(k + 1);
    }
    const auto x = drawn<int, Backend>(many(), tandem::poisson{mean});
    CHECK(is_likely(counted(x, 128, [](double v) { return v; }), shares));
  }
  CHECK(drawn<int, Backend>(1000, tandem::poisson{0}) == std::vector<int>(1000, 0));
}

TEST_CASE_TEMPLATE("random: what fill_random refuses, it does not touch", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<float, 1, typename Backend::space> x(tandem::extents<1>(8), 3.0f, space);
  tandem::array<int, 1, typename Backend::space> k(tandem::extents<1>(8), 3, space);
  const auto fails = [&](const auto& distribution, const char* message) {
    CHECK_THROWS_WITH_AS(tandem::fill_random(space, x, distribution, 1), message, argument_error);
  };
  const double nan = std::nan("");
  const double infinity = HUGE_VAL;
  fails(tandem::uniform{2, 1}, "fill_random: lo (2) >= hi (1)");
  fails(tandem::uniform{1, 1 + 1e-12},
        "fill_random: lo (1) >= hi (1), rounded to the elements' type");
  fails(tandem::uniform{1, 1 + 1e-8},
        "fill_random: lo (1) >= hi (1), rounded to the elements' type");
  fails(tandem::uniform{1, 1}, "fill_random: lo (1) >= hi (1)");
  fails(tandem::uniform{nan, 1}, "fill_random: lo (nan) is not finite");
  fails(tandem::uniform{0, infinity}, "fill_random: hi (inf) is not finite");
  fails(tandem::uniform{0, 1e39}, "fill_random: hi (1e+39) is more than a float holds");
  fails(tandem::uniform{-3e38, 3e38},
        "fill_random: lo (-3e+38) and hi are further apart than an element can tell");
  fails(tandem::normal{nan, 1}, "fill_random: mean (nan) is not finite");
  fails(tandem::normal{0, -1}, "fill_random: deviation (-1) < 0");
  fails(tandem::exponential{0}, "fill_random: rate (0) is not above 0");
  fails(tandem::exponential{nan}, "fill_random: rate (nan) is not finite");
  fails(tandem::exponential{1e-38},
        "fill_random: rate (1e-38) is so small that variables overflow");
  fails(tandem::bernoulli{1.5}, "fill_random: probability (1.5) is not from 0 to 1");
  fails(tandem::bernoulli{nan}, "fill_random: probability (nan) is not from 0 to 1");
  fails(tandem::poisson{-1}, "fill_random: mean (-1) is not from 0 to 32");
  fails(tandem::poisson{32.5}, "fill_random: mean (32.5) is not from 0 to 32");
  CHECK_THROWS_WITH_AS(tandem::fill_random(space, k, tandem::uniform_int{2, 1}, 1),
                       "fill_random: lo (2) > hi (1)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::fill_random(space, k, tandem::uniform_int{0l, 1l << 40}, 1),
                       "fill_random: lo (0) to hi (1099511627776) is more than the view's elements "
                       "hold",
                       argument_error);
  using view = tandem::view<float, 2, tandem::layout_stride, typename Backend::space::memory_type>;
  const view repeated(x.data_handle(), tandem::layout_stride::mapping<2>({4, 2}, {0, 1}));
  CHECK_THROWS_WITH_AS(tandem::fill_random(space, repeated, tandem::uniform{}, 1),
                       "fill_random: x overlaps itself", argument_error);
  const tandem::view<float, 1, tandem::layout_right, typename Backend::space::memory_type> null(
      nullptr, tandem::extents<1>(5));
  CHECK_THROWS_WITH_AS(tandem::fill_random(space, null, tandem::uniform{}, 1),
                       "fill_random: x has 5 elements but no memory (null)", argument_error);
  CHECK(to_host(space, x) == std::vector<float>(8, 3.0f));
  CHECK(to_host(space, k) == std::vector<int>(8, 3));
  tandem::fill_random(space, tandem::subview(x.view(), tandem::slice{4, 4}), tandem::uniform{}, 1);
  CHECK(to_host(space, x) == std::vector<float>(8, 3.0f));
}
