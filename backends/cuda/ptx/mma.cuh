// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/numbers/half.hpp>

/// Warp-level matrix multiplies, and the loads and stores of their fragments in shared memory. One
/// instruction per function. Sections are those of the PTX ISA 9.2.
namespace tandem::cuda_impl::ptx {

/// Issues a copy of `Bytes` (4, 8 or 16) from global to shared memory. Only the first `valid` bytes
/// are read, and the rest are filled with 0; if valid == 0, `source` is not accessed. 9.7.9.25,
/// "cp.async", sm_80; below, byte loads and stores.
template <int Bytes>
__device__ __forceinline__ void copy_async_padded(std::uint32_t target, const void* source,
                                                  int valid) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "tandem: cp.async copies 4, 8 or 16 bytes");
#if __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source),
                 "r"(valid)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(source),
                 "n"(Bytes), "r"(valid)
                 : "memory");
  }
#else
  const auto* const bytes = static_cast<const unsigned char*>(source);
#pragma unroll
  for (int word = 0; word < Bytes / 4; ++word) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
      if (4 * word + i < valid) value |= static_cast<std::uint32_t>(bytes[4 * word + i]) << (8 * i);
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(target + 4 * word), "r"(value) : "memory");
  }
#endif
}

/// Writes 16 aligned bytes to shared memory. 9.7.9.12, "st".
__device__ __forceinline__ void store_shared(std::uint32_t target, const std::uint32_t (&x)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(target), "r"(x[0]), "r"(x[1]),
               "r"(x[2]), "r"(x[3])
               : "memory");
}

/// Loads four 8 x 8 matrices of 16-bit elements. Lane l supplies the address of row l % 8 of matrix
/// l / 8. Of each matrix, or of its transpose if `transposed`, it receives elements (l / 4, 2 (l %
/// 4)) and (l / 4, 2 (l % 4) + 1). Elements of other sizes are read as rows of 16 bytes.
///
/// Both forms are predicated in one block: for a branch, ptxas would emit a move per register.
/// 9.7.14.5.15, "ldmatrix", sm_75.
__device__ __forceinline__ void load_matrices(std::uint32_t (&x)[4], std::uint32_t row,
                                              bool transposed) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %5, 0;\n\t"
      "@p ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n\t"
      "@!p ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n\t}"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
      : "r"(row), "r"(static_cast<int>(transposed))
      : "memory");
}

/// Stores four 8 x 8 matrices of 16-bit elements. Lanes 8 i to 8 i + 7 supply the addresses of the
/// 16-byte rows of matrix i. Lane l holds columns 2 (l % 4), 2 (l % 4) + 1 of row l / 4 of each.
/// "stmatrix", sm_90.
__device__ __forceinline__ void store_matrices(std::uint32_t row, const std::uint32_t (&x)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
}

/// Rounds two floats to bf16, the first in the lower half. "cvt", .bf16x2.
__device__ __forceinline__ std::uint32_t pack_bf16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(first), "f"(second));
  return packed;
}

/// Rounds two floats to half, the first in the lower half. "cvt", .f16x2.
__device__ __forceinline__ std::uint32_t pack_half(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(first), "f"(second));
  return packed;
}

/// Returns T(x). Rounds floats to half by an instruction; NaN has the bits of half(x). "cvt", .f16.
template <class T, class Sum>
__device__ __forceinline__ T convert(Sum x) {
  if constexpr (std::is_same_v<T, half> && std::is_same_v<Sum, float>) {
    std::uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    const std::uint32_t nan = (__float_as_uint(x) >> 16 & 0x8000u) | 0x7e00u;
    return half::from_bits(x == x ? bits : static_cast<std::uint16_t>(nan));
  } else {
    return static_cast<T>(x);
  }
}

/// Stores two floats in shared memory, 8 aligned bytes. "st", .v2.
__device__ __forceinline__ void store_shared(std::uint32_t target, float first, float second) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(target), "f"(first), "f"(second)
               : "memory");
}

