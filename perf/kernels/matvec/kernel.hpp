// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// The product of a row-major matrix and a vector.
template <class Space>
struct matvec {
  static constexpr const char* name = "matrix_vector";
  static constexpr const char* type = "f32";
  /// (n + 1) * 2^-24 for the n = 8192 products of a row, on either side; the benchmark's values are
  /// positive.
  static constexpr double error = 2 * 8193 * 0x1p-24;

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {1024, 1024}, {8192, 4096}, {16384, 8192});
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = sizeof(float) * static_cast<double>(size[0] * size[1])};
  }

  matvec(const Space& space, const kernel_size& size)
      : a(tandem::extents<2>(size[0], size[1]), space),
        x(filled(space, size[1], values_between{2, 0, 1})),
        y(tandem::extents<1>(size[0]), space) {
    fill_with(space, line_of(a), values_between{1, 0, 1});
  }

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    const auto of = a.const_view();
    const auto vector = x.const_view();
    tandem::parallel_reduce_into(
        space, tandem::grid{of.extent(0), of.extent(1)}, tandem::axis{1},
        TANDEM_LAMBDA(int j, int i) { return of(j, i) * vector(i); }, tandem::sum<float>{}, y);
  }

  tandem::array<float, 2, Space> a;
  tandem::array<float, 1, Space> x;
  tandem::array<float, 1, Space> y;
};

}  // namespace perf
