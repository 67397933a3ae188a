// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/peak/bench.hpp>

#include <perf/support/raw_kernels.cuh>

namespace perf::peak_gpu {

/// scale * y + x on words of four floats; without a scale x alone.
template <int Inputs>
struct scaled_sum {
  static constexpr int inputs = Inputs;
  float scale;

  __device__ float4 operator()(float4 x, float4 y) const {
    if (scale == 0) return x;
    if constexpr (Inputs == 1) y = make_float4(1, 1, 1, 1);
    return {__fmaf_rn(scale, y.x, x.x), __fmaf_rn(scale, y.y, x.y), __fmaf_rn(scale, y.z, x.z),
            __fmaf_rn(scale, y.w, x.w)};
  }
};

constexpr int fma_chains = 8;  // a warp's latency of 4 cycles needs 4; more hide the loop
constexpr int fma_steps = 16384;
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
#pragma unroll 16
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
constexpr int tensor_steps = 1024;
constexpr int tensor_flops = 2 * 16 * 8 * 16;  // of one warp's product

#if __CUDA_ARCH__ >= 800
/// c += a b by a warp, with m = 16, n = 8, k = 16, in double. One instruction from compute
/// capability 9.0 on, whose tensor cores reach only half of their rate in products of 8 x 8 x 4;
/// eight of those before.
__device__ void tensor_product(double (&c)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
#pragma unroll
  for (int part = 0; part < 8; ++part) {
    const int half = 2 * (part % 2);  // alternates between two independent chains
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[half]), "+d"(c[half + 1])
        : "d"(a[part]), "d"(b[part / 2]));
  }
#endif
}
#endif

/// fp64 products on tensor cores, which exist from compute capability 8.0 on.
__global__ void __launch_bounds__(fma_threads) fma_tensor_kernel(double scale, double* out) {
#if __CUDA_ARCH__ >= 800
  // All different, since equal ones would share a register and be copied in each step.
  double a[8], b[4], chain[tensor_chains][4];
#pragma unroll
  for (int r = 0; r < 8; ++r) a[r] = scale * (threadIdx.x + static_cast<unsigned>(r));
#pragma unroll
  for (int r = 0; r < 4; ++r) b[r] = scale * (threadIdx.x + static_cast<unsigned>(r) + 9);
#pragma unroll
  for (int c = 0; c < tensor_chains; ++c) {
    for (int r = 0; r < 4; ++r) chain[c][r] = scale * static_cast<double>(4 * c + r + 300);
  }
#pragma unroll 4
  for (int step = 0; step < tensor_steps; ++step) {
#pragma unroll
    for (int c = 0; c < tensor_chains; ++c) tensor_product(chain[c], a, b);
  }
  double total = 0;
#pragma unroll
  for (int c = 0; c < tensor_chains; ++c) {
    for (int r = 0; r < 4; ++r) total += chain[c][r];
  }
  if (total == -1) *out = total;
#endif
}

candidate read_peak(index_t n) {
  candidate made = raw_read(sizeof(float) * static_cast<double>(n));
  made.check = [] { return outcome{}; };
  return made;
}

/// Runs f on words of x and y into z, or on x in place.
template <class Function>
candidate stream_peak(index_t n, const Function& f, bool in_place = false) {
  auto space = std::make_shared<cuda>();
  auto memory = std::make_shared<device_array<float>>(extents<1>(in_place ? n : 3 * n), *space);
  fill_with(*space, memory->view(), uniform_values<float>{11});
  const auto enqueue = [=](std::int64_t) {
    auto* x = reinterpret_cast<float4*>(memory->data_handle());
    float4* const y = in_place ? x : x + n / 4;
    float4* const z = in_place ? x : x + n / 2;
    raw_loop_kernel<raw_loads>
        <<<raw_blocks(n / 4), raw_threads, 0, space->native_stream()>>>(x, y, z, n / 4, f);
    check_cuda(cudaGetLastError(), "stream kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

template <class T>
candidate fma_peak(unsigned blocks) {
  auto space = std::make_shared<cuda>();
  auto out = std::make_shared<device_array<T>>(extents<1>(1), *space);
  const auto enqueue = [=](std::int64_t) {
    fma_kernel<T><<<blocks, fma_threads, 0, space->native_stream()>>>(
        static_cast<T>(0.999), static_cast<T>(0.001), out->data_handle());
    check_cuda(cudaGetLastError(), "fma kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

candidate fma_tensor_peak(unsigned blocks) {
  auto space = std::make_shared<cuda>();
  auto out = std::make_shared<device_array<double>>(extents<1>(1), *space);
  const auto enqueue = [=](std::int64_t) {
    fma_tensor_kernel<<<blocks, fma_threads, 0, space->native_stream()>>>(1e-4, out->data_handle());
    check_cuda(cudaGetLastError(), "tensor kernel");
  };
  return resident(space, enqueue, [] { return outcome{}; });
}

void list_arithmetic(lineup& add) {
  const tandem::cuda_device device = cuda::devices().front();
  const auto blocks = static_cast<unsigned>(device.multiprocessors * fma_blocks_per_multiprocessor);
  const double threads = static_cast<double>(blocks) * fma_threads;
  const double flops = 2.0 * threads * fma_chains * fma_steps;
  add(peer(peak_problem("fma", "f32", flops / 2, 0, flops), "cuda", "raw",
           [=] { return fma_peak<float>(blocks); }));
  add(peer(peak_problem("fma", "f64", flops / 2, 0, flops), "cuda", "raw",
           [=] { return fma_peak<double>(blocks); }));
  if (device.compute_capability < 80) return;
  const double tensor = threads / 32 * tensor_flops * tensor_chains * tensor_steps;
  add(peer(peak_problem("fma_tensor", "f64", tensor / 2, 0, tensor), "cuda", "raw",
           [=] { return fma_tensor_peak(blocks); }));
}

void list_gpu(const settings& chosen, lineup& add) {
  if (!gpu_present()) return;
  // A GPU's bandwidth rises beyond the sizes at which a CPU's is constant.
  const index_t n = 4 * peak_elements(chosen);
  const double size = static_cast<double>(n);
  const auto memory = [&](const char* name, double bytes, std::function<candidate()> make) {
    add(peer(peak_problem(name, "f32", size, bytes * size, 0), "cuda", "raw", std::move(make)));
  };
  memory("read", 4, [=] { return read_peak(n); });
  memory("update", 8, [=] { return stream_peak(n, scaled_sum<1>{0.4f}, true); });
  memory("copy", 8, [=] { return stream_peak(n, scaled_sum<1>{0}); });
  memory("triad", 12, [=] { return stream_peak(n, scaled_sum<2>{0.4f}); });
  list_arithmetic(add);
}

const registration gpu(list_gpu);

}  // namespace perf::peak_gpu
