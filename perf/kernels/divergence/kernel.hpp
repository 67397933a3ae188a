// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Layers of zones around a plane that are no part of the list.
inline constexpr index_t ghost_zones = 2;

/// The corners of a quadrilateral, counterclockwise.
struct corners {
  double of[4];

  /// The difference of the corners of each diagonal.
  TANDEM_FUNCTION double first() const { return of[2] - of[0]; }
  TANDEM_FUNCTION double second() const { return of[3] - of[1]; }
};

/// The rate of change of a quadrilateral's area over the area: the divergence of the velocity of
/// its corners.
TANDEM_FUNCTION inline double divergence_of(const corners& x, const corners& y, const corners& u,
                                            const corners& v) {
  const double area = 0.5 * (x.first() * y.second() - x.second() * y.first());
  const double rate = 0.5 * (u.first() * y.second() - u.second() * y.first() +
                             x.first() * v.second() - x.second() * v.first());
  return rate / (area + 1e-80);
}

/// The coordinate of node `at` on a plane with rows of `pitch` nodes: a mesh of width 1 whose nodes
/// are moved by up to a quarter.
struct moved_nodes {
  index_t pitch;
  bool along_rows;

  TANDEM_FUNCTION double operator()(index_t at) const {
    const index_t place = along_rows ? at % pitch : at / pitch;
    return static_cast<double>(place) +
           0.25 * uniform_values<double>{along_rows ? 1u : std::uint64_t{1} << 40}(at);
  }
};

/// The zones within the ghost layers, row by row.
struct real_zones {
  index_t columns;
  index_t pitch;

  TANDEM_FUNCTION int operator()(index_t k) const {
    const index_t row = k / columns + ghost_zones;
    return static_cast<int>(row * pitch + k % columns + ghost_zones);
  }
};

/// The divergence of a velocity on a list of zones, whose corners are nodes of a plane: zone z has
/// nodes z, z + 1, z + 1 + pitch and z + pitch.
template <class Space>
struct divergence {
  static constexpr const char* name = "divergence_on_a_list";
  static constexpr const char* type = "f64";

  static inline const kernel_sizes sizes{{{300, 300}, {1000, 1000}, {3000, 3000}}};
  /// Reads a list and four arrays of nodes, writes the result.
  static constexpr kernel_cost cost_each{.bytes = sizeof(int) + 5 * sizeof(double)};

  divergence(const Space& space, const kernel_size& n)
      : pitch(n[1] + 2 * ghost_zones + 1),
        zones(filled(space, n[0] * n[1], real_zones{n[1], pitch})),
        x(filled(space, nodes(n), moved_nodes{pitch, true})),
        y(filled(space, nodes(n), moved_nodes{pitch, false})),
        u(filled(space, nodes(n), uniform_values<double>{std::uint64_t{2} << 40})),
        v(filled(space, nodes(n), uniform_values<double>{std::uint64_t{3} << 40})),
        rate({nodes(n)}, space) {}

  index_t nodes(const kernel_size& n) const { return (n[0] + 2 * ghost_zones + 1) * pitch; }
  void reset(const Space& space) { tandem::fill(space, rate, 0.0); }
  outcome result(const Space& space) { return summary(space, rate.const_view()); }

  void run(const Space& space) {
    const auto list = zones.const_view();
    const auto xv = x.const_view();
    const auto yv = y.const_view();
    const auto uv = u.const_view();
    const auto vv = v.const_view();
    const auto out = rate.view();
    const index_t up = pitch;
    tandem::parallel_for(
        space, tandem::without_vectors(zones.size()), TANDEM_LAMBDA(index_t k) {
          const index_t z = list(k);
          const auto around = [=](const auto& nodes) {
            return corners{{nodes(z), nodes(z + 1), nodes(z + 1 + up), nodes(z + up)}};
          };
          out(z) = divergence_of(around(xv), around(yv), around(uv), around(vv));
        });
  }

  index_t pitch;
  array<int, 1, Space> zones;
  array<double, 1, Space> x;
  array<double, 1, Space> y;
  array<double, 1, Space> u;
  array<double, 1, Space> v;
  array<double, 1, Space> rate;
};

}  // namespace perf
