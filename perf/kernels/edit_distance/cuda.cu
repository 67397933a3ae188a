// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/edit_distance/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::edit_distance_cuda {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads)
    diagonal_kernel(const signed char* __restrict__ a, const signed char* __restrict__ b,
                    const int* __restrict__ before, const int* __restrict__ twice_before,
                    int* __restrict__ out, int shift, int first, int last) {
  const int i = first + static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (i > last) return;
  out[i + 1] = edited(__ldg(before + i), __ldg(before + i + 1), __ldg(twice_before + i),
                      __ldg(a + i) != __ldg(b + shift + i));
}

/// The corner of the table, element 0 of row 0, which lies at 1.
__global__ void __launch_bounds__(threads) start_kernel(int* diagonals, int count) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (i < count) diagonals[i] = i == 1 ? 0 : no_distance;
}

void by_hand(edit_distance<cuda>& kernel, cudaStream_t stream) {
  const int n = kernel.n;
  const std::ptrdiff_t pitch = n + 2;
  int* const diagonals = kernel.diagonals.data_handle();
  const dim3 filled(blocks_for(3 * pitch, threads));
  start_kernel<<<filled, threads, 0, stream>>>(diagonals, 3 * static_cast<int>(pitch));
  for (int k = 1; k <= 2 * n; ++k) {
    const int first = std::max(0, k - n);
    const int last = std::min(k, n);
    diagonal_kernel<<<blocks_for(last - first + 1, threads), threads, 0, stream>>>(
        kernel.a.data_handle(), kernel.b.data_handle(), diagonals + (k - 1) % 3 * pitch,
        diagonals + (k + 1) % 3 * pitch, diagonals + k % 3 * pitch, n - k, first, last);
  }
  check_launch("hand-written edit distance");
}

const registration gpu(list_kernel<cuda, edit_distance<cuda>, by_hand>);

}  // namespace perf::edit_distance_cuda
