// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/bf16x/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <cuda_bf16.h>

/// The pass that splits both operands into parts.
namespace tandem::cuda_impl {

/// Threads of a block of split_kernel.
inline constexpr int split_pass_threads = 256;

__device__ __forceinline__ bool is_finite(float x) {
  return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

__device__ __forceinline__ float round_to_bf16(float x) {
  return __bfloat162float(__float2bfloat16_rn(x));
}

/// x in three parts. What would round to an infinity is cut instead; what is not finite is its own
/// first part, and the others are 0.
__device__ __forceinline__ void split_float(float x, float (&part)[split_parts]) {
  part[0] = round_to_bf16(x);
  float rest = 0;
  if (is_finite(x)) {
    if (!is_finite(part[0])) part[0] = __uint_as_float(__float_as_uint(x) & 0xffff0000u);
    rest = x - part[0];
  }
  part[1] = round_to_bf16(rest);
  part[2] = rest - part[1];
}

/// Reads 8 terms of a row, of which `count` exist; the others are 0.
__device__ __forceinline__ void read_terms(const split_operand& operand, const float* source,
                                           index_t count, float (&x)[8]) {
  if (operand.wide && count >= 8) {
    const float4 low = reinterpret_cast<const float4*>(source)[0];
    const float4 high = reinterpret_cast<const float4*>(source)[1];
    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = i < count ? source[i * operand.source.k_stride] : 0.0f;
}

/// Writes the parts of 8 terms, 16 bytes each.
__device__ __forceinline__ void write_parts(const float (&x)[8], unsigned char* target) {
  std::uint32_t words[split_parts][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float even[split_parts];
    float odd[split_parts];
    split_float(x[2 * i], even);
    split_float(x[2 * i + 1], odd);
#pragma unroll
    for (int part = 0; part < split_parts; ++part) {
      words[part][i] =
          __float_as_uint(even[part]) >> 16 | (__float_as_uint(odd[part]) & 0xffff0000u);
    }
  }
#pragma unroll
  for (int part = 0; part < split_parts; ++part) {
    *reinterpret_cast<uint4*>(target + part * split_part_bytes) =
        make_uint4(words[part][0], words[part][1], words[part][2], words[part][3]);
  }
}

/// One warp splits a group of 8 rows x split_k terms, a lane 8 terms of a row. Neighbouring warps,
/// and lanes, walk what is contiguous in memory.
__device__ __forceinline__ void split_one_group(const split_operand& operand, index_t k,
                                                index_t blocks, index_t warp) {
  const index_t matrix = warp / (operand.groups * blocks);
  const index_t inside = warp - matrix * operand.groups * blocks;
  const bool k_major = operand.source.outer_stride != 1;
  const index_t group = k_major ? inside / blocks : inside % operand.groups;
  const index_t block = k_major ? inside % blocks : inside / operand.groups;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int in_group = k_major ? lane / 4 : lane % 8;
  const int piece = k_major ? lane % 4 : lane / 8;
  const index_t row = group * split_group + in_group;
  const index_t term = block * split_k + piece * 8;
  float x[8];
  read_terms(operand,
             operand.source.data + matrix * operand.source.batch_stride +
                 row * operand.source.outer_stride + term * operand.source.k_stride,
             row < operand.outer ? k - term : 0, x);
  write_parts(x, operand.parts + (matrix * blocks + block) * operand.block_bytes() +
                     group * split_group_bytes + in_group * 64 + (piece ^ in_group / 2) * 16);
}

/// The parts of a and b.
__global__ void __launch_bounds__(split_pass_threads)
    split_kernel(const __grid_constant__ split_arguments p) {
  ptx::grid_dependency_wait();
  const index_t warp = (static_cast<index_t>(blockIdx.x) * split_pass_threads + threadIdx.x) / 32;
  const index_t warps_a = p.a.matrices * p.a.groups * p.blocks;
  const index_t warps_b = p.b.matrices * p.b.groups * p.blocks;
  if (warp < warps_a) {
    split_one_group(p.a, p.problem.k, p.blocks, warp);
  } else if (warp < warps_a + warps_b) {
    split_one_group(p.b, p.problem.k, p.blocks, warp - warps_a);
  }
}

}  // namespace tandem::cuda_impl
