// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/hydro_cells/kernel.hpp>

namespace perf::hydro_cells_openmp {

/// Calls row(first, end) for the cells of each row, with their places in the arrays.
template <class Kernel, class Row>
void for_rows(const Kernel& kernel, const Row& row) {
  const index_t rows = kernel.in[0].extent(0) - 1;
  const index_t pitch = kernel.in[0].extent(1);
#pragma omp parallel for schedule(static)
  for (index_t j = 0; j < rows; ++j) row(j * pitch, j * pitch + pitch - 1);
}

void gas_by_hand(ideal_gas<openmp>& kernel) {
  const double* const density = kernel.in[0].data_handle();
  const double* const energy = kernel.in[1].data_handle();
  const double* const divergence = kernel.in[2].data_handle();
  double* const pressure = kernel.out[0].data_handle();
  double* const speed = kernel.out[1].data_handle();
  double* const viscosity = kernel.out[2].data_handle();
  for_rows(kernel, [=](index_t first, index_t end) {
#pragma omp simd
    for (index_t i = first; i < end; ++i) {
      const gas_state state = ideal_gas_of(density[i], energy[i], divergence[i]);
      pressure[i] = state.pressure;
      speed[i] = state.sound_speed;
      viscosity[i] = state.viscosity;
    }
  });
}

void work_by_hand(pdv_work<openmp>& kernel) {
  const double* const xarea = kernel.in[0].data_handle();
  const double* const yarea = kernel.in[1].data_handle();
  const double* const u = kernel.in[2].data_handle();
  const double* const v = kernel.in[3].data_handle();
  const double* const density = kernel.in[4].data_handle();
  const double* const energy = kernel.in[5].data_handle();
  const double* const pressure = kernel.in[6].data_handle();
  const double* const viscosity = kernel.in[7].data_handle();
  double* const new_density = kernel.out[0].data_handle();
  double* const new_energy = kernel.out[1].data_handle();
  const index_t up = kernel.in[0].extent(1);
  for_rows(kernel, [=](index_t first, index_t end) {
#pragma omp simd
    for (index_t i = first; i < end; ++i) {
      const double left = xarea[i] * (u[i] + u[i + up]);
      const double right = xarea[i + 1] * (u[i + 1] + u[i + 1 + up]);
      const double bottom = yarea[i] * (v[i] + v[i + 1]);
      const double top = yarea[i + up] * (v[i + up] + v[i + up + 1]);
      const double grown = 0.5 * half_step * (right - left + top - bottom);
      const double work = (pressure[i] + viscosity[i]) * grown / density[i];
      new_density[i] = density[i] / (1.0 + grown);
      new_energy[i] = energy[i] - work;
    }
  });
}

void fluxes_by_hand(volume_fluxes<openmp>& kernel) {
  const double* const xarea = kernel.in[0].data_handle();
  const double* const yarea = kernel.in[1].data_handle();
  const double* const u0 = kernel.in[2].data_handle();
  const double* const u1 = kernel.in[3].data_handle();
  const double* const v0 = kernel.in[4].data_handle();
  const double* const v1 = kernel.in[5].data_handle();
  double* const xflux = kernel.out[0].data_handle();
  double* const yflux = kernel.out[1].data_handle();
  const index_t up = kernel.in[0].extent(1);
  for_rows(kernel, [=](index_t first, index_t end) {
#pragma omp simd
    for (index_t i = first; i < end; ++i) {
      xflux[i] = 0.5 * half_step * xarea[i] * (u0[i] + u0[i + up] + u1[i] + u1[i + up]);
      yflux[i] = 0.5 * half_step * yarea[i] * (v0[i] + v0[i + 1] + v1[i] + v1[i + 1]);
    }
  });
}

const registration gas(list_kernel<openmp, ideal_gas<openmp>, gas_by_hand>);
const registration work(list_kernel<openmp, pdv_work<openmp>, work_by_hand>);
const registration fluxes(list_kernel<openmp, volume_fluxes<openmp>, fluxes_by_hand>);

}  // namespace perf::hydro_cells_openmp