/// Stores a float in shared memory. "st".
__device__ __forceinline__ void store_shared(std::uint32_t target, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(target), "f"(x) : "memory");
}

/// Stores two words in shared memory, 8 aligned bytes. "st", .v2.
__device__ __forceinline__ void store_shared(std::uint32_t target, std::uint32_t first,
                                             std::uint32_t second) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(target), "r"(first), "r"(second)
               : "memory");
}

/// Loads a float or a word from shared memory. "ld".
template <class T>
__device__ __forceinline__ T load_shared(std::uint32_t source) {
  T x;
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(source) : "memory");
  } else {
    static_assert(sizeof(T) == 4);
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(source) : "memory");
  }
  return x;
}

/// c += a * b on a warp's tensor cores: 16 x 8 sums in float. With row = l / 4 and quad = l % 4,
/// lane l holds c[row][2 quad], c[row][2 quad + 1] and the same of row + 8. Of a it holds the 4
/// bytes at quad in the first 16 bytes of rows `row` and row + 8, then those in the second 16
/// bytes; of b, those of column `row`. 9.7.14.5.8, "Matrix Fragments for mma.m16n8k16 with floating
/// point type", sm_80.
__device__ __forceinline__ void mma_bf16(float (&c)[4], const std::uint32_t (&a)[4],
                                         std::uint32_t b0, std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  __trap();
#endif
}

/// Rounds a float to the 11 significant bits of tf32, to nearest even, as tensor copies do; NaN
/// stays NaN. 9.7.9.22, "cvt", sm_90; below, the same in integer arithmetic.
__device__ __forceinline__ std::uint32_t round_tf32(std::uint32_t x) {
#if __CUDA_ARCH__ >= 900
  std::uint32_t rounded;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(x)));
  return rounded;
#else
  const bool is_nan = (x & 0x7fffffffu) > 0x7f800000u;
  return is_nan ? 0x7fffffffu : (x + 0xfffu + (x >> 13 & 1u)) & 0xffffe000u;
#endif
}

/// Multiplies tf32 elements with the fragments and sums of mma_bf16; the low 13 bits of each float
/// are ignored. 8 terms. 9.7.14.5.7, "Matrix Fragments for mma.m16n8k8", sm_80.
__device__ __forceinline__ void mma_tf32(float (&c)[4], const std::uint32_t (&a)[4],
                                         std::uint32_t b0, std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  __trap();
#endif
}

/// mma_bf16 for elements of half. 9.7.14.5.8, "Matrix Fragments for mma.m16n8k16 with floating
/// point type", sm_80; below, two steps of 8 terms by mma.m16n8k8 (9.7.14.5.7), sm_75.
__device__ __forceinline__ void mma_half(float (&c)[4], const std::uint32_t (&a)[4],
                                         std::uint32_t b0, std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b0));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

#if __CUDA_ARCH__ < 800
/// c += a * b for 8 x 8 sums and 16 terms of 8-bit integers, modulo 2^32. 9.7.14.5.3, "Matrix
/// Fragments for mma.m8n8k16", sm_75.
__device__ __forceinline__ void mma_m8n8k16(int& c0, int& c1, std::uint32_t a, std::uint32_t b) {
  asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, "
      "{%0, %1};"
      : "+r"(c0), "+r"(c1)
      : "r"(a), "r"(b));
}
#endif

/// Multiplies 8-bit integers with the fragments of mma_bf16: 32 terms, sums modulo 2^32.
/// 9.7.14.5.10, "Matrix Fragments for mma.m16n8k32", sm_80; below, four instructions that compute a
/// quarter each.
__device__ __forceinline__ void mma_int8(int (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  mma_m8n8k16(c[0], c[1], a[0], b0);
  mma_m8n8k16(c[2], c[3], a[1], b0);
  mma_m8n8k16(c[0], c[1], a[2], b1);
  mma_m8n8k16(c[2], c[3], a[3], b1);
#endif
}

}  // namespace tandem::cuda_impl::ptx
