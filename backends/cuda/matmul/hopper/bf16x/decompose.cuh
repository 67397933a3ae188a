// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/bf16x/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <cuda_bf16.h>

/// The pass that decomposes both operands into components.
namespace tandem::cuda_impl {

/// Threads of a block of decompose_kernel.
inline constexpr int decompose_threads = 256;

__device__ __forceinline__ bool is_finite(float x) {
  return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

__device__ __forceinline__ float round_to_bf16(float x) {
  return __bfloat162float(__float2bfloat16_rn(x));
}

/// Decomposes x into three components. A finite value that would round to infinity is truncated
/// instead. A non-finite x becomes the first component, and the others are 0.
__device__ __forceinline__ void decompose(float x, float (&component)[bf16x_components]) {
  component[0] = round_to_bf16(x);
  float rest = 0;
  if (is_finite(x)) {
    if (!is_finite(component[0])) component[0] = __uint_as_float(__float_as_uint(x) & 0xffff0000u);
    rest = x - component[0];
  }
  component[1] = round_to_bf16(rest);
  component[2] = rest - component[1];
}

/// Reads 8 terms of a row; only `count` of them exist and the rest are 0.
__device__ __forceinline__ void read_terms(const bf16x_operand& operand, const float* source,
                                           index_t count, float (&x)[8]) {
  if (operand.vectorized && count >= 8) {
    const float4 low = reinterpret_cast<const float4*>(source)[0];
    const float4 high = reinterpret_cast<const float4*>(source)[1];
    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = i < count ? source[i * operand.source.k_stride] : 0.0f;
}

/// Writes the components of 8 terms, 16 bytes each.
__device__ __forceinline__ void write_components(const float (&x)[8], unsigned char* target) {
  std::uint32_t words[bf16x_components][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float even[bf16x_components];
    float odd[bf16x_components];
    decompose(x[2 * i], even);
    decompose(x[2 * i + 1], odd);
#pragma unroll
    for (int component = 0; component < bf16x_components; ++component) {
      words[component][i] =
          __float_as_uint(even[component]) >> 16 | (__float_as_uint(odd[component]) & 0xffff0000u);
    }
  }
#pragma unroll
  for (int component = 0; component < bf16x_components; ++component) {
    *reinterpret_cast<uint4*>(target + component * bf16x_component_bytes) = make_uint4(
        words[component][0], words[component][1], words[component][2], words[component][3]);
  }
}

/// One warp decomposes a group of 8 rows x bf16x_block_k terms, 8 terms of a row per lane. Adjacent
/// warps and lanes traverse what is contiguous in memory.
__device__ __forceinline__ void decompose_group(const bf16x_operand& operand, index_t k,
                                                index_t blocks, index_t warp) {
  const index_t matrix = warp / (operand.groups * blocks);
  const index_t inside = warp - matrix * operand.groups * blocks;
  const bool k_major = operand.source.outer_stride != 1;
  const index_t group = k_major ? inside / blocks : inside % operand.groups;
  const index_t block = k_major ? inside % blocks : inside / operand.groups;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int in_group = k_major ? lane / 4 : lane % 8;
  const int piece = k_major ? lane % 4 : lane / 8;
  const index_t row = group * bf16x_group + in_group;
  const index_t term = block * bf16x_block_k + piece * 8;
  float x[8];
  read_terms(operand,
             operand.source.data + matrix * operand.source.batch_stride +
                 row * operand.source.outer_stride + term * operand.source.k_stride,
             row < operand.outer ? k - term : 0, x);
  write_components(x, operand.components + (matrix * blocks + block) * operand.block_bytes() +
                          group * bf16x_group_bytes + in_group * 64 + (piece ^ in_group / 2) * 16);
}

/// Writes the components of a and b.
__global__ void __launch_bounds__(decompose_threads)
    decompose_kernel(const __grid_constant__ bf16x_arguments p) {
  ptx::grid_dependency_wait();
  const index_t warp = (static_cast<index_t>(blockIdx.x) * decompose_threads + threadIdx.x) / 32;
  const index_t warps_a = p.a.matrices * p.a.groups * p.blocks;
  const index_t warps_b = p.b.matrices * p.b.groups * p.blocks;
  if (warp < warps_a) {
    decompose_group(p.a, p.problem.k, p.blocks, warp);
  } else if (warp < warps_a + warps_b) {
    decompose_group(p.b, p.problem.k, p.blocks, warp - warps_a);
  }
}

}  // namespace tandem::cuda_impl
