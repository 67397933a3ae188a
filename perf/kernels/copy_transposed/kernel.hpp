// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <utility>

namespace perf {

/// A copy from a row-major array to a column-major one: the transpose of a matrix, and an array of
/// three dimensions with their order reversed.
template <class Space>
struct copy_transposed {
  static constexpr const char* name = "copy_transposed";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{1000, 1000}, {128, 512, 512}, {8192, 8192}}};
  static constexpr kernel_cost cost_each{.bytes = 2 * sizeof(float)};

  copy_transposed(const Space& space, const kernel_size& size)
      : rows(size.front()),
        planes(size.size() == 3 ? size[1] : 1),
        columns(size.back()),
        x({rows, planes, columns}, space),
        z({rows, planes, columns}, space) {
    fill_with(space, line_of(x), uniform_values<float>{1});
  }
  void reset(const Space& space) { tandem::fill(space, z, 0.0f); }
  outcome result(const Space& space) {
    return summary(space, tandem::as_view<typename Space::memory_type>(
                              std::as_const(z).data_handle(), z.size()));
  }

  void run(const Space& space) { tandem::copy(space, x, z); }

  index_t rows;
  index_t planes;
  index_t columns;
  array<float, 3, Space> x;
  tandem::array<float, 3, Space, tandem::layout_left> z;
};

}  // namespace perf
