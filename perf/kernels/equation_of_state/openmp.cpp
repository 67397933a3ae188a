// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/equation_of_state/kernel.hpp>

namespace perf::equation_of_state_openmp {

/// The arrays of equation_of_state.
struct lines {
  const double* __restrict v;
  const double* __restrict dv;
  const double* __restrict e0;
  const double* __restrict p0;
  const double* __restrict q0;
  double* __restrict c;
  double* __restrict half_c;
  double* __restrict half_p;
  double* __restrict e;
  double* __restrict p;
  double* __restrict q;

  explicit lines(equation_of_state<openmp>& kernel)
      : v(kernel.volume.data_handle()),
        dv(kernel.change.data_handle()),
        e0(kernel.old_energy.data_handle()),
        p0(kernel.old_pressure.data_handle()),
        q0(kernel.old_viscosity.data_handle()),
        c(kernel.compression.data_handle()),
        half_c(kernel.half_compression.data_handle()),
        half_p(kernel.half_pressure.data_handle()),
        e(kernel.energy.data_handle()),
        p(kernel.pressure.data_handle()),
        q(kernel.viscosity.data_handle()) {}
};

void by_hand(equation_of_state<openmp>& kernel) {
  const lines x(kernel);
  const material m = kernel.of;
  const index_t n = kernel.volume.size();
#pragma omp parallel for simd schedule(static)
  for (index_t i = 0; i < n; ++i) {
    x.c[i] = material::compression(x.v[i]);
    x.half_c[i] = material::compression(x.v[i] - 0.5 * x.dv[i]);
  }
#pragma omp parallel for simd schedule(static)
  for (index_t i = 0; i < n; ++i)
    x.e[i] = m.energy_after(x.e0[i], 0.5 * x.dv[i], x.p0[i] + x.q0[i]);
#pragma omp parallel for simd schedule(static)
  for (index_t i = 0; i < n; ++i)
    x.half_p[i] = m.pressure(x.half_c[i], x.e[i], x.v[i] - 0.5 * x.dv[i]);
#pragma omp parallel for simd schedule(static)
  for (index_t i = 0; i < n; ++i) x.q[i] = m.viscosity(x.dv[i], x.v[i], x.e[i], x.half_p[i]);
#pragma omp parallel for simd schedule(static)
  for (index_t i = 0; i < n; ++i)
    x.e[i] = m.energy_after(x.e0[i], x.dv[i], x.half_p[i] + 0.5 * (x.q0[i] + x.q[i]));
#pragma omp parallel for simd schedule(static)
  for (index_t i = 0; i < n; ++i) x.p[i] = m.pressure(x.c[i], x.e[i], x.v[i]);
}

/// The viscosity without branches: the value of an expanding element is computed, too, and left
/// out.
inline double chosen_viscosity(const material& m, double change, double volume, double energy,
                               double pressure) {
  const double density = m.reference_density / volume;
  const double square = (m.stiffness + m.gruneisen * (energy + pressure * volume)) / density;
  const double root = tandem::sqrt(square > m.least_square_speed ? square : 1.0);
  const double speed = square > m.least_square_speed ? root : m.least_square_speed;
  const double rate = change / volume;
  const double q =
      density * (m.quadratic_viscosity * rate * rate - m.linear_viscosity * speed * rate);
  return change >= 0.0 ? 0.0 : q;
}

/// Forks once. A thread has the same elements in all loops, so that none waits for another.
void tuned(equation_of_state<openmp>& kernel) {
  const index_t n = kernel.volume.size();
#pragma omp parallel
  {
    const lines x(kernel);
    const material m = kernel.of;
    const index_t begin = n * omp_get_thread_num() / omp_get_num_threads();
    const index_t end = n * (omp_get_thread_num() + 1) / omp_get_num_threads();
#pragma omp simd
    for (index_t i = begin; i < end; ++i) {
      x.c[i] = material::compression(x.v[i]);
      x.half_c[i] = material::compression(x.v[i] - 0.5 * x.dv[i]);
    }
#pragma omp simd
    for (index_t i = begin; i < end; ++i)
      x.e[i] = m.energy_after(x.e0[i], 0.5 * x.dv[i], x.p0[i] + x.q0[i]);
#pragma omp simd
    for (index_t i = begin; i < end; ++i)
      x.half_p[i] = m.pressure(x.half_c[i], x.e[i], x.v[i] - 0.5 * x.dv[i]);
#pragma omp simd
    for (index_t i = begin; i < end; ++i)
      x.q[i] = chosen_viscosity(m, x.dv[i], x.v[i], x.e[i], x.half_p[i]);
#pragma omp simd
    for (index_t i = begin; i < end; ++i)
      x.e[i] = m.energy_after(x.e0[i], x.dv[i], x.half_p[i] + 0.5 * (x.q0[i] + x.q[i]));
#pragma omp simd
    for (index_t i = begin; i < end; ++i) x.p[i] = m.pressure(x.c[i], x.e[i], x.v[i]);
  }
}

const registration cpu(list_kernel<openmp, equation_of_state<openmp>, by_hand, tuned>);

}  // namespace perf::equation_of_state_openmp
