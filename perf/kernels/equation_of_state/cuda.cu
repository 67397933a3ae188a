// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/equation_of_state/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::equation_of_state_cuda {

constexpr int threads = 256;

/// Stores value(i) in `out` for n elements, Each per thread, whose loads all come before the first
/// store.
template <int Each, class T, class Value>
__global__ void __launch_bounds__(threads)
    loop_kernel(int n, T* __restrict__ out, const __grid_constant__ Value value) {
  const int first = static_cast<int>(blockIdx.x * (threads * Each) + threadIdx.x);
  if (first + threads * (Each - 1) < n) {
    T values[Each];
#pragma unroll
    for (int e = 0; e < Each; ++e) values[e] = value(first + e * threads);
#pragma unroll
    for (int e = 0; e < Each; ++e) out[first + e * threads] = values[e];
  } else {
    for (int i = first; i < n; i += threads) out[i] = value(i);
  }
}

/// The first loop has two outputs.
template <int Each>
__global__ void __launch_bounds__(threads)
    compression_kernel(int n, const double* __restrict__ v, const double* __restrict__ dv,
                       double* __restrict__ c, double* __restrict__ half_c) {
  const int first = static_cast<int>(blockIdx.x * (threads * Each) + threadIdx.x);
#pragma unroll
  for (int e = 0; e < Each; ++e) {
    const int i = first + e * threads;
    if (i >= n) return;
    const double volume = __ldg(v + i);
    c[i] = material::compression(volume);
    half_c[i] = material::compression(volume - 0.5 * __ldg(dv + i));
  }
}

/// Plain with one element per thread, tuned with more.
template <int Each>
void by_hand(equation_of_state<cuda>& kernel, cudaStream_t stream) {
  const int n = static_cast<int>(kernel.volume.size());
  const unsigned blocks = blocks_for(n, threads * Each);
  const material m = kernel.of;
  const double* const v = kernel.volume.data_handle();
  const double* const dv = kernel.change.data_handle();
  const double* const e0 = kernel.old_energy.data_handle();
  const double* const p0 = kernel.old_pressure.data_handle();
  const double* const q0 = kernel.old_viscosity.data_handle();
  double* const c = kernel.compression.data_handle();
  double* const half_c = kernel.half_compression.data_handle();
  double* const half_p = kernel.half_pressure.data_handle();
  double* const e = kernel.energy.data_handle();
  double* const p = kernel.pressure.data_handle();
  double* const q = kernel.viscosity.data_handle();
  const auto launch = [=](double* out, const auto& value) {
    loop_kernel<Each><<<blocks, threads, 0, stream>>>(n, out, value);
  };
  compression_kernel<Each><<<blocks, threads, 0, stream>>>(n, v, dv, c, half_c);
  launch(e, [=] __device__(int i) {
    return m.energy_after(__ldg(e0 + i), 0.5 * __ldg(dv + i), __ldg(p0 + i) + __ldg(q0 + i));
  });
  launch(half_p, [=] __device__(int i) {
    return m.pressure(__ldg(half_c + i), __ldg(e + i), __ldg(v + i) - 0.5 * __ldg(dv + i));
  });
  launch(q, [=] __device__(int i) {
    return m.viscosity(__ldg(dv + i), __ldg(v + i), __ldg(e + i), __ldg(half_p + i));
  });
  launch(e, [=] __device__(int i) {
    const double mean_q = 0.5 * (__ldg(q0 + i) + __ldg(q + i));
    return m.energy_after(__ldg(e0 + i), __ldg(dv + i), __ldg(half_p + i) + mean_q);
  });
  launch(p, [=] __device__(int i) { return m.pressure(__ldg(c + i), __ldg(e + i), __ldg(v + i)); });
  check_launch("hand-written equation of state");
}

const registration gpu(list_kernel<cuda, equation_of_state<cuda>, by_hand<1>, by_hand<2>>);

}  // namespace perf::equation_of_state_cuda
