// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// Functions of core/math, which are correctly rounded.
enum class function { exp, log, sin, pow };

inline constexpr double function_exponent = 1.7;  // of pow

template <function F>
struct function_of_tandem {
  TANDEM_FUNCTION float operator()(float v) const {
    if constexpr (F == function::exp) return tandem::exp(v);
    if constexpr (F == function::log) return tandem::log(v);
    if constexpr (F == function::sin) return tandem::sin(v);
    if constexpr (F == function::pow) return tandem::pow(v, static_cast<float>(function_exponent));
  }
};

/// Floats of [1/2, 16.5), for which every function is finite.
struct function_arguments {
  TANDEM_FUNCTION float operator()(index_t i) const {
    return 8.5f + 8.0f * uniform_values<float>{21}(i);
  }
};

/// The problem of a function of n floats.
template <function F>
problem function_problem(index_t n);

/// The data of a candidate.
template <class Space>
struct function_data {
  using input = tandem::view<const float, 1, tandem::layout_right, typename Space::memory_type>;

  explicit function_data(index_t n) : x(*space, n, 2), y(*space, n, 2) {
    x.fill(*space, function_arguments{});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<float, Space> x;
  rotating_array<float, Space> y;
};

/// Makes a candidate that calls enqueue(space, x, y).
template <class Space, class Enqueue>
candidate resident_function(index_t n, const Enqueue& enqueue) {
  auto data = std::make_shared<function_data<Space>>(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        const typename function_data<Space>::input x = data->x.set(round);
        enqueue(*data->space, x, data->y.set(round));
      },
      [=] { return weighted_summary(*data->space, data->y.set(0)); });
}

/// y = F(x) by tandem::transform.
template <function F>
struct transform_by {
  template <class Space, class X, class Y>
  void operator()(const Space& space, const X& x, const Y& y) const {
    tandem::transform(space, x, y, function_of_tandem<F>{});
  }
};

}  // namespace perf
