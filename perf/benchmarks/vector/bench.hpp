// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// z = x + y, z = x * y, z = x + scale * y.
enum class elementwise { add, multiply, triad };

problem elementwise_problem(elementwise operation, index_t n);

inline constexpr std::uint64_t x_seed = 2;
inline constexpr std::uint64_t y_seed = std::uint64_t{1} << 40;
inline constexpr float triad_scale = 0.4f;

template <class Space, class Input, class Output>
void add(const Space& space, const Input& x, const Input& y, const Output& z) {
  tandem::parallel_for(
      space, static_cast<int>(z.size()), TANDEM_LAMBDA(int i) { z(i) = x(i) + y(i); });
}

template <class Space, class Input, class Output>
void multiply(const Space& space, const Input& x, const Input& y, const Output& z) {
  tandem::parallel_for(
      space, static_cast<int>(z.size()), TANDEM_LAMBDA(int i) { z(i) = x(i) * y(i); });
}

template <class Space, class Input, class Output>
void triad(const Space& space, const Input& x, const Input& y, const Output& z) {
  const float scale = triad_scale;
  tandem::parallel_for(
      space, static_cast<int>(z.size()),
      TANDEM_LAMBDA(int i) { z(i) = tandem::fma(scale, y(i), x(i)); });
}

/// The data of a candidate.
template <class Space>
struct vectors {
  using input = tandem::view<const float, 1, tandem::layout_right, typename Space::memory_type>;

  explicit vectors(index_t n) : x(*space, n, 3), y(*space, n, 3), z(*space, n, 3) {
    x.fill(*space, uniform_values<float>{x_seed});
    y.fill(*space, uniform_values<float>{y_seed});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<float, Space> x;
  rotating_array<float, Space> y;
  rotating_array<float, Space> z;
};

template <class Space, class Input, class Output>
void run_elementwise(const Space& space, elementwise operation, const Input& x, const Input& y,
                     const Output& z) {
  switch (operation) {
    case elementwise::add:
      return add(space, x, y, z);
    case elementwise::multiply:
      return multiply(space, x, y, z);
    case elementwise::triad:
      return triad(space, x, y, z);
  }
}

/// Makes a candidate on data in the space's memory.
template <class Space>
candidate resident_elementwise(elementwise operation, index_t n) {
  auto data = std::make_shared<vectors<Space>>(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        using input = typename vectors<Space>::input;
        run_elementwise(*data->space, operation, input(data->x.set(round)),
                        input(data->y.set(round)), data->z.set(round));
      },
      [=] { return summary(*data->space, data->z.set(0)); });
}

}  // namespace perf
