// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Integers of all 32 bits, whose sums need 64.
struct wide_integers {
  std::uint64_t seed;

  TANDEM_FUNCTION int operator()(index_t i) const {
    const std::uint64_t bits = mixed_bits(seed + static_cast<std::uint64_t>(i));
    return static_cast<int>(static_cast<unsigned>(bits >> 32));
  }
};

/// The sum, the minimum and the maximum of a line of integers in one pass.
template <class Space>
struct sum_and_extremes {
  using results = tandem::tuple<std::int64_t, int, int>;

  static constexpr const char* name = "sum_minimum_maximum";
  static constexpr const char* type = "i32";

  static inline const kernel_sizes sizes{{{1 << 20}, {1 << 23}, {1 << 25}}, {{1 << 27}}};
  static constexpr kernel_cost cost_each{.bytes = sizeof(int)};

  sum_and_extremes(const Space& space, const kernel_size& size)
      : x(filled(space, size[0], wide_integers{1})), found({}, space) {}

  void reset(const Space& space) { tandem::fill(space, found, results()); }
  outcome result(const Space& space) {
    const results got = on_the_host(space, found.view())[0];
    const std::int64_t all[]{tandem::get<0>(got), tandem::get<1>(got), tandem::get<2>(got)};
    return summary_of(all, 3);
  }

  void run(const Space& space) {
    const auto v = x.const_view();
    tandem::parallel_reduce_into(
        space, x.size(), TANDEM_LAMBDA(int i) { return v(i); },
        tandem::combined_reducer{tandem::sum{}, tandem::minimum{}, tandem::maximum{}}, found);
  }

  array<int, 1, Space> x;
  array<results, 0, Space> found;
};

/// A hydrodynamics code's summary of its state on a plane of cells: the sums of volume, mass,
/// internal and kinetic energy, and of pressure by volume. Velocities are those of the nodes at
/// the cells' corners; all arrays have a row and a column more than there are cells.
template <class Space>
struct field_sums {
  using plane = array<double, 2, Space>;
  using results = tandem::tuple<double, double, double, double, double>;

  static constexpr const char* name = "field_sums";
  static constexpr const char* type = "f64";
  /// The hand-written versions add in another order: fewer than 10^8 terms, none of them negative.
  static constexpr double error = 1e-9;

  static inline const kernel_sizes sizes{{{500, 500}, {1000, 1000}, {4096, 4096}}};
  static constexpr kernel_cost cost_each{.bytes = 6 * sizeof(double)};

  field_sums(const Space& space, const kernel_size& n)
      : volume({n[0] + 1, n[1] + 1}, space),
        density({n[0] + 1, n[1] + 1}, space),
        energy({n[0] + 1, n[1] + 1}, space),
        pressure({n[0] + 1, n[1] + 1}, space),
        u({n[0] + 1, n[1] + 1}, space),
        v({n[0] + 1, n[1] + 1}, space),
        found({}, space) {
    std::uint64_t seed = 1;
    for (plane* const each : {&volume, &density, &energy, &pressure, &u, &v})
      fill_with(space, line_of(*each), values_between{seed++ << 32, 0.5f, 1.5f});
  }

  void reset(const Space& space) {
    const auto out = found.view();
    tandem::parallel_for(
        space, 1, TANDEM_LAMBDA(int) { out() = results(); });
  }
  outcome result(const Space& space) {
    const results got = on_the_host(space, found.view())[0];
    const double all[]{tandem::get<0>(got), tandem::get<1>(got), tandem::get<2>(got),
                       tandem::get<3>(got), tandem::get<4>(got)};
    outcome made = summary_of(all, 5);
    made.value = all[0] + 2 * all[1] + 3 * all[2] + 4 * all[3] + 5 * all[4];
    return made;
  }

  void run(const Space& space) {
    const auto vol = volume.const_view();
    const auto rho = density.const_view();
    const auto e = energy.const_view();
    const auto p = pressure.const_view();
    const auto uv = u.const_view();
    const auto vv = v.const_view();
    const tandem::sum<double> sum;
    tandem::parallel_reduce_into(
        space, tandem::grid{vol.extent(0) - 1, vol.extent(1) - 1},
        TANDEM_LAMBDA(index_t j, index_t i) {
          double squares = 0;
          for (int down = 0; down < 2; ++down) {
            for (int right = 0; right < 2; ++right) {
              const double x = uv(j + down, i + right);
              const double y = vv(j + down, i + right);
              squares += 0.25 * (x * x + y * y);
            }
          }
          const double cell = vol(j, i);
          const double mass = cell * rho(j, i);
          return tandem::make_tuple(cell, mass, mass * e(j, i), 0.5 * mass * squares,
                                    cell * p(j, i));
        },
        tandem::combined_reducer{sum, sum, sum, sum, sum}, found);
  }

  plane volume;
  plane density;
  plane energy;
  plane pressure;
  plane u;
  plane v;
  array<results, 0, Space> found;
};

}  // namespace perf
