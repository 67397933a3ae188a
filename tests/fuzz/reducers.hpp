// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include "fuzz/oracles.hpp"
#include "fuzz/placed.hpp"

/// Reducers under test: what their terms are, how one is made, and what it must return for a list
/// of terms.
namespace tandem::fuzz {

template <class T>
T highest() {
  if constexpr (is_real<T>) return T(std::numeric_limits<float>::infinity());
  if constexpr (!is_real<T>) return std::numeric_limits<T>::max();
}
template <class T>
T lowest() {
  if constexpr (is_real<T>) return T(-std::numeric_limits<float>::infinity());
  if constexpr (!is_real<T>) return std::numeric_limits<T>::min();
}

template <class T, class S>
std::vector<S> converted(const std::vector<T>& x) {
  std::vector<S> result;
  for (const T& value : x) result.push_back(static_cast<S>(value));
  return result;
}

template <class T, class S>
struct sums {
  using term = T;
  static sum<S> make() { return {}; }
  static S expected(const std::vector<T>& x) {
    if (x.empty()) return S{};
    return oracle::reduce(converted<T, S>(x), oracle::plus<S>);
  }
};

template <class T>
struct products {
  using term = T;
  static product<T> make() { return {}; }
  static T expected(const std::vector<T>& x) {
    return x.empty() ? T{1} : oracle::reduce(x, oracle::times<T>);
  }
};

template <class T, bool Largest>
struct extremes {
  using term = T;
  static auto make() {
    if constexpr (Largest) return maximum<T>{};
    if constexpr (!Largest) return minimum<T>{};
  }
  static T expected(const std::vector<T>& x) {
    if (x.empty()) return Largest ? lowest<T>() : highest<T>();
    return oracle::reduce(x, Largest ? oracle::larger<T> : oracle::smaller<T>);
  }
};

template <class T, bool Largest>
struct positions {
  using term = T;
  static auto make() {
    if constexpr (Largest) return maxloc<T>{};
    if constexpr (!Largest) return minloc<T>{};
  }
  static value_index<T> expected(const std::vector<T>& x, index_t first = 0) {
    const index_t at = oracle::extreme_position(x, Largest);
    if (at < 0) return {Largest ? lowest<T>() : highest<T>(), -1};
    return {x[static_cast<std::size_t>(at)], first + at};
  }
};

template <class T>
struct both_extremes {
  using term = T;
  static minmax<T> make() { return {}; }
  static min_max_values<T> expected(const std::vector<T>& x) {
    using both = min_max_values<T>;
    if (x.empty()) return {highest<T>(), lowest<T>()};
    std::vector<both> terms;
    for (const T value : x) terms.push_back({value, value});
    const auto combine = [](const both& a, const both& b) {
      return both{oracle::smaller(a.minimum, b.minimum), oracle::larger(a.maximum, b.maximum)};
    };
    return oracle::reduce(terms, combine, oracle::lanes_of<T>);
  }
};

/// A sum that starts at a value, which counts once.
template <class T>
struct started {
  using term = T;
  static constexpr T initial = static_cast<T>(-2.7);
  static initial_reducer<sum<T>, T> make() { return with_initial(sum<T>{}, initial); }
  static T expected(const std::vector<T>& x) {
    return x.empty() ? initial : oracle::plus<T>(initial, oracle::reduce(x, oracle::plus<T>));
  }
};

/// Whether all values are even: terms are bools.
struct logical {
  using term = std::int8_t;
  static logical_and make() { return {}; }
  static bool expected(const std::vector<term>& x) {
    return std::all_of(x.begin(), x.end(), [](term v) { return v != 0; });
  }
};

struct bits {
  using term = std::uint32_t;
  static bitwise_or<term> make() { return {}; }
  static term expected(const std::vector<term>& x) {
    term result = 0;
    for (const term value : x) result |= value;
    return result;
  }
};

/// A sum of doubles, a maximum and a position of floats in one pass.
struct combined {
  using term = float;
  using reducer = combined_reducer<sum<double>, maximum<float>, minloc<float>>;
  static reducer make() { return reducer({}, {}, {}); }
  static reducer::result expected(const std::vector<float>& x, index_t first = 0) {
    double total = 0;
    float peak = lowest<float>();
    if (!x.empty()) {
      const std::vector<double> terms(x.begin(), x.end());
      total = oracle::reduce(terms, [](double a, double b) { return a + b; });
      // Of the accumulators that depend on the order, the sum's is the largest.
      const auto larger = [](float a, float b) { return oracle::larger(a, b); };
      peak = oracle::reduce(x, larger, oracle::lanes_of<double>);
    }
    return make_tuple(total, peak, positions<float, false>::expected(x, first));
  }
};

/// A value and how many terms it stands for. Combining halves the earlier value, so the order
/// shows; no terms are an exact identity.
struct decayed {
  float value;
  std::int32_t terms;
};
struct decay {
  TANDEM_FUNCTION decayed operator()(decayed a, decayed b) const {
    if (a.terms == 0) return b;
    if (b.terms == 0) return a;
    return {0.5F * a.value + b.value, a.terms + b.terms};
  }
};
struct decay_reducer : reduction<decayed, decay> {
  template <class Term>
  TANDEM_FUNCTION constexpr decayed lift(Term x, index_t) const {
    return {static_cast<float>(x), 1};
  }
};

struct ordered {
  using term = float;
  static decay_reducer make() { return {}; }
  static decayed expected(const std::vector<float>& x) {
    if (x.empty()) return {0, 0};
    std::vector<decayed> terms;
    for (const float value : x) terms.push_back({value, 1});
    return oracle::reduce_ordered(terms, decay{});
  }
};

/// The expected result of a reducer if the first term has index `first`, from which positions
/// count.
template <class Tested>
auto expected_from(const std::vector<typename Tested::term>& terms, index_t first) {
  if constexpr (requires { Tested::expected(terms, first); }) {
    return Tested::expected(terms, first);
  } else {
    return Tested::expected(terms);
  }
}

/// Compares the results of any reducer.
template <class T>
void require_result(const T& result, const T& expected) {
  require_same(result, expected, "result");
}
inline void require_result(const combined::reducer::result& result,
                           const combined::reducer::result& expected) {
  require_same(get<0>(result), get<0>(expected), "sum");
  require_result(get<1>(result), get<1>(expected));
  require_result(get<2>(result), get<2>(expected));
}

}  // namespace tandem::fuzz
