// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/cg/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::cg_cuda {

constexpr int threads = 256;
constexpr int rows_per_thread = 4;

/// The inside of rows of n elements, of which each thread has a column of up to rows_per_thread.
struct inner_rows {
  int rows;
  int n;

  template <class F>
  __device__ void for_each(const F& f) const {
    const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x) + 1;
    const int first = static_cast<int>(blockIdx.y) * rows_per_thread + 1;
    if (i >= n - 1) return;
#pragma unroll
    for (int row = 0; row < rows_per_thread; ++row) {
      if (first + row < rows - 1) f((first + row) * n + i);
    }
  }
};

/// The sums of one step, in an order that differs from run to run.
struct step_sums {
  double pq;
  double rr;  ///< before the step
};

__device__ step_sums sums_of_steps[conjugate_gradient_steps + 1];

__global__ void __launch_bounds__(threads)
    start_kernel(inner_rows size, const double* __restrict__ b, double* __restrict__ x,
                 double* __restrict__ r, double* __restrict__ p, step_sums* sums) {
  double sum = 0;
  size.for_each([&](int i) {
    const double value = __ldg(b + i);
    x[i] = 0;
    r[i] = value;
    p[i] = value;
    sum += value * value;
  });
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) atomicAdd(&sums->rr, sum);
}

__global__ void __launch_bounds__(threads)
    multiply_kernel(inner_rows size, const double* __restrict__ p, double* __restrict__ q,
                    step_sums* sums) {
  double sum = 0;
  const int n = size.n;
  size.for_each([&](int i) {
    const double centre = __ldg(p + i);
    const double product =
        4 * centre - (__ldg(p + i - n) + __ldg(p + i + n) + __ldg(p + i - 1) + __ldg(p + i + 1));
    q[i] = product;
    sum += centre * product;
  });
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) atomicAdd(&sums->pq, sum);
}

__global__ void __launch_bounds__(threads)
    update_kernel(inner_rows size, const double* __restrict__ p, const double* __restrict__ q,
                  double* __restrict__ x, double* __restrict__ r, step_sums* sums) {
  const double alpha = sums->rr / sums->pq;
  double sum = 0;
  size.for_each([&](int i) {
    x[i] += alpha * __ldg(p + i);
    const double residual = r[i] - alpha * __ldg(q + i);
    r[i] = residual;
    sum += residual * residual;
  });
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) atomicAdd(&sums[1].rr, sum);
}

__global__ void __launch_bounds__(threads)
    turn_kernel(inner_rows size, const double* __restrict__ r, double* __restrict__ p,
                const step_sums* sums) {
  const double beta = sums[1].rr / sums[0].rr;
  size.for_each([&](int i) { p[i] = __ldg(r + i) + beta * p[i]; });
}

void by_hand(conjugate_gradient<cuda>& kernel, cudaStream_t stream) {
  void* memory = nullptr;
  check_cuda(cudaGetSymbolAddress(&memory, sums_of_steps), "cudaGetSymbolAddress");
  check_cuda(cudaMemsetAsync(memory, 0, sizeof sums_of_steps, stream), "cudaMemsetAsync");
  auto* const sums = static_cast<step_sums*>(memory);
  double* const x = kernel.x.data_handle();
  double* const r = kernel.r.data_handle();
  double* const p = kernel.p.data_handle();
  double* const q = kernel.q.data_handle();
  const inner_rows size{static_cast<int>(kernel.b.extent(0)), static_cast<int>(kernel.b.extent(1))};
  const dim3 blocks(blocks_for(size.n - 2, threads), blocks_for(size.rows - 2, rows_per_thread));
  start_kernel<<<blocks, threads, 0, stream>>>(size, kernel.b.data_handle(), x, r, p, sums);
  for (int step = 0; step < conjugate_gradient_steps; ++step) {
    multiply_kernel<<<blocks, threads, 0, stream>>>(size, p, q, sums + step);
    update_kernel<<<blocks, threads, 0, stream>>>(size, p, q, x, r, sums + step);
    turn_kernel<<<blocks, threads, 0, stream>>>(size, r, p, sums + step);
  }
  check_launch("hand-written conjugate gradients");
}

const registration gpu(list_kernel<cuda, conjugate_gradient<cuda>, by_hand>);

}  // namespace perf::cg_cuda
