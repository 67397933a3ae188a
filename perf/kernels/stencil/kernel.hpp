// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/kernel.hpp>

namespace perf {

/// Weights of the neighbours at a distance of one, two and three steps along the axes.
struct stencil_weights {
  float centre = 0.3f;
  float face = 0.1f;
  float edge = 0.06f;
  float corner = 0.02f;
};

/// A stencil over the inside of an array, out of place.
template <class Space, int Rank>
struct stencil_arrays {
  static constexpr const char* type = "f32";

  static kernel_cost cost(const kernel_size& size) {
    double elements = 1;
    for (const tandem::index_t extent : size) elements *= static_cast<double>(extent);
    return {.bytes = 2 * sizeof(float) * elements};
  }

  stencil_arrays(const Space& space, const kernel_size& size)
      : x(extents_of(size), space), z(extents_of(size), space) {
    fill_with(space, flat(x), uniform_values<float>{1});
  }
  void reset(const Space& space) { tandem::fill(space, z, 0.0f); }
  outcome result(const Space& space) { return summary(space, z.view()); }

  static tandem::extents<Rank> extents_of(const kernel_size& size) {
    tandem::extents<Rank> extents;
    for (int d = 0; d < Rank; ++d) extents[d] = size[static_cast<std::size_t>(d)];
    return extents;
  }
  static auto flat(tandem::array<float, Rank, Space>& a) {
    return tandem::as_view<typename Space::memory_type>(a.data_handle(), a.size());
  }

  tandem::array<float, Rank, Space> x;
  tandem::array<float, Rank, Space> z;
  stencil_weights weights = {};
};

inline std::vector<kernel_size> plane_sizes(const settings& chosen) {
  if (chosen.quick) return {{1000, 1000}};
  return {{1000, 1000}, {8192, 8192}};
}

template <class Space>
struct stencil5 : stencil_arrays<Space, 2> {
  using stencil_arrays<Space, 2>::stencil_arrays;
  static constexpr const char* name = "stencil_5_points";

  static std::vector<kernel_size> sizes(const settings& chosen) { return plane_sizes(chosen); }

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}},
        TANDEM_LAMBDA(int j, int i) {
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

  static std::vector<kernel_size> sizes(const settings& chosen) { return plane_sizes(chosen); }

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    const auto ny = static_cast<int>(in.extent(0));
    const auto nx = static_cast<int>(in.extent(1));
    tandem::parallel_for(
        space, tandem::grid{ny, nx}, TANDEM_LAMBDA(int j, int i) {
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

  static std::vector<kernel_size> sizes(const settings& chosen) { return plane_sizes(chosen); }

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}},
        TANDEM_LAMBDA(int j, int i) {
          out(j, i) =
              w.centre * in(j, i) +
              w.face * (in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1)) +
              w.edge * (in(j - 1, i - 1) + in(j - 1, i + 1) + in(j + 1, i - 1) + in(j + 1, i + 1));
        });
  }
};

/// The sum of nine neighbours in a plane: those at distances a, a + 1 and a + 2 have their weights.
TANDEM_FUNCTION inline float weighted_nine(float centre, float faces, float edges, float a, float b,
                                           float c) {
  return a * centre + b * faces + c * edges;
}

inline std::vector<kernel_size> volume_sizes(const settings& chosen) {
  if (chosen.quick) return {{100, 100, 100}};
  return {{100, 100, 100}, {512, 512, 256}};
}

template <class Space>
struct stencil7 : stencil_arrays<Space, 3> {
  using stencil_arrays<Space, 3>::stencil_arrays;
  static constexpr const char* name = "stencil_7_points";

  static std::vector<kernel_size> sizes(const settings& chosen) { return volume_sizes(chosen); }

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}, {1, in.extent(2) - 1}},
        TANDEM_LAMBDA(int k, int j, int i) {
          out(k, j, i) = w.centre * in(k, j, i) +
                         w.face * (in(k - 1, j, i) + in(k + 1, j, i) + in(k, j - 1, i) +
                                   in(k, j + 1, i) + in(k, j, i - 1) + in(k, j, i + 1));
        });
  }
};

template <class Space>
struct stencil27 : stencil_arrays<Space, 3> {
  using stencil_arrays<Space, 3>::stencil_arrays;
  static constexpr const char* name = "stencil_27_points";

  static std::vector<kernel_size> sizes(const settings& chosen) { return volume_sizes(chosen); }

  void run(const Space& space) {
    const auto in = this->x.const_view();
    const auto out = this->z.view();
    const stencil_weights w = this->weights;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}, {1, in.extent(2) - 1}},
        TANDEM_LAMBDA(int k, int j, int i) {
          const auto faces = [&](int m) {
            return in(m, j - 1, i) + in(m, j + 1, i) + in(m, j, i - 1) + in(m, j, i + 1);
          };
          const auto edges = [&](int m) {
            return in(m, j - 1, i - 1) + in(m, j - 1, i + 1) + in(m, j + 1, i - 1) +
                   in(m, j + 1, i + 1);
          };
          out(k, j, i) =
              weighted_nine(in(k, j, i), faces(k), edges(k), w.centre, w.face, w.edge) +
              weighted_nine(in(k - 1, j, i), faces(k - 1), edges(k - 1), w.face, w.edge, w.corner) +
              weighted_nine(in(k + 1, j, i), faces(k + 1), edges(k + 1), w.face, w.edge, w.corner);
        });
  }
};

}  // namespace perf
