// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/floyd_warshall/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::floyd_warshall_cuda {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads) step_kernel(int* d, int n, int k) {
  const int j = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  const int i = static_cast<int>(blockIdx.y);
  if (j >= n) return;
  const int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
}

/// Rows per thread, and elements of a row per thread, which are one word of 16 bytes.
constexpr int rows_per_thread = 4;

__device__ bool shorten(int4& old, int to_k, int4 from_k) {
  const int4 through =
      make_int4(to_k + from_k.x, to_k + from_k.y, to_k + from_k.z, to_k + from_k.w);
  const bool is_shorter =
      through.x < old.x || through.y < old.y || through.z < old.z || through.w < old.w;
  old = make_int4(min(old.x, through.x), min(old.y, through.y), min(old.z, through.z),
                  min(old.w, through.w));
  return is_shorter;
}

/// n is a multiple of 4. Threads whose word has k's column store it if another element changes; k's
/// keeps its value.
__global__ void __launch_bounds__(threads) step_tuned_kernel(int* d, int n, int k) {
  const int words = n / 4;
  const int word = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * (threads / 32) + threadIdx.y) * rows_per_thread;
  if (word >= words) return;
  int4* const row = reinterpret_cast<int4*>(d) + word;
  const int4 from_k = row[k * words];
  int4 old[rows_per_thread];
  int to_k[rows_per_thread];
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const int i = min(first + r, n - 1);
    old[r] = row[i * words];
    to_k[r] = d[i * n + k];
  }
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    if (first + r < n && shorten(old[r], to_k[r], from_k)) row[(first + r) * words] = old[r];
  }
}

/// Copies the edges and makes all steps: step(distances, n, k) enqueues one.
template <class Step>
void all_steps(floyd_warshall<cuda>& kernel, cudaStream_t stream, const Step& step) {
  int* const d = kernel.distances.data_handle();
  const int n = static_cast<int>(kernel.nodes());
  check_cuda(cudaMemcpyAsync(d, kernel.edges.data_handle(),
                             static_cast<std::size_t>(kernel.edges.size()) * sizeof(int),
                             cudaMemcpyDeviceToDevice, stream),
             "cudaMemcpyAsync");
  for (int k = 0; k < n; ++k) step(d, n, k);
  check_launch("hand-written shortest paths");
}

void by_hand(floyd_warshall<cuda>& kernel, cudaStream_t stream) {
  all_steps(kernel, stream, [=](int* d, int n, int k) {
    const dim3 blocks(blocks_for(n, threads), static_cast<unsigned>(n));
    step_kernel<<<blocks, threads, 0, stream>>>(d, n, k);
  });
}

void tuned(floyd_warshall<cuda>& kernel, cudaStream_t stream) {
  all_steps(kernel, stream, [=](int* d, int n, int k) {
    constexpr dim3 block(32, threads / 32);
    const dim3 blocks(blocks_for(n / 4, 32), blocks_for(n, rows_per_thread * threads / 32));
    step_tuned_kernel<<<blocks, block, 0, stream>>>(d, n, k);
  });
}

const registration gpu(list_kernel<cuda, floyd_warshall<cuda>, by_hand, tuned>);

}  // namespace perf::floyd_warshall_cuda
