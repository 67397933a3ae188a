// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <utility>

namespace perf {

/// Weights of the neighbours at a distance of one, two and three steps along the axes.
struct stencil_weights {
  float centre = 0.3f;
  float face = 0.1f;
  float edge = 0.06f;
  float corner = 0.02f;
};

/// A stencil over the inside of an array, out of place. The indices are index_t: the addresses of
/// neighbours in a row are then one address and constants on a GPU, whose compiler does not take
/// the sum of an int and a constant apart once it is widened.
template <class Space, int Rank>
struct stencil_arrays {
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes =
      Rank == 2 ? kernel_sizes{{{1000, 1000}, {3000, 3000}, {8192, 8192}}}
                : kernel_sizes{{{100, 100, 100}, {200, 200, 200}, {512, 512, 256}}};
  static constexpr kernel_cost cost_each{.bytes = 2 * sizeof(float)};

  stencil_arrays(const Space& space, const kernel_size& size)
      : x(extents_of(size), space), z(extents_of(size), space) {
    fill_with(space, line_of(x), uniform_values<float>{1});
  }
  void reset(const Space& space) { tandem::fill(space, z, 0.0f); }
  outcome result(const Space& space) { return summary(space, z.view()); }

  static extents<Rank> extents_of(const kernel_size& size) {
    extents<Rank> extents;
    for (int d = 0; d < Rank; ++d) extents[d] = size[static_cast<std::size_t>(d)];
    return extents;
  }

  array<float, Rank, Space> x;
  array<float, Rank, Space> z;
  stencil_weights weights = {};
};

template <class Space>
struct stencil5 : stencil_arrays<Space, 2> {
  using stencil_arrays<Space, 2>::stencil_arrays;
  static constexpr const char* name = "stencil_5_points";

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}},
        TANDEM_LAMBDA(index_t j, index_t i) {
          out(j, i) = w.centre * in(j, i) +
                      w.face * (in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1));
        });
  }
};

/// The five-point stencil as it is often written: over the whole plane, with its guard inside.
template <class Space>
struct stencil5_guarded : stencil_arrays<Space, 2> {
  using stencil_arrays<Space, 2>::stencil_arrays;
  static constexpr const char* name = "stencil_5_points_guarded";

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    const index_t ny = in.extent(0);
    const index_t nx = in.extent(1);
    tandem::parallel_for(
        space, tandem::grid{ny, nx}, TANDEM_LAMBDA(index_t j, index_t i) {
          if (j > 0 && j < ny - 1 && i > 0 && i < nx - 1) {
            out(j, i) = w.centre * in(j, i) +
                        w.face * (in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1));
          }
        });
  }
};

template <class Space>
struct stencil9 : stencil_arrays<Space, 2> {
  using stencil_arrays<Space, 2>::stencil_arrays;
  static constexpr const char* name = "stencil_9_points";

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}},
        TANDEM_LAMBDA(index_t j, index_t i) {
          out(j, i) =
              w.centre * in(j, i) +
              w.face * (in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1)) +
              w.edge * (in(j - 1, i - 1) + in(j - 1, i + 1) + in(j + 1, i - 1) + in(j + 1, i + 1));
        });
  }
};

/// What nine neighbours in a plane add to the result in their own plane, and to those in the planes
/// below and above.
struct plane_sums {
  float own;
  float other;
};

/// The sums of element i of a row of n, which begins at `row` of a line of rows.
template <class Line>
[[gnu::always_inline]] TANDEM_FUNCTION inline plane_sums sums_of_nine(const Line& line, index_t row,
                                                                      index_t n, int i,
                                                                      const stencil_weights& w) {
  const index_t up = row - n;
  const index_t down = row + n;
  const float centre = line(row + i);
  const float faces = line(up + i) + line(down + i) + line(row + i - 1) + line(row + i + 1);
  const float edges = line(up + i - 1) + line(up + i + 1) + line(down + i - 1) + line(down + i + 1);
  return {w.centre * centre + w.face * faces + w.edge * edges,
          w.face * centre + w.edge * faces + w.corner * edges};
}

template <class Space>
struct stencil7 : stencil_arrays<Space, 3> {
  using stencil_arrays<Space, 3>::stencil_arrays;
  static constexpr const char* name = "stencil_7_points";

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}, {1, in.extent(2) - 1}},
        TANDEM_LAMBDA(index_t k, index_t j, index_t i) {
          out(k, j, i) = w.centre * in(k, j, i) +
                         w.face * (in(k - 1, j, i) + in(k + 1, j, i) + in(k, j - 1, i) +
                                   in(k, j + 1, i) + in(k, j, i - 1) + in(k, j, i + 1));
        });
  }
};

/// Each index takes some planes, one after the other: the sums of a plane serve three results. On a
/// CPU one plane, so that neighbouring indices become a vector.
template <class Space>
struct stencil27 : stencil_arrays<Space, 3> {
  using stencil_arrays<Space, 3>::stencil_arrays;
  static constexpr const char* name = "stencil_27_points";
  static constexpr int planes_each = Space::memory_type::host_accessible ? 1 : 16;

  void run(const Space& space) {
    const auto in = line_of(std::as_const(this->x));
    const auto out = line_of(this->z);
    const stencil_weights w = this->weights;
    const auto last = static_cast<int>(this->x.extent(0)) - 1;
    const index_t rows = this->x.extent(1);
    const index_t n = this->x.extent(2);
    const int parts = tandem::ceil_div(last - 1, int{planes_each});
    const tandem::grid all{{0, parts}, {1, rows - 1}, {1, n - 1}};
    tandem::parallel_for(
        space, all.template with_block<1, 4, 32>(), TANDEM_LAMBDA(int part, int j, int i) {
          const int first = part * planes_each + 1;
          const int end = planes_each == 1 ? first + 1 : tandem::min(first + planes_each, last);
          const index_t plane = rows * n;
          index_t row = first * plane + j * n;
          plane_sums below = sums_of_nine(in, row - plane, n, i, w);
          plane_sums middle = sums_of_nine(in, row, n, i, w);
          for (int k = first; k < end; ++k) {
            const plane_sums above = sums_of_nine(in, row + plane, n, i, w);
            out(row + i) = middle.own + below.other + above.other;
            below = middle;
            middle = above;
            row += plane;
          }
        });
  }
};

}  // namespace perf
