// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Steps of one run.
inline constexpr int fdtd_steps = 10;

/// Yee's factors of time step and mesh width, whose product is below 1/2, as stability needs.
inline constexpr double electric_factor = 0.55;
inline constexpr double magnetic_factor = 0.65;

/// The source's field at a step.
constexpr double source_at(int step) { return 1.0 / (1 + step); }

/// Maxwell's equations on a plane by finite differences in the time domain: each step has four
/// loops, over the source's row, over the two electric fields and over the magnetic field, which
/// lies between them. All versions have the same four loops.
template <class Space>
struct fdtd_2d {
  using plane = array<double, 2, Space>;

  static constexpr const char* name = "fdtd_2d";
  static constexpr const char* type = "f64";

  static inline const kernel_sizes sizes{{{500, 500}, {1000, 1000}, {4096, 4096}}};
  /// Each electric field is updated from the magnetic field, and that from both.
  static constexpr kernel_cost cost_each{.bytes = fdtd_steps * (3 + 3 + 4) * sizeof(double)};

  fdtd_2d(const Space& space, const kernel_size& n)
      : ex({n[0], n[1]}, space), ey({n[0], n[1]}, space), hz({n[0], n[1]}, space) {}

  void reset(const Space& space) {
    std::uint64_t seed = 1;
    for (plane* const field : {&ex, &ey, &hz})
      fill_with(space, line_of(*field), uniform_values<double>{seed++ << 32});
  }
  outcome result(const Space& space) {
    outcome all;
    for (plane* const field : {&ex, &ey, &hz}) {
      const outcome one = summary(space, field->const_view());
      all = {all.bits * 31 + one.bits, all.value + one.value};
    }
    return all;
  }

  void run(const Space& space) {
    for (int step = 0; step < fdtd_steps; ++step) {
      set_source(space, source_at(step));
      update_ey(space);
      update_ex(space);
      update_hz(space);
    }
  }

  void set_source(const Space& space, double value) {
    const auto y = ey.view();
    tandem::parallel_for(
        space, ey.extent(1), TANDEM_LAMBDA(index_t i) { y(0, i) = value; });
  }

  void update_ey(const Space& space) {
    const auto y = ey.view();
    const auto h = hz.const_view();
    tandem::parallel_for(
        space, tandem::grid{{1, ey.extent(0)}, {0, ey.extent(1)}},
        TANDEM_LAMBDA(index_t j, index_t i) {
          y(j, i) -= electric_factor * (h(j, i) - h(j - 1, i));
        });
  }

  void update_ex(const Space& space) {
    const auto x = ex.view();
    const auto h = hz.const_view();
    tandem::parallel_for(
        space, tandem::grid{{0, ex.extent(0)}, {1, ex.extent(1)}},
        TANDEM_LAMBDA(index_t j, index_t i) {
          x(j, i) -= electric_factor * (h(j, i) - h(j, i - 1));
        });
  }

  void update_hz(const Space& space) {
    const auto x = ex.const_view();
    const auto y = ey.const_view();
    const auto h = hz.view();
    tandem::parallel_for(
        space, tandem::grid{hz.extent(0) - 1, hz.extent(1) - 1},
        TANDEM_LAMBDA(index_t j, index_t i) {
          h(j, i) -= magnetic_factor * (x(j, i + 1) - x(j, i) + y(j + 1, i) - y(j, i));
        });
  }

  plane ex;
  plane ey;
  plane hz;
};

}  // namespace perf
