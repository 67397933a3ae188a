// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's targets for scattered sums: tandem against atomic additions of floats by hand.
#include <perf/benchmarks/scatter/bench.hpp>
#include <perf/support/raw_kernels.cuh>

namespace perf::scatter_gpu {

/// One atomic addition in global memory per element; `n` counts groups of four.
__global__ void __launch_bounds__(raw_threads)
    atomic_scatter_kernel(const int4* __restrict__ at, const float4* __restrict__ values, index_t n,
                          float* out) {
  const index_t i = index_t{blockIdx.x} * raw_threads + threadIdx.x;
  if (i >= n) return;
  const int4 cell = at[i];
  const float4 value = values[i];
  atomicAdd(out + cell.x, value.x);
  atomicAdd(out + cell.y, value.y);
  atomicAdd(out + cell.z, value.z);
  atomicAdd(out + cell.w, value.w);
}

void scatter_by_atomics(scatter_data<cuda>& data) {
  const index_t n = groups_of_four(data.at.size());
  const auto blocks = static_cast<unsigned>(tandem::ceil_div(n, index_t{raw_threads}));
  atomic_scatter_kernel<<<blocks, raw_threads, 0, data.space->native_stream()>>>(
      reinterpret_cast<const int4*>(data.at.data_handle()),
      reinterpret_cast<const float4*>(data.values.data_handle()), n, data.out.data_handle());
  check_cuda(cudaGetLastError(), "atomics kernel");
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!chosen.targets || !gpu_present()) return;
  for (const spread kind : {spread::uniform, spread::all_equal}) {
    const scatter_case asked{index_t{1} << 27, kind};
    const problem solved = scatter_problem(asked);
    add(tandem_on_gpu(solved, [=] { return scatter_by_tandem<cuda>(asked); }));
    add(peer(solved, "cuda", "atomics",
             [=] { return resident_scatter<cuda>(asked, scatter_by_atomics); }));
  }
}

const registration gpu(list_gpu);

}  // namespace perf::scatter_gpu
