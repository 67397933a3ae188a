// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/lattice_boltzmann/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::lattice_boltzmann_cuda {

constexpr int threads = 128;

template <bool InPlanes>
__global__ void __launch_bounds__(threads)
    step_kernel(const float* __restrict__ before, float* __restrict__ after, int rows,
                int columns) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x) + 1;
  const int j = static_cast<int>(blockIdx.y) + 1;
  if (i >= columns - 1) return;
  const lattice<InPlanes, const float*> in{before, rows, columns};
  const lattice<InPlanes, float*> out{after, rows, columns};
  store(out, j, i, collide(inflow(in, j, i)));
}

template <bool InPlanes>
void by_hand(lattice_boltzmann<cuda, InPlanes>& kernel, cudaStream_t stream) {
  float* const now = kernel.now.data_handle();
  float* const next = kernel.next.data_handle();
  const int rows = static_cast<int>(kernel.rows());
  const int columns = static_cast<int>(kernel.columns());
  const dim3 blocks(blocks_for(columns - 2, threads), static_cast<unsigned>(rows - 2));
  step_kernel<InPlanes><<<blocks, threads, 0, stream>>>(now, next, rows, columns);
  step_kernel<InPlanes><<<blocks, threads, 0, stream>>>(next, now, rows, columns);
  check_launch("hand-written lattice Boltzmann step");
}

const registration planes(list_kernel<cuda, lattice_boltzmann<cuda, true>, by_hand<true>>);
const registration cells(list_kernel<cuda, lattice_boltzmann<cuda, false>, by_hand<false>>);

}  // namespace perf::lattice_boltzmann_cuda
