// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/contenders.hpp>
#include <perf/support/sizes.hpp>

namespace perf {

/// What is added up: the elements or their magnitudes.
enum class terms { values, magnitudes };

/// Sum of n floats.
problem sum_problem(terms kind, tandem::index_t n);

inline constexpr std::uint64_t sum_seed = 1;

/// Sum of a view's elements, on the host when it returns.
template <class Space, class View>
float sum_of(const Space& space, terms kind, const View& x) {
  if (kind == terms::values) return tandem::parallel_reduce(space, x, tandem::sum<float>{});
  return tandem::parallel_reduce(
      space, static_cast<int>(x.size()), TANDEM_LAMBDA(int i) { return tandem::abs(x(i)); },
      tandem::sum<float>{});
}

/// The same, left in the space's memory.
template <class Space, class View, class Result>
void sum_into(const Space& space, terms kind, const View& x, const Result& total) {
  if (kind == terms::values) {
    tandem::parallel_reduce_into(space, x, tandem::sum<float>{}, total);
  } else {
    tandem::parallel_reduce_into(
        space, static_cast<int>(x.size()), TANDEM_LAMBDA(int i) { return tandem::abs(x(i)); },
        tandem::sum<float>{}, total);
  }
}

/// What a contender of this file works on.
template <class Space>
struct sum_data {
  explicit sum_data(tandem::index_t n) : x(*space, n), total(tandem::extents<0>(), *space) {
    x.fill(*space, uniform_values<float>{sum_seed});
  }
  tandem::view<const float, 1, tandem::layout_right, typename Space::memory_type> set(
      tandem::index_t round) {
    return x.set(round);
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<float, Space> x;
  tandem::array<float, 0, Space> total;
};

/// Data where the space works; each run ends with the sum on the host.
template <class Space>
contender sum_to_host(terms kind, tandem::index_t n) {
  auto data = std::make_shared<sum_data<Space>>(n);
  auto total = std::make_shared<float>();
  return on_host([=](std::int64_t round) { *total = sum_of(*data->space, kind, data->set(round)); },
                 [=] { return summary_of(*total); });
}

}  // namespace perf
