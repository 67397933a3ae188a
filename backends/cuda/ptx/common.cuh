// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// PTX instructions that CUDA C++ does not expose, one per function. Sections of the PTX ISA 9.2
/// are cited by number and title.
///
/// If an architecture lacks an instruction, its function is either absent or emulated; the comment
/// says which.
namespace tandem::cuda_impl::ptx {

/// Returns x in a register, as a value that is opaque to the compiler and that it does not
/// recompute at each use. Emits no instruction.
template <class T>
__device__ __forceinline__ T optimization_barrier(T x) {
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("" : "+f"(x));
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("" : "+r"(x));
  } else {
    asm volatile("" : "+l"(x));
  }
  return x;
}

/// Keeps the compiler from reading the elements of x before this point; needed for accumulators
/// that asynchronous instructions write. Emits no instruction.
template <class T, int Count>
__device__ __forceinline__ void optimization_barrier(T (&x)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      asm volatile("" : "+f"(x[i])::"memory");
    } else {
      asm volatile("" : "+r"(x[i])::"memory");
    }
  }
}

/// Adds to a number in global memory without returning the old value. For atomicAdd, the compiler
/// may choose the instruction that returns it. 9.7.13, "red".
__device__ __forceinline__ void add_global(unsigned long long* number, unsigned long long value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" : : "l"(number), "l"(value) : "memory");
}

/// Address of `pointer` in the shared window, as shared memory instructions expect it. 9.7.9,
/// "cvta".
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Issues a copy of `Bytes` (4, 8 or 16) aligned bytes from global to shared memory. If not
/// `active`, does nothing and does not access `source`. The copy is complete after copy_async_wait,
/// and visible to other threads after a barrier.
///
/// The instruction is predicated: ptxas would not interleave copies with arithmetic across a
/// branch. 9.7.9.25, "cp.async", sm_80; below, an ordinary load and store, which the same barrier
/// makes visible.
template <int Bytes>
__device__ __forceinline__ void copy_async(std::uint32_t target, const void* source, bool active) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "tandem: cp.async copies 4, 8 or 16 bytes");
#if __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16) {  // .cg bypasses L1, only with 16 bytes
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t@p cp.async.cg.shared.global [%0], [%1], "
        "16;\n\t}" ::"r"(target),
        "l"(source), "r"(static_cast<int>(active))
        : "memory");
  } else {
    asm volatile(
        "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t@p cp.async.ca.shared.global [%0], [%1], "
        "%3;\n\t}" ::"r"(target),
        "l"(source), "r"(static_cast<int>(active)), "n"(Bytes)
        : "memory");
  }
#else
  if (!active) return;
#pragma unroll
  for (int word = 0; word < Bytes / 4; ++word) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(target + 4 * word),
                 "r"(static_cast<const std::uint32_t*>(source)[word])
                 : "memory");
  }
#endif
}

/// Issues a copy of 16 bytes, unpredicated. Both addresses must be multiples of 16. 9.7.9.25,
/// "cp.async", sm_80; below, an ordinary load and store.
__device__ __forceinline__ void copy_async(uint4* target, const uint4* source) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(target)),
               "l"(source)
               : "memory");
#else
  *target = *source;
#endif
}

/// Commits this thread's group of copies. 9.7.9.25, "cp.async.commit_group", sm_80; below, copies
/// have already completed.
__device__ __forceinline__ void copy_async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's most recent groups are in flight. 9.7.9.25,
/// "cp.async.wait_group", sm_80; below, copies have already completed.
template <int Pending>
__device__ __forceinline__ void copy_async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// Prefetches `bytes` bytes of global memory starting at `p` into L2; a hint. 9.7.9.17, "prefetch".
__device__ __forceinline__ void prefetch_l2(const void* p, std::size_t bytes) {
  constexpr std::size_t step = 64;  // two sectors, the granularity of a prefetch
  for (std::size_t i = 0; i < bytes; i += step)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(p) + i));
}

/// c += a * b on the tensor cores of a warp: 8 x 8 doubles, 4 terms. Lane l holds a[l / 4][l % 4],
/// b[l % 4][l / 4] and c[l / 4][2 (l % 4)], c[l / 4][2 (l % 4) + 1]. 9.7.14.5.2, "Matrix Fragments
/// for mma.m8n8k4 with .f64 floating point type", sm_80; absent below.
__device__ __forceinline__ void mma_m8n8k4(double& c0, double& c1, double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
#else
  __trap();
#endif
}

/// c += a * b on the tensor cores of a warp: 16 x 8 doubles, 4 terms. With row = l / 4 and term = l
/// % 4 lane l holds a[row][term], a[row + 8][term]; b[term][row]; and c[row][2 term], c[row][2 term
/// + 1], c[row + 8][2 term], c[row + 8][2 term + 1]. 9.7.14.5.6, "Matrix Fragments for
/// mma.m16n8k4", sm_90; absent below.
__device__ __forceinline__ void mma_m16n8k4(double& c0, double& c1, double& c2, double& c3,
                                            double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
      : "d"(a0), "d"(a1), "d"(b));
#else
  __trap();
#endif
}

/// Waits until the preceding work in the stream has completed and its writes are visible. Must be
/// the first statement, in every thread, of each kernel launched with `programmatic_launch`.
/// 9.7.13, "griddepcontrol", sm_90; below, nothing, since kernels never overlap there.
__device__ __forceinline__ void grid_dependency_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Increments a counter that wraps to 0 after `last`; returns the previous count. A caller sees
/// everything that earlier callers wrote before their call. 9.7.13, "atom", .acq_rel.gpu .inc,
/// sm_70.
__device__ __forceinline__ unsigned atom_inc_acq_rel(unsigned* counter, unsigned last) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(last)
               : "memory");
  return before;
}

}  // namespace tandem::cuda_impl::ptx
