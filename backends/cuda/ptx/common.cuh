// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// PTX instructions that CUDA C++ has no word for, one per function. Sections are those of the PTX
/// ISA 9.2, by number and title.
///
/// Where an architecture lacks an instruction, the function is absent or reaches its result by
/// other means; the comment says which.
namespace tandem::cuda_impl::ptx {

/// Returns x in a register, as a value that the compiler neither knows anything about nor computes
/// again where it is used. No instruction.
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

/// Keeps the compiler from reading the elements of x before this point, as of accumulators that
/// asynchronous instructions write. No instruction.
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

/// Adds to a number in global memory, whose old value nobody wants: for atomicAdd the compiler may
/// choose the instruction that returns it. 9.7.13, "red".
__device__ __forceinline__ void add_global(unsigned long long* number, unsigned long long value) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" : : "l"(number), "l"(value) : "memory");
}

/// Address of `pointer` in the shared window, as instructions on shared memory take it. 9.7.9,
/// "cvta".
__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Starts a copy of `Bytes` (4, 8 or 16) aligned bytes from global to shared memory; does nothing
/// unless `active`, and does not touch `source` then. The copy has happened after copy_async_wait
/// and is seen by other threads after a barrier.
///
/// The predicate is part of the instruction: around a branch ptxas would not interleave copies with
/// arithmetic. 9.7.9.25, "cp.async", sm_80; below, an ordinary load and store, which the same
/// barrier makes visible.
template <int Bytes>
__device__ __forceinline__ void copy_async(std::uint32_t target, const void* source, bool active) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16,
                "tandem: cp.async copies 4, 8 or 16 bytes");
#if __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16) {  // .cg: past L1, which only 16 bytes can be
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

/// Starts a copy of 16 bytes, without a predicate. Both addresses are multiples of 16. 9.7.9.25,
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

/// Closes this thread's group of copies. 9.7.9.25, "cp.async.commit_group", sm_80; below, copies
/// are done already.
__device__ __forceinline__ void copy_async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most the `Pending` youngest groups of this thread are unfinished. 9.7.9.25,
/// "cp.async.wait_group", sm_80; below, copies are done already.
template <int Pending>
__device__ __forceinline__ void copy_async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// Prefetches `bytes` bytes of global memory from `p` on into L2; a hint. 9.7.9.17, "prefetch".
__device__ __forceinline__ void prefetch_l2(const void* p, std::size_t bytes) {
  constexpr std::size_t step = 64;  // two sectors, the least that one prefetch fetches
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

/// Waits until the work before this kernel in its stream has ended and its writes are visible. The
/// first statement, in every thread, of each kernel whose launch states `programmatic_launch`.
/// 9.7.13, "griddepcontrol", sm_90; below, nothing, since kernels never overlap there.
__device__ __forceinline__ void grid_dependency_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel of the stream start its blocks where there is room; those that rely on this
/// kernel's work wait for it (grid_dependency_wait). 9.7.13, "griddepcontrol", sm_90; below,
/// nothing.
__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Counts up to `last` and then from 0 again; returns the count before. Those who call it one after
/// the other see all that the earlier ones wrote before. 9.7.13, "atom", .acq_rel.gpu .inc, sm_70.
__device__ __forceinline__ unsigned atom_inc_acq_rel(unsigned* counter, unsigned last) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(last)
               : "memory");
  return before;
}

}  // namespace tandem::cuda_impl::ptx
