// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

/// Atomics on global and shared memory, for core/atomic.hpp. They are relaxed and return the
/// previous value. Their scope is the device, or the block if their name begins with team_. Source:
/// CUDA C++ Programming Guide, "Atomic Functions".
namespace tandem::device {

/// The integer type for CUDA's atomics with the size of T, signed if `Signed`.
template <class T, bool Signed>
using atomic_word = std::conditional_t<sizeof(T) == 4, std::conditional_t<Signed, int, unsigned>,
                                       std::conditional_t<Signed, long long, unsigned long long>>;
template <class T>
using bits_of = atomic_word<T, false>;
template <class T>
using number_of = atomic_word<T, std::is_signed_v<T>>;

/// Reinterprets the bits of a value as another type of the same size.
template <class To, class From>
__device__ inline To as_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}

/// Replaces *p by change(*p) atomically. Writes nothing if the bits do not change, so that a
/// minimum or maximum costs one load once it has settled.
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

/// Replaces *p by *p + v. Integers wrap around.
///
/// Floats are added by compare-and-swap, because the instruction for global memory flushes
/// denormals to zero (PTX ISA, "atom"), which the CPU does not. If many threads update the same
/// float, use a reduction.
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

/// Replaces *p by tandem::min(*p, v): NaN if either is, *p if they compare equal.
template <class T>
__device__ inline T atomic_min(T* p, T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return atomic_update(p, [v](T old) { return v < old || v != v ? v : old; });
  } else {
    return static_cast<T>(
        atomicMin(reinterpret_cast<number_of<T>*>(p), static_cast<number_of<T>>(v)));
  }
}

/// Replaces *p by tandem::max(*p, v): NaN if either is, *p if they compare equal.
template <class T>
__device__ inline T atomic_max(T* p, T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return atomic_update(p, [v](T old) { return old < v || v != v ? v : old; });
  } else {
    return static_cast<T>(
        atomicMax(reinterpret_cast<number_of<T>*>(p), static_cast<number_of<T>>(v)));
  }
}

/// Replaces *p by *p & v.
template <class T>
__device__ inline T atomic_and(T* p, T v) {
  return static_cast<T>(atomicAnd(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// Replaces *p by *p | v.
template <class T>
__device__ inline T atomic_or(T* p, T v) {
  return static_cast<T>(atomicOr(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// Replaces *p by *p ^ v.
template <class T>
__device__ inline T atomic_xor(T* p, T v) {
  return static_cast<T>(atomicXor(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// Replaces *p by v.
template <class T>
__device__ inline T atomic_exchange(T* p, T v) {
  return static_cast<T>(atomicExch(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// Replaces *p by `desired` if it equals `expected`.
template <class T>
__device__ inline T atomic_compare_exchange(T* p, T expected, T desired) {
  return static_cast<T>(atomicCAS(reinterpret_cast<bits_of<T>*>(p),
                                  static_cast<bits_of<T>>(expected),
                                  static_cast<bits_of<T>>(desired)));
}

/// Replaces *p by change(*p) atomically among the threads of the block.
template <class T, class Change>
__device__ inline T team_atomic_update(T* p, const Change& change) {
  using Bits = bits_of<T>;
  auto* const word = reinterpret_cast<Bits*>(p);
  Bits seen = *static_cast<const volatile Bits*>(word);
  for (;;) {
    const Bits next = as_bits<Bits>(change(as_bits<T>(seen)));
    if (next == seen) return as_bits<T>(seen);
    const Bits found = atomicCAS_block(word, seen, next);
    if (found == seen) return as_bits<T>(seen);
    seen = found;
  }
}

/// Replaces *p by *p + v. Floats are added as in atomic_add, for the same reason.
template <class T>
__device__ inline T team_atomic_add(T* p, T v) {
  if constexpr (std::is_same_v<T, double>) {
    return atomicAdd_block(p, v);
  } else if constexpr (std::is_same_v<T, float>) {
    return team_atomic_update(p, [v](float old) { return __fadd_rn(old, v); });
  } else {
    return static_cast<T>(
        atomicAdd_block(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
  }
}

/// Minimum and maximum among the threads of a block, with the rules of atomic_min and atomic_max.
template <class T>
__device__ inline T team_atomic_min(T* p, T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return team_atomic_update(p, [v](T old) { return v < old || v != v ? v : old; });
  } else {
    return static_cast<T>(
        atomicMin_block(reinterpret_cast<number_of<T>*>(p), static_cast<number_of<T>>(v)));
  }
}
template <class T>
__device__ inline T team_atomic_max(T* p, T v) {
  if constexpr (std::is_floating_point_v<T>) {
    return team_atomic_update(p, [v](T old) { return old < v || v != v ? v : old; });
  } else {
    return static_cast<T>(
        atomicMax_block(reinterpret_cast<number_of<T>*>(p), static_cast<number_of<T>>(v)));
  }
}

/// Replaces *p by *p & v, *p | v, *p ^ v or v.
template <class T>
__device__ inline T team_atomic_and(T* p, T v) {
  return static_cast<T>(
      atomicAnd_block(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}
template <class T>
__device__ inline T team_atomic_or(T* p, T v) {
  return static_cast<T>(
      atomicOr_block(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}
template <class T>
__device__ inline T team_atomic_xor(T* p, T v) {
  return static_cast<T>(
      atomicXor_block(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}
template <class T>
__device__ inline T team_atomic_exchange(T* p, T v) {
  return static_cast<T>(
      atomicExch_block(reinterpret_cast<bits_of<T>*>(p), static_cast<bits_of<T>>(v)));
}

/// Replaces *p by `desired` if it equals `expected`.
template <class T>
__device__ inline T team_atomic_compare_exchange(T* p, T expected, T desired) {
  return static_cast<T>(atomicCAS_block(reinterpret_cast<bits_of<T>*>(p),
                                        static_cast<bits_of<T>>(expected),
                                        static_cast<bits_of<T>>(desired)));
}

}  // namespace tandem::device
