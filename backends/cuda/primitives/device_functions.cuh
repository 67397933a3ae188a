// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/math/inverse_pi.hpp>
#include <tandem/core/random/normal_cubics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

/// The device functions that core needs: arithmetic that the compiler neither fuses nor
/// approximates, and read-only loads. Atomics are in device_atomics.cuh, teams in device_team.cuh.
/// Source: CUDA C++ Programming Guide, "Mathematical Functions" and "Read-Only Data Cache Load
/// Function".
namespace tandem::device {

/// Whether a multiprocessor processes only a few doubles per cycle. This is true of all but 6.0,
/// 7.0, 8.0, 9.0 and 10.0. Source: CUDA C++ Programming Guide, "Throughput of Native Arithmetic
/// Instructions".
#if defined(__CUDA_ARCH__)
inline constexpr bool doubles_are_slow = __CUDA_ARCH__ % 100 != 0 || __CUDA_ARCH__ > 1000;
#else
inline constexpr bool doubles_are_slow = false;
#endif

__device__ inline float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
/// The product; no compiler flag allows contracting it with a sum.
__device__ inline double rounded_product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float sqrt(float x) { return __fsqrt_rn(x); }
__device__ inline double sqrt(double x) { return __dsqrt_rn(x); }
/// 1 / sqrt(x) in one instruction, which takes subnormal numbers for zero.
__device__ inline float nearly_rsqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float rint(float x) { return ::rintf(x); }
__device__ inline double rint(double x) { return ::rint(x); }
__device__ inline float floor(float x) { return ::floorf(x); }
__device__ inline double floor(double x) { return ::floor(x); }
/// rint(x) as an integer, in one instruction.
__device__ inline std::int64_t nearest_integer(double x) { return __double2ll_rn(x); }

/// Returns all 64 bits of a product. If a factor has more than 31 bits, the compiler would emit a
/// full 64-bit multiplication.
__device__ inline std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) {
  std::uint64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}

/// Returns element `i` of the table in inverse_pi.hpp, which the compiler places in global memory.
__device__ inline double multiple_of_inverse_pi(std::size_t i) {
  static const detail::math::multiples_of_inverse_pi multiples{};
  return multiples.parts[i];
}

/// Returns row `i` of the table in normal_cubics.hpp, also in global memory.
__device__ inline const detail::cubic& normal_cubic(std::uint32_t i) {
  static const detail::normal_cubics cubics{};
  return cubics.rows[i];
}

/// Returns p and keeps the compiler from recomputing it for each element accessed through it.
template <class T>
__device__ inline const T* in_register(const T* p) {
  return cuda_impl::ptx::optimization_barrier(p);
}

/// Loads through the read-only path. The compiler may move such loads past stores, so several loads
/// of a loop can be in flight.
template <class T>
__device__ inline T load_constant(const T* p) {
  if constexpr (requires { __ldg(p); }) {
    return __ldg(p);
  } else {
    return *p;
  }
}

/// Prints the violation and aborts the kernel; the host's next call throws device_error. `view`
/// identifies the view: "view 'x'".
__device__ inline void fail_bounds(const char* view, int dimension, std::int64_t index,
                                   std::int64_t extent) {
  printf(
      "tandem: %s: index %lld of dimension %d is outside its extent %lld (block %u, %u, %u, thread "
      "%u, %u, %u)\n",
      view, static_cast<long long>(index), dimension, static_cast<long long>(extent), blockIdx.x,
      blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  __trap();
}
__device__ inline void fail_rows(const char* view, std::int64_t row, std::int64_t begin,
                                 std::int64_t end) {
  printf(
      "tandem: %s: index %lld of dimension 0 is outside the rows that are here, %lld to below %lld "
      "(block %u, %u, %u, thread %u, %u, %u)\n",
      view, static_cast<long long>(row), static_cast<long long>(begin), static_cast<long long>(end),
      blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  __trap();
}
__device__ inline void fail_memory_space(const char* view) {
  printf(
      "tandem: %s: its elements lie in the memory of the host, which kernels of a device cannot "
      "access (block %u, %u, %u, thread %u, %u, %u)\n",
      view, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  __trap();
}

}  // namespace tandem::device
