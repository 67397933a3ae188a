// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fill_random of every distribution, random_values in a kernel, random_permutation and shuffle.

#include "fuzz/oracles_random.hpp"
#include "fuzz/oracles_sort.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 14;

std::uint64_t draw_seed(draw& d) {
  const auto low = static_cast<std::uint64_t>(d.number("seed", 0, 1 << 20));
  return d.one_in("long_seed", 2) ? test::mix(low) : low;
}

template <class Sequence, class T, class Memory>
struct store_values {
  Sequence values;
  view<T, 1, layout_stride, Memory> to;
  TANDEM_FUNCTION void operator()(index_t i) const {
    to(i) = values(static_cast<std::uint64_t>(i));
  }
};

/// Fills a view of rank 1 or 2, or uses random_values, and returns the elements; all else must be
/// unchanged. Element i must satisfy accept(value, i).
template <class T, class Space, class Distribution, class Accept>
void check_values(draw& d, const Space& space, const Distribution& distribution, std::uint64_t seed,
                  const Accept& accept) {
  const index_t n = d.size("n", d.one_in("large", 10) ? 8 * most : most, sizeof(T));
  const auto check = [&](auto& x, const auto& enqueue) {
    run(
        space, draw_way(d), [&] { x.upload(space); }, enqueue);
    const std::vector<T> result = x.download(space);
    for (index_t i = 0; i < n; ++i) {
      x.expected(i) = result[static_cast<std::size_t>(x.place(i))];
      accept(x.expected(i), static_cast<std::uint64_t>(i));
    }
    require_same(result, x.expected_buffer(), "buffer of x");
  };
  if (d.one_in("plane", 4)) {
    index_t rows = d.number("rows", 1, 40);
    while (n % rows != 0) --rows;
    placed<T, 2, Space> x(space, draw_placement(d, "x", extents<2>(rows, n / rows), true), {1, 5});
    return check(x, [&](const Space& s) { fill_random(s, x.strided(), distribution, seed); });
  }
  placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), true), {1, 5});
  if (d.one_in("in_kernel", 3)) {
    const auto values = random_values<T>(distribution, seed);
    using kernel =
        store_values<std::remove_const_t<decltype(values)>, T, typename Space::memory_type>;
    return check(x, [&](const Space& s) { parallel_for(s, n, kernel{values, x.strided()}); });
  }
  check(x, [&](const Space& s) {
    with_view(x, [&](const auto& v) { fill_random(s, v, distribution, seed); });
  });
}

template <class T>
struct bits {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    check_values<T>(d, space, random_bits{}, seed, [&](T value, std::uint64_t i) {
      require_same(value, oracle::random_bits<T>(seed, i), "element " + std::to_string(i));
    });
    return true;
  }
};

template <class T>
struct uniforms {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    const auto ends = draw_values(d, "ends", true);
    T lo = static_cast<T>(ends.template at<float>(3));
    T hi = static_cast<T>(ends.template at<float>(8));
    if (d.one_in("narrow", 4)) hi = std::nextafter(lo, std::numeric_limits<T>::infinity());
    if (lo > hi) std::swap(lo, hi);
    if (lo == hi) hi = lo + 1;
    check_values<T>(d, space, uniform{lo, hi}, seed, [&](T value, std::uint64_t i) {
      require_same(value, oracle::uniform(lo, hi, seed, i), "element " + std::to_string(i));
    });
    return true;
  }
};

template <class T>
struct integers {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    const auto ends = draw_values(d, "ends");
    T lo = ends.template at<T>(3);
    T hi = ends.template at<T>(8);
    if (lo > hi) std::swap(lo, hi);
    if (d.one_in("everything", 8)) {
      lo = std::numeric_limits<T>::min();
      hi = std::numeric_limits<T>::max();
    }
    check_values<T>(d, space, uniform_int<T>{lo, hi}, seed, [&](T value, std::uint64_t i) {
      require_same(value, oracle::uniform_int(lo, hi, seed, i), "element " + std::to_string(i));
    });
    return true;
  }
};

template <class T>
struct coins {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    const index_t eighths = d.number("probability", 0, 8);
    const double p = d.one_in("odd", 2)
                         ? std::ldexp(static_cast<double>(test::mix(seed) >> 11), -53)
                         : static_cast<double>(eighths) / 8;
    check_values<T>(d, space, bernoulli{p}, seed, [&](T value, std::uint64_t i) {
      require_same(value, static_cast<T>(oracle::bernoulli(p, seed, i) ? 1 : 0),
                   "element " + std::to_string(i));
    });
    return true;
  }
};

template <class T>
struct poissons {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    const double mean = static_cast<double>(d.number("mean", 0, 320)) / 10;
    check_values<T>(d, space, poisson{mean}, seed, [&](T value, std::uint64_t i) {
      require_same(value, static_cast<T>(oracle::poisson(mean, seed, i)),
                   "element " + std::to_string(i));
    });
    return true;
  }
};

