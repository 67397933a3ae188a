// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/black_scholes/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::black_scholes_cuda {

constexpr int threads = 256;

/// Four options per thread, loaded and stored as words of 16 bytes; their number is a multiple of
/// four.
__global__ void __launch_bounds__(threads)
    price_kernel(const float4* __restrict__ share, const float4* __restrict__ strike,
                 const float4* __restrict__ years, float4* __restrict__ call,
                 float4* __restrict__ put, int words) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i >= words) return;
  const float4 s = __ldg(share + i);
  const float4 k = __ldg(strike + i);
  const float4 t = __ldg(years + i);
  const option_prices a = price_option(s.x, k.x, t.x);
  const option_prices b = price_option(s.y, k.y, t.y);
  const option_prices c = price_option(s.z, k.z, t.z);
  const option_prices d = price_option(s.w, k.w, t.w);
  call[i] = make_float4(a.call, b.call, c.call, d.call);
  put[i] = make_float4(a.put, b.put, c.put, d.put);
}

void price_by_hand(black_scholes<cuda>& kernel, cudaStream_t stream) {
  const auto n = kernel.share.size();
  const auto words = static_cast<int>(n / 4);
  const auto in = [](const auto& x) { return reinterpret_cast<const float4*>(x.data_handle()); };
  float* const call = kernel.prices.data_handle();
  price_kernel<<<blocks_for(words, threads), threads, 0, stream>>>(
      in(kernel.share), in(kernel.strike), in(kernel.years), reinterpret_cast<float4*>(call),
      reinterpret_cast<float4*>(call + n), words);
  check_launch("black_scholes");
}

const registration all(list_kernel<cuda, black_scholes<cuda>, price_by_hand>);

}  // namespace perf::black_scholes_cuda
