// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <optional>
#include <type_traits>

namespace perf {

/// What a reduction combines: elements, their magnitudes, or products of two arrays' elements.
enum class operands { values, magnitudes, products };

/// Addition that tandem must not assume to commute.
struct ordered_addition {
  TANDEM_FUNCTION constexpr float operator()(float a, float b) const { return a + b; }
};

/// A reduction to measure, over operands made of elements of T.
template <class T, operands Kind, class Reducer>
struct reduction_case {
  using element = T;
  using result = typename Reducer::result;
  static constexpr operands kind = Kind;

  const char* name;
  Reducer reducer;
};

template <class T>
using sum_of = reduction_case<T, operands::values, tandem::sum<T>>;
template <class T>
using magnitudes_of = reduction_case<T, operands::magnitudes, tandem::sum<T>>;
template <class T>
using products_of = reduction_case<T, operands::products, tandem::sum<T>>;
template <class Reducer>
using floats_by = reduction_case<float, operands::values, Reducer>;
using four_results = tandem::combined_reducer<tandem::sum<float>, tandem::minimum<float>,
                                              tandem::maximum<float>, tandem::product<float>>;

template <class T>
constexpr sum_of<T> sum_case{"sum", {}};
template <class T>
constexpr magnitudes_of<T> abs_sum_case{"abs_sum", {}};
template <class T>
constexpr reduction_case<T, operands::values, tandem::maximum<T>> max_case{"max", {}};
template <class T>
constexpr products_of<T> dot_case{"dot", {}};
constexpr floats_by<tandem::minloc<float>> argmin_case{"argmin", {}};
constexpr floats_by<tandem::maxloc<float>> argmax_case{"argmax", {}};
constexpr floats_by<tandem::minmax<float>> minmax_case{"minmax", {}};
inline const floats_by<four_results> several_case{"several", four_results({}, {}, {}, {})};
constexpr floats_by<tandem::reduction<float, ordered_addition>> ordered_case{"ordered",
                                                                             {{}, -0.0f}};

/// The problem of a case over n elements of each array.
template <class Case>
problem reduce_problem(const Case& what, index_t n);

inline constexpr std::uint64_t reduce_seed = 1;

template <class T>
using reduce_values =
    std::conditional_t<std::is_floating_point_v<T>, uniform_values<T>, integer_values<T>>;

/// Operands as named function objects, which both host and device compilers inline.
template <class View>
struct magnitude_term {
  View x;
  TANDEM_FUNCTION auto operator()(index_t i) const { return tandem::abs(x(i)); }
};
template <class View>
struct product_term {
  View x;
  View y;
  TANDEM_FUNCTION auto operator()(index_t i) const { return x(i) * y(i); }
};

/// The data of a candidate.
template <class Space, class Case>
struct reduce_data {
  using T = typename Case::element;
  using input = tandem::view<const T, 1, tandem::layout_right, typename Space::memory_type>;
  static constexpr int arrays = Case::kind == operands::products ? 2 : 1;

  explicit reduce_data(index_t elements)
      : n(elements), x(*space, n, arrays), out(extents<0>(), *space) {
    x.fill(*space, reduce_values<T>{reduce_seed});
    if (arrays == 1) return;
    y.emplace(*space, n, arrays);
    y->fill(*space, reduce_values<T>{reduce_seed + 1});
  }

  index_t n;
  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> x;
  std::optional<rotating_array<T, Space>> y;
  array<typename Case::result, 0, Space> out;
};

/// Calls run(..) with the operands of a case, a view or a range and a function of its indices, made
/// of `count` elements from `first` on of the arrays of a round.
template <class Data, class Case, class Run>
auto with_terms(Data& data, const Case&, std::int64_t round, index_t first, index_t count,
                const Run& run) {
  using input = typename Data::input;
  const input x(data.x.set(round).data_handle() + first, extents<1>(count));
  if constexpr (Case::kind == operands::values) {
    return run(x);
  } else if constexpr (Case::kind == operands::magnitudes) {
    return run(count, magnitude_term<input>{x});
  } else {
    const input y(data.y->set(round).data_handle() + first, extents<1>(count));
    return run(count, product_term<input>{x, y});
  }
}

/// Reduces `count` elements from `first` on and returns the result on the host.
template <class Data, class Case>
auto reduced_part(Data& data, const Case& what, index_t first, index_t count) {
  return with_terms(data, what, 0, first, count, [&](const auto&... over) {
    return tandem::parallel_reduce(*data.space, over..., what.reducer);
  });
}

/// Reduces the arrays of a round and returns the result on the host.
template <class Data, class Case>
auto reduced(Data& data, const Case& what, std::int64_t round) {
  if constexpr (Case::kind == operands::products) {
    const typename Data::input x = data.x.set(round);
    const typename Data::input y = data.y->set(round);
    return tandem::dot(*data.space, x, y);
  } else {
    return with_terms(data, what, round, 0, data.n, [&](const auto&... over) {
      return tandem::parallel_reduce(*data.space, over..., what.reducer);
    });
  }
}

/// Reduces the arrays of a round and leaves the result in the space's memory.
template <class Data, class Case>
void reduce_into(Data& data, const Case& what, std::int64_t round) {
  with_terms(data, what, round, 0, data.n, [&](const auto&... over) {
    tandem::parallel_reduce_into(*data.space, over..., what.reducer, data.out.view());
  });
}

/// Outcome of a result: the hash of all its bits, and its first number.
template <class T>
outcome result_outcome(const T& number) {
  return summary_of(number);
}
template <class T>
outcome result_outcome(const tandem::value_index<T>& found) {
  const double both[2] = {static_cast<double>(found.value), static_cast<double>(found.index)};
  return {fingerprint(both, sizeof both), both[1]};
}
template <class T>
outcome result_outcome(const tandem::min_max_values<T>& found) {
  return {fingerprint(&found, sizeof found), static_cast<double>(found.minimum)};
}
template <class... T>
outcome result_outcome(const tandem::tuple<T...>& found) {
  return {fingerprint(&found, sizeof found), static_cast<double>(tandem::get<0>(found))};
}

/// Makes a candidate on data in the space's memory whose result reaches the host in each run.
template <class Space, class Case>
candidate reduction_to_host(const Case& what, index_t n) {
  auto data = std::make_shared<reduce_data<Space, Case>>(n);
  auto result = std::make_shared<typename Case::result>();
  return on_host([=](std::int64_t round) { *result = reduced(*data, what, round); },
                 [=] { return result_outcome(*result); });
}

}  // namespace perf