template <class T>
struct exponentials {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    const double rate = std::ldexp(static_cast<double>(d.number("rate", 1, 1000)),
                                   static_cast<int>(d.number("power", 0, 40)) - 20);
    const long double unit = std::numeric_limits<T>::epsilon();
    const long double error = oracle::quantile_error<T> + 2 * unit;
    check_values<T>(d, space, exponential{rate}, seed, [&](T value, std::uint64_t i) {
      const long double exact =
          std::log(2.0L) / static_cast<long double>(rate) * oracle::half_lives<T>(seed, i);
      if (!(std::fabs(static_cast<long double>(value) - exact) <= error * exact))
        throw mismatch("element " + std::to_string(i) + " is " + shown(value) + ", not near " +
                       shown(static_cast<double>(exact)));
    });
    return true;
  }
};

template <class T>
struct normals {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const std::uint64_t seed = draw_seed(d);
    if (d.one_in("standard", 2)) {
      check_values<T>(d, space, normal{}, seed, [&](T value, std::uint64_t i) {
        if (!oracle::is_normal_quantile(value, seed, i))
          throw mismatch("element " + std::to_string(i) + " is " + shown(value) +
                         ", which is not the quantile");
      });
      return true;
    }
    const T mean = static_cast<T>(d.number("mean", 0, 200) - 100) / 16;
    const T deviation = static_cast<T>(d.number("deviation", 0, 100)) / 10;
    const auto standard = random_values<T>(normal{}, seed);
    check_values<T>(d, space, normal{mean, deviation}, seed, [&](T value, std::uint64_t i) {
      require_same(value, std::fma(deviation, standard(i), mean), "element " + std::to_string(i));
    });
    return true;
  }
};

/// Returns positions 0, 1, .. sorted by the keys w_i.
std::vector<std::size_t> shuffled_positions(index_t n, std::uint64_t seed) {
  std::vector<std::uint64_t> keys;
  for (index_t i = 0; i < n; ++i)
    keys.push_back(oracle::long_word(seed, static_cast<std::uint64_t>(i)));
  return oracle::sorted_positions(keys, false);
}

template <class T, bool Permutation>
struct shuffles {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 10) ? 8 * most : most, sizeof(T));
    const std::uint64_t seed = draw_seed(d);
    const index_t offset = guard + d.number("offset", 0, 9);
    placed<T, 1, Space> x(space, {extents<1>(n), extents<1>(1), offset, offset + n + guard},
                          draw_values(d, "values"));
    const auto positions = shuffled_positions(n, seed);
    const auto call = [&](const Space& s) {
      if constexpr (Permutation) random_permutation(s, x.packed(), seed);
      if constexpr (!Permutation) shuffle(s, x.packed(), seed);
    };
    if constexpr (Permutation) {
      if (n > 0 && !std::in_range<T>(n - 1)) {
        x.upload(space);
        runs_unless<extent_error>(true, "the elements are too narrow", [&] { call(space); });
        x.check(space, "x");
        return false;
      }
    }
    for (index_t i = 0; i < n; ++i) {
      const std::size_t from = positions[static_cast<std::size_t>(i)];
      if constexpr (Permutation) x.expected(i) = static_cast<T>(from);
      if constexpr (!Permutation) x.expected(i) = x(static_cast<index_t>(from));
    }
    run(
        space, draw_way(d), [&] { x.upload(space); }, call);
    x.check(space, "x");
    return true;
  }
};

struct three_words {
  std::uint32_t words[3];
};

const registered all[] = {
    {"random-bits-8", on_a_space<bits<std::int8_t>>},
    {"random-bits-32", on_a_space<bits<std::uint32_t>>},
    {"random-bits-64", on_a_space<bits<std::int64_t>>},
    {"random-uniform-float", on_a_space<uniforms<float>>},
    {"random-uniform-double", on_a_space<uniforms<double>>},
    {"random-int8", on_a_space<integers<std::int8_t>>},
    {"random-int32", on_a_space<integers<std::int32_t>>},
    {"random-uint64", on_a_space<integers<std::uint64_t>>},
    {"random-bernoulli", on_a_space<coins<std::uint8_t>>},
    {"random-bernoulli-float", on_a_space<coins<float>>},
    {"random-poisson", on_a_space<poissons<std::int32_t>>},
    {"random-exponential-float", on_a_space<exponentials<float>>},
    {"random-exponential-double", on_a_space<exponentials<double>>},
    {"random-normal-float", on_a_space<normals<float>>},
    {"random-normal-double", on_a_space<normals<double>>},
    {"random-permutation", on_a_space<shuffles<std::int32_t, true>>},
    {"random-permutation-narrow", on_a_space<shuffles<std::uint8_t, true>>},
    {"shuffle-float", on_a_space<shuffles<float, false>>},
    {"shuffle-records", on_a_space<shuffles<three_words, false>>},
};

}  // namespace
}  // namespace tandem::fuzz
