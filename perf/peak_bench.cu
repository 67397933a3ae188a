// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/peak_bench.hpp>

#include <perf/support/raw_kernels.cuh>

#include <mma.h>

namespace perf {

namespace {

using tandem::index_t;

struct copy_first {
  __device__ float operator()(float x, float) const { return x; }
};
struct scaled_sum {
  __device__ float operator()(float x, float y) const { return __fmaf_rn(0.4f, y, x); }
};

/// Reads everything and writes nothing: the condition never holds for the data, which the compiler
/// does not know.
__global__ void __launch_bounds__(raw_threads)
    read_kernel(const uint4* __restrict__ x, index_t n, unsigned* out) {
  const index_t first = static_cast<index_t>(blockIdx.x) * (raw_threads * raw_loads) + threadIdx.x;
  unsigned all = 0;
#pragma unroll
  for (int r = 0; r < raw_loads; ++r) {
    const index_t i = first + r * raw_threads;
    const uint4 word = i < n ? x[i] : make_uint4(0, 0, 0, 0);
    all |= word.x | word.y | word.z | word.w;
  }
  if (all == 0xdeadbeef) *out = all;
}

constexpr int fma_chains = 8;  // a warp's own latency of 4 cycles needs 4; the rest hides the loop
constexpr int fma_steps = 4096;
constexpr int fma_blocks_per_multiprocessor = 4;
constexpr int fma_threads = 256;

__device__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

template <class T>
__global__ void __launch_bounds__(fma_threads) fma_kernel(T a, T b, T* out) {
  T chain[fma_chains];
#pragma unroll
  for (int c = 0; c < fma_chains; ++c)
    chain[c] = static_cast<T>(threadIdx.x + static_cast<unsigned>(c));
#pragma unroll 8
  for (int step = 0; step < fma_steps; ++step) {
#pragma unroll
    for (int c = 0; c < fma_chains; ++c) chain[c] = fused(chain[c], a, b);
  }
  T total = 0;
#pragma unroll
  for (int c = 0; c < fma_chains; ++c) total += chain[c];
  if (total == static_cast<T>(-1)) *out = total;
}

constexpr int tensor_chains = 4;
constexpr int tensor_flops = 2 * 8 * 8 * 4;  // of one warp's product

/// fp64 products on the matrix units, which exist from compute capability 8.0 on.
__global__ void __launch_bounds__(fma_threads) fma_tensor_kernel(double scale, double* out) {
#if __CUDA_ARCH__ >= 800
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> chain[tensor_chains];
  wmma::fill_fragment(a, scale);
  wmma::fill_fragment(b, scale);
#pragma unroll
  for (int c = 0; c < tensor_chains; ++c) wmma::fill_fragment(chain[c], static_cast<double>(c));
#pragma unroll 8
  for (int step = 0; step < fma_steps; ++step) {
#pragma unroll
    for (int c = 0; c < tensor_chains; ++c) wmma::mma_sync(chain[c], a, b, chain[c]);
  }
  double total = 0;
#pragma unroll
  for (int c = 0; c < tensor_chains; ++c) total += chain[c].x[0];
  if (total == -1) *out = total;
#endif
}

contender read_peak(index_t n) {
  auto space = std::make_shared<tandem::cuda>();
  auto x = std::make_shared<device_array<float>>(tandem::extents<1>(n), *space);
  auto out = std::make_shared<device_array<unsigned>>(tandem::extents<1>(1), *space);
  fill_with(*space, x->view(), uniform_values<float>{11});
  const auto enqueue = [=](std::int64_t) {
    read_kernel<<<raw_blocks(n / 4), raw_threads, 0, space->native_stream()>>>(
        reinterpret_cast<const uint4*>(x->data_handle()), n / 4, out->data_handle());
    check_cuda(cudaGetLastError(), "read kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

template <class Function>
contender stream_peak(index_t n, const Function& f) {
  auto space = std::make_shared<tandem::cuda>();
  auto memory = std::make_shared<device_array<float>>(tandem::extents<1>(3 * n), *space);
  fill_with(*space, memory->view(), uniform_values<float>{11});
  const auto enqueue = [=](std::int64_t) {
    auto* x = reinterpret_cast<float4*>(memory->data_handle());
    raw_binary_kernel<<<raw_blocks(n / 4), raw_threads, 0, space->native_stream()>>>(
        x, x + n / 4, x + n / 2, n / 4, f);
    check_cuda(cudaGetLastError(), "stream kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

template <class T>
contender fma_peak(unsigned blocks) {
  auto space = std::make_shared<tandem::cuda>();
  auto out = std::make_shared<device_array<T>>(tandem::extents<1>(1), *space);
  const auto enqueue = [=](std::int64_t) {
    fma_kernel<T><<<blocks, fma_threads, 0, space->native_stream()>>>(
        static_cast<T>(0.999), static_cast<T>(0.001), out->data_handle());
    check_cuda(cudaGetLastError(), "fma kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

contender fma_tensor_peak(unsigned blocks) {
  auto space = std::make_shared<tandem::cuda>();
  auto out = std::make_shared<device_array<double>>(tandem::extents<1>(1), *space);
  const auto enqueue = [=](std::int64_t) {
    fma_tensor_kernel<<<blocks, fma_threads, 0, space->native_stream()>>>(0.001,
                                                                          out->data_handle());
    check_cuda(cudaGetLastError(), "tensor kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

void list_arithmetic(std::vector<entry>& entries) {
  const tandem::cuda_device device = tandem::cuda::devices().front();
  const auto blocks = static_cast<unsigned>(device.multiprocessors * fma_blocks_per_multiprocessor);
  const double threads = static_cast<double>(blocks) * fma_threads;
  const double flops = 2.0 * threads * fma_chains * fma_steps;
  entries.push_back(peer(peak_problem("fma", "f32", flops / 2, 0, flops), "cuda", "raw",
                         [=] { return fma_peak<float>(blocks); }));
  entries.push_back(peer(peak_problem("fma", "f64", flops / 2, 0, flops), "cuda", "raw",
                         [=] { return fma_peak<double>(blocks); }));
  if (device.compute_capability < 80) return;
  const double tensor = threads / 32 * tensor_flops * tensor_chains * fma_steps;
  entries.push_back(peer(peak_problem("fma_tensor", "f64", tensor / 2, 0, tensor), "cuda", "raw",
                         [=] { return fma_tensor_peak(blocks); }));
}

void list_gpu(const settings& chosen, std::vector<entry>& entries) {
  if (!gpu_present()) return;
  const index_t n =
      4 * peak_elements(chosen);  // a GPU's bandwidth still rises by 3 % from 2^27 to 2^30
  const double size = static_cast<double>(n);
  const auto memory = [&](const char* name, double bytes, std::function<contender()> make) {
    entries.push_back(
        peer(peak_problem(name, "f32", size, bytes * size, 0), "cuda", "raw", std::move(make)));
  };
  memory("read", 4, [=] { return read_peak(n); });
  memory("copy", 8, [=] { return stream_peak(n, copy_first{}); });
  memory("triad", 12, [=] { return stream_peak(n, scaled_sum{}); });
  list_arithmetic(entries);
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
