// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <array>

namespace perf {

/// Half a step of time.
inline constexpr double half_step = 0.01;

/// What the hydrodynamics of a plane of cells share: arrays in doubles with a row and a column more
/// than there are cells, filled with values in [1/2, 3/2). Cells have volume 1; face i of a cell is
/// on its left or below, and velocities are those of the node at its lower left.
template <class Space, std::size_t Inputs, std::size_t Outputs>
struct cell_arrays {
  using plane = array<double, 2, Space>;

  static constexpr const char* type = "f64";

  static inline const kernel_sizes sizes{{{500, 500}, {1000, 1000}, {4096, 4096}}};
  static constexpr kernel_cost cost_each{.bytes = (Inputs + Outputs) * sizeof(double)};

  cell_arrays(const Space& space, const kernel_size& n) {
    std::uint64_t seed = 1;
    for (plane& x : in) {
      x = plane({n[0] + 1, n[1] + 1}, space);
      fill_with(space, line_of(x), values_between{seed++ << 32, 0.5f, 1.5f});
    }
    for (plane& x : out) x = plane({n[0] + 1, n[1] + 1}, space);
  }

  void reset(const Space& space) {
    for (plane& x : out) tandem::fill(space, x, 0.0);
  }
  outcome result(const Space& space) {
    outcome all;
    for (const plane& x : out) {
      const outcome one = summary(space, x.const_view());
      all = {all.bits * 31 + one.bits, all.value + one.value};
    }
    return all;
  }
  tandem::grid<2> cells() const { return {in[0].extent(0) - 1, in[0].extent(1) - 1}; }

  std::array<plane, Inputs> in;
  std::array<plane, Outputs> out;
};

/// An ideal gas: pressure and speed of sound, and the viscosity that a compression adds, from
/// density, energy and the divergence of the velocity.
struct gas_state {
  double pressure;
  double sound_speed;
  double viscosity;
};

TANDEM_FUNCTION inline gas_state ideal_gas_of(double density, double energy, double divergence) {
  constexpr double gamma = 1.4;
  const double pressure = (gamma - 1.0) * density * energy;
  const double speed = tandem::sqrt(gamma * pressure / density);
  const double shrinking = tandem::max(1.0 - divergence, 0.0);
  return {pressure, speed, density * shrinking * (speed + shrinking)};
}

template <class Space>
struct ideal_gas : cell_arrays<Space, 3, 3> {
  using cell_arrays<Space, 3, 3>::cell_arrays;
  static constexpr const char* name = "ideal_gas";

  void run(const Space& space) {
    const auto density = this->in[0].const_view();
    const auto energy = this->in[1].const_view();
    const auto divergence = this->in[2].const_view();
    const auto pressure = this->out[0].view();
    const auto speed = this->out[1].view();
    const auto viscosity = this->out[2].view();
    tandem::parallel_for(
        space, this->cells(), TANDEM_LAMBDA(index_t j, index_t i) {
          const gas_state state = ideal_gas_of(density(j, i), energy(j, i), divergence(j, i));
          pressure(j, i) = state.pressure;
          speed(j, i) = state.sound_speed;
          viscosity(j, i) = state.viscosity;
        });
  }
};

/// The work of pressure and viscosity during half a step: the volume that leaves a cell through its
/// faces, and density and energy after that.
template <class Space>
struct pdv_work : cell_arrays<Space, 8, 2> {
  using cell_arrays<Space, 8, 2>::cell_arrays;
  static constexpr const char* name = "pdv_work";

  void run(const Space& space) {
    const auto xarea = this->in[0].const_view();
    const auto yarea = this->in[1].const_view();
    const auto u = this->in[2].const_view();
    const auto v = this->in[3].const_view();
    const auto density = this->in[4].const_view();
    const auto energy = this->in[5].const_view();
    const auto pressure = this->in[6].const_view();
    const auto viscosity = this->in[7].const_view();
    const auto new_density = this->out[0].view();
    const auto new_energy = this->out[1].view();
    tandem::parallel_for(
        space, this->cells(), TANDEM_LAMBDA(index_t j, index_t i) {
          const double left = xarea(j, i) * (u(j, i) + u(j + 1, i));
          const double right = xarea(j, i + 1) * (u(j, i + 1) + u(j + 1, i + 1));
          const double bottom = yarea(j, i) * (v(j, i) + v(j, i + 1));
          const double top = yarea(j + 1, i) * (v(j + 1, i) + v(j + 1, i + 1));
          const double grown = 0.5 * half_step * (right - left + top - bottom);
          const double work = (pressure(j, i) + viscosity(j, i)) * grown / density(j, i);
          new_density(j, i) = density(j, i) / (1.0 + grown);
          new_energy(j, i) = energy(j, i) - work;
        });
  }
};

/// The volumes that pass the faces of cells in a step, by the mean of the velocities before and
/// after it.
template <class Space>
struct volume_fluxes : cell_arrays<Space, 6, 2> {
  using cell_arrays<Space, 6, 2>::cell_arrays;
  static constexpr const char* name = "volume_fluxes";

  void run(const Space& space) {
    const auto xarea = this->in[0].const_view();
    const auto yarea = this->in[1].const_view();
    const auto u0 = this->in[2].const_view();
    const auto u1 = this->in[3].const_view();
    const auto v0 = this->in[4].const_view();
    const auto v1 = this->in[5].const_view();
    const auto xflux = this->out[0].view();
    const auto yflux = this->out[1].view();
    tandem::parallel_for(
        space, this->cells(), TANDEM_LAMBDA(index_t j, index_t i) {
          xflux(j, i) =
              0.5 * half_step * xarea(j, i) * (u0(j, i) + u0(j + 1, i) + u1(j, i) + u1(j + 1, i));
          yflux(j, i) =
              0.5 * half_step * yarea(j, i) * (v0(j, i) + v0(j, i + 1) + v1(j, i) + v1(j, i + 1));
        });
  }
};

}  // namespace perf
