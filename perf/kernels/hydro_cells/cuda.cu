// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/hydro_cells/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::hydro_cells_cuda {

constexpr int threads = 128;

/// Calls f(place) for the cells of a column of up to Rows rows, which a thread takes.
template <int Rows, class F>
__device__ void for_cells(int rows, int pitch, const F& f) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y) * Rows;
  if (i >= pitch - 1) return;
  if (first + Rows <= rows) {  // no tests, so that the compiler shares the rows' loads
#pragma unroll
    for (int r = 0; r < Rows; ++r) f((first + r) * pitch + i);
  } else {
    for (int j = first; j < rows; ++j) f(j * pitch + i);
  }
}

template <int Rows>
__global__ void __launch_bounds__(threads)
    gas_kernel(int rows, int pitch, const double* __restrict__ density,
               const double* __restrict__ energy, const double* __restrict__ divergence,
               double* __restrict__ pressure, double* __restrict__ speed,
               double* __restrict__ viscosity) {
  for_cells<Rows>(rows, pitch, [=](int i) {
    const gas_state state =
        ideal_gas_of(__ldg(density + i), __ldg(energy + i), __ldg(divergence + i));
    pressure[i] = state.pressure;
    speed[i] = state.sound_speed;
    viscosity[i] = state.viscosity;
  });
}

template <int Rows>
__global__ void __launch_bounds__(threads)
    work_kernel(int rows, int pitch, const double* __restrict__ xarea,
                const double* __restrict__ yarea, const double* __restrict__ u,
                const double* __restrict__ v, const double* __restrict__ density,
                const double* __restrict__ energy, const double* __restrict__ pressure,
                const double* __restrict__ viscosity, double* __restrict__ new_density,
                double* __restrict__ new_energy) {
  for_cells<Rows>(rows, pitch, [=](int i) {
    const int up = i + pitch;
    const double left = __ldg(xarea + i) * (__ldg(u + i) + __ldg(u + up));
    const double right = __ldg(xarea + i + 1) * (__ldg(u + i + 1) + __ldg(u + up + 1));
    const double bottom = __ldg(yarea + i) * (__ldg(v + i) + __ldg(v + i + 1));
    const double top = __ldg(yarea + up) * (__ldg(v + up) + __ldg(v + up + 1));
    const double grown = 0.5 * half_step * (right - left + top - bottom);
    const double rho = __ldg(density + i);
    const double work = (__ldg(pressure + i) + __ldg(viscosity + i)) * grown / rho;
    new_density[i] = rho / (1.0 + grown);
    new_energy[i] = __ldg(energy + i) - work;
  });
}

template <int Rows>
__global__ void __launch_bounds__(threads)
    fluxes_kernel(int rows, int pitch, const double* __restrict__ xarea,
                  const double* __restrict__ yarea, const double* __restrict__ u0,
                  const double* __restrict__ u1, const double* __restrict__ v0,
                  const double* __restrict__ v1, double* __restrict__ xflux,
                  double* __restrict__ yflux) {
  for_cells<Rows>(rows, pitch, [=](int i) {
    const int up = i + pitch;
    xflux[i] = 0.5 * half_step * __ldg(xarea + i) *
               (__ldg(u0 + i) + __ldg(u0 + up) + __ldg(u1 + i) + __ldg(u1 + up));
    yflux[i] = 0.5 * half_step * __ldg(yarea + i) *
               (__ldg(v0 + i) + __ldg(v0 + i + 1) + __ldg(v1 + i) + __ldg(v1 + i + 1));
  });
}

/// Enqueues a kernel on a kernel's arrays, the inputs first.
template <int Rows, class Kernel, class Launched>
void launch(Kernel& kernel, cudaStream_t stream, const Launched& launched) {
  const int rows = static_cast<int>(kernel.in[0].extent(0)) - 1;
  const int pitch = static_cast<int>(kernel.in[0].extent(1));
  const dim3 blocks(blocks_for(pitch - 1, threads), blocks_for(rows, Rows));
  std::apply(
      [&](auto&... in) {
        std::apply(
            [&](auto&... out) {
              launched<<<blocks, threads, 0, stream>>>(rows, pitch, in.data_handle()...,
                                                       out.data_handle()...);
            },
            kernel.out);
      },
      kernel.in);
  check_launch("hand-written loop over cells");
}

/// Plain with one row per thread, tuned with more.
template <int Rows>
void gas_by_hand(ideal_gas<cuda>& kernel, cudaStream_t stream) {
  launch<Rows>(kernel, stream, gas_kernel<Rows>);
}
template <int Rows>
void work_by_hand(pdv_work<cuda>& kernel, cudaStream_t stream) {
  launch<Rows>(kernel, stream, work_kernel<Rows>);
}
template <int Rows>
void fluxes_by_hand(volume_fluxes<cuda>& kernel, cudaStream_t stream) {
  launch<Rows>(kernel, stream, fluxes_kernel<Rows>);
}

const registration gas(list_kernel<cuda, ideal_gas<cuda>, gas_by_hand<1>, gas_by_hand<4>>);
const registration work(list_kernel<cuda, pdv_work<cuda>, work_by_hand<1>, work_by_hand<4>>);
const registration fluxes(
    list_kernel<cuda, volume_fluxes<cuda>, fluxes_by_hand<1>, fluxes_by_hand<4>>);

}  // namespace perf::hydro_cells_cuda
