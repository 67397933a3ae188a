// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// A material whose pressure is stiffness * compression + gruneisen * (1 + compression) * energy,
/// and the bounds that keep a step's results physical.
struct material {
  double reference_density = 1.2;
  double stiffness = 0.9;
  double gruneisen = 0.4;
  double linear_viscosity = 0.3;
  double quadratic_viscosity = 1.5;
  double least_energy = 1e-3;
  double least_pressure = -0.25;
  double pressure_cut = 1e-2;       ///< smaller pressures are 0
  double energy_cut = 1e-2;         ///< smaller changes of energy are 0
  double most_volume = 1.2;         ///< no pressure beyond
  double least_square_speed = 0.2;  ///< of sound, in a square root

  TANDEM_FUNCTION static double compression(double volume) { return 1.0 / volume - 1.0; }

  /// The pressure with its cut-offs.
  TANDEM_FUNCTION double pressure(double compression, double energy, double volume) const {
    double p = stiffness * compression + gruneisen * (1.0 + compression) * energy;
    if (tandem::abs(p) < pressure_cut) p = 0.0;
    if (volume >= most_volume) p = 0.0;
    if (p < least_pressure) p = least_pressure;
    return p;
  }

  /// The bulk viscosity of an element whose volume changes by `change` in a step of time 1: none if
  /// it expands.
  TANDEM_FUNCTION double viscosity(double change, double volume, double energy,
                                   double pressure) const {
    if (change >= 0.0) return 0.0;
    const double density = reference_density / volume;
    const double square = (stiffness + gruneisen * (energy + pressure * volume)) / density;
    const double speed = square > least_square_speed ? tandem::sqrt(square) : least_square_speed;
    const double rate = change / volume;
    return density * (quadratic_viscosity * rate * rate - linear_viscosity * speed * rate);
  }

  /// The energy from the work of p during `change`, not below its bound.
  TANDEM_FUNCTION double energy_after(double energy, double change, double p) const {
    double gained = -change * p;
    if (tandem::abs(gained) < energy_cut) gained = 0.0;
    return energy + gained < least_energy ? least_energy : energy + gained;
  }
};

/// A step of the equation of state of elements in six loops, as hydrodynamics codes have them:
/// compressions, predicted energy, pressure at half the step, bulk viscosity, energy and pressure.
/// All versions have the same six loops.
template <class Space>
struct equation_of_state {
  using line = array<double, 1, Space>;

  static constexpr const char* name = "equation_of_state";
  static constexpr const char* type = "f64";

  static inline const kernel_sizes sizes{{{1 << 17}, {1 << 20}, {1 << 23}}, {{1 << 25}}};
  /// The arrays that the six loops read and write.
  static constexpr kernel_cost cost_each{.bytes = (4 + 5 + 5 + 5 + 6 + 4) * sizeof(double)};

  equation_of_state(const Space& space, const kernel_size& n)
      : volume(filled(space, n[0], inputs{1, 0.7, 1.3})),
        change(filled(space, n[0], inputs{2, -0.2, 0.2})),
        old_energy(filled(space, n[0], inputs{3, 0.0, 1.0})),
        old_pressure(filled(space, n[0], inputs{4, 0.0, 1.0})),
        old_viscosity(filled(space, n[0], inputs{5, 0.0, 0.3})),
        compression({n[0]}, space),
        half_compression({n[0]}, space),
        half_pressure({n[0]}, space),
        energy({n[0]}, space),
        pressure({n[0]}, space),
        viscosity({n[0]}, space) {}

  /// Uniform in [low, high).
  struct inputs {
    std::uint64_t seed;
    double low;
    double high;

    TANDEM_FUNCTION double operator()(index_t i) const {
      return low + 0.5 * (high - low) * (1.0 + uniform_values<double>{seed << 40}(i));
    }
  };

  void reset(const Space& space) {
    for (line* const x : {&energy, &pressure, &viscosity}) tandem::fill(space, *x, 0.0);
  }
  outcome result(const Space& space) {
    outcome all;
    for (line* const x : {&energy, &pressure, &viscosity}) {
      const outcome one = summary(space, x->const_view());
      all = {all.bits * 31 + one.bits, all.value + one.value};
    }
    return all;
  }

  void run(const Space& space) {
    predict(space);
    correct(space);
  }

  /// Compressions, the energy after half the step and the pressure then.
  void predict(const Space& space) {
    const index_t n = volume.size();
    const material m = of;
    const auto v = volume.const_view();
    const auto dv = change.const_view();
    const auto e0 = old_energy.const_view();
    const auto p0 = old_pressure.const_view();
    const auto q0 = old_viscosity.const_view();
    const auto c = compression.view();
    const auto half_c = half_compression.view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) {
          c(i) = material::compression(v(i));
          half_c(i) = material::compression(v(i) - 0.5 * dv(i));
        });
    const auto e = energy.view();
    tandem::parallel_for(
        space, n,
        TANDEM_LAMBDA(int i) { e(i) = m.energy_after(e0(i), 0.5 * dv(i), p0(i) + q0(i)); });
    const auto known_c = half_compression.const_view();
    const auto known_e = energy.const_view();
    const auto half_p = half_pressure.view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) {
          half_p(i) = m.pressure(known_c(i), known_e(i), v(i) - 0.5 * dv(i));
        });
  }

  /// The viscosity, the energy after the step and the pressure then.
  void correct(const Space& space) {
    const index_t n = volume.size();
    const material m = of;
    const auto v = volume.const_view();
    const auto dv = change.const_view();
    const auto e0 = old_energy.const_view();
    const auto q0 = old_viscosity.const_view();
    const auto half_p = half_pressure.const_view();
    const auto half_e = energy.const_view();
    const auto q = viscosity.view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) { q(i) = m.viscosity(dv(i), v(i), half_e(i), half_p(i)); });
    const auto known_q = viscosity.const_view();
    const auto e = energy.view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) {
          e(i) = m.energy_after(e0(i), dv(i), half_p(i) + 0.5 * (q0(i) + known_q(i)));
        });
    const auto c = compression.const_view();
    const auto known_e = energy.const_view();
    const auto p = pressure.view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) { p(i) = m.pressure(c(i), known_e(i), v(i)); });
  }

  line volume;
  line change;
  line old_energy;
  line old_pressure;
  line old_viscosity;
  line compression;
  line half_compression;
  line half_pressure;
  line energy;
  line pressure;
  line viscosity;
  material of = {};
};

}  // namespace perf
