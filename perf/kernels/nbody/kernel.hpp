// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Bodies that a team stages at a time, which is also the number of its lanes.
inline constexpr int bodies_at_once = 256;

/// Added to squared distances, so that no pull is infinite.
inline constexpr float softening = 1e-4f;

/// The acceleration of one body.
struct acceleration {
  float x;
  float y;
  float z;
};

/// `so_far` and the pull of a body of `mass` at the distance (dx, dy, dz).
TANDEM_FUNCTION inline acceleration add_pull(acceleration so_far, float dx, float dy, float dz,
                                             float mass) {
  const float squared = tandem::fma(dx, dx, tandem::fma(dy, dy, tandem::fma(dz, dz, softening)));
  const float inverse = 1.0f / tandem::sqrt(squared);
  const float scale = mass * inverse * inverse * inverse;
  return {tandem::fma(dx, scale, so_far.x), tandem::fma(dy, scale, so_far.y),
          tandem::fma(dz, scale, so_far.z)};
}

/// Accelerations of all bodies by all, each added up in the order of the bodies. The number of
/// bodies is a multiple of bodies_at_once.
template <class Space>
struct nbody {
  static constexpr const char* name = "nbody_by_teams";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{4096}, {8192}, {16384}}, {{65536}}};
  /// 20 operations a pair, as is usual for this kernel (Nyland, Harris, Prins: GPU Gems 3).
  static kernel_cost cost(const kernel_size& size) {
    return {.flops = 20 * static_cast<double>(size[0]) * static_cast<double>(size[0])};
  }

  nbody(const Space& space, const kernel_size& size)
      : x(filled(space, size[0], uniform_values<float>{1})),
        y(filled(space, size[0], uniform_values<float>{2})),
        z(filled(space, size[0], uniform_values<float>{3})),
        mass(filled(space, size[0], values_between{4, 0, 1})),
        pulls(extents<2>(3, size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, pulls, 0.0f); }
  outcome result(const Space& space) { return summary(space, pulls.view()); }

  void run(const Space& space) {
    const auto of_x = x.const_view();
    const auto of_y = y.const_view();
    const auto of_z = z.const_view();
    const auto of_mass = mass.const_view();
    const auto out = pulls.view();
    const auto n = static_cast<int>(x.size());
    constexpr int lanes = bodies_at_once;
    const tandem::team_shape shape{n / lanes, lanes, 4 * lanes * sizeof(float)};
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & team) {
          float* const tile_x = team.scratch<float>(lanes);
          float* const tile_y = team.scratch<float>(lanes);
          float* const tile_z = team.scratch<float>(lanes);
          float* const tile_mass = team.scratch<float>(lanes);
          const int own = static_cast<int>(team.index()) * lanes;
          tandem::per_lane<acceleration> pull(team);
          for (int first = 0; first < n; first += lanes) {
            team.for_each_lane([&](int lane) {
              tile_x[lane] = of_x(first + lane);
              tile_y[lane] = of_y(first + lane);
              tile_z[lane] = of_z(first + lane);
              tile_mass[lane] = of_mass(first + lane);
            });
            team.for_each_lane([&](int lane) {
              const float at_x = of_x(own + lane);
              const float at_y = of_y(own + lane);
              const float at_z = of_z(own + lane);
              acceleration sum = pull[lane];
              for (int j = 0; j < lanes; ++j)
                sum = add_pull(sum, tile_x[j] - at_x, tile_y[j] - at_y, tile_z[j] - at_z,
                               tile_mass[j]);
              pull[lane] = sum;
            });
          }
          team.for_each_lane([&](int lane) {
            out(0, own + lane) = pull[lane].x;
            out(1, own + lane) = pull[lane].y;
            out(2, own + lane) = pull[lane].z;
          });
        });
  }

  array<float, 1, Space> x;
  array<float, 1, Space> y;
  array<float, 1, Space> z;
  array<float, 1, Space> mass;
  array<float, 2, Space> pulls;  ///< along x, y, z
};

}  // namespace perf
