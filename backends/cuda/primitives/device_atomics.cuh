// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

/// Atomics on global and shared memory, for core/atomic.hpp: relaxed, device-wide, each returning
/// the value before it. CUDA C++ Programming Guide, "Atomic Functions".
namespace tandem::device {

/// The integer type of CUDA's own atomics that has the size and, if asked for, the sign of T.
template <class T, bool Signed>
using atomic_word = std::conditional_t<sizeof(T) == 4, std::conditional_t<Signed, int, unsigned>,
                                       std::conditional_t<Signed, long long, unsigned long long>>;
template <class T>
using bits_of = atomic_word<T, false>;
template <class T>
using number_of = atomic_word<T, std::is_signed_v<T>>;

/// The same bits as another type of the same size.
template <class To, class From>
__device__ inline To as_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}

/// Replaces *p by change(*p) in one step. Writes nothing when the bits stay what they are, so that
/// a minimum or maximum costs one load once it has settled.
template <class T, class Change>
__device__ inline T atomic_update(T* p, const Change& change) {
  using Bits = bits_of<T>;
  auto* const word = reinterpret_cast<Bits*>(p);
  Bits seen = *static_cast<const volatile Bits*>(word);
  for (;;) {
    const Bits next = as_bits<Bits>(change(as_bits<T>(seen)));
    if (next == seen) return as_bits<T>(seen);
    const Bits found = atomicCAS(word, seen, next);
    if (found == seen) return as_bits<T>(seen);
    seen = found;
  }
}

/// *p + v. Integers wrap around.
///
/// A float is added by compare-and-swap: the instruction for global memory takes denormals as zero
/// (PTX ISA, "atom"), which the CPU does not. Both are slow where many threads meet on one float
/// (0.6 G/s at best); reductions are for that.
template <class T>
__device__ inline T atomic_add(T* p, T v) {
  if constexpr (std::is_same_v<T, double>) {
    return atomicAdd(p, v);
  } else if constexpr (std::is_same_v<T, float>) {
    return atomic_update(p, [v](float old) { return __fadd_rn(old, v); });
  } else {
    return static_cast<T>(atomicAdd(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
  }
}

/// The smaller of *p and v; NaN if either is, *p if they compare equal: tandem::min's rule.
template <class T>
__device__ inline T atomic_min(T* p, T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return atomic_update(p, [v](T old) { return v < old || v != v ? v : old; });
  } else {
    return static_cast<T>(
        atomicMin(reinterpret_cast<number_of<T>*>(p), static_cast<number_of<T>>(v)));
  }
}

/// The larger of *p and v; NaN if either is, *p if they compare equal: tandem::max's rule.
template <class T>
__device__ inline T atomic_max(T* p, T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return atomic_update(p, [v](T old) { return old < v || v != v ? v : old; });
  } else {
    return static_cast<T>(
        atomicMax(reinterpret_cast<number_of<T>*>(p), static_cast<number_of<T>>(v)));
  }
}

/// *p & v.
template <class T>
__device__ inline T atomic_and(T* p, T v) {
  return static_cast<T>(atomicAnd(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// *p | v.
template <class T>
__device__ inline T atomic_or(T* p, T v) {
  return static_cast<T>(atomicOr(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// *p ^ v.
template <class T>
__device__ inline T atomic_xor(T* p, T v) {
  return static_cast<T>(atomicXor(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// v.
template <class T>
__device__ inline T atomic_exchange(T* p, T v) {
  return static_cast<T>(atomicExch(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// `desired` where *p is `expected`.
template <class T>
__device__ inline T atomic_compare_exchange(T* p, T expected, T desired) {
  return static_cast<T>(atomicCAS(reinterpret_cast<bits_of<T>*>(p),
                                  static_cast<bits_of<T>>(expected),
                                  static_cast<bits_of<T>>(desired)));
}

}  // namespace tandem::device
