// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/link_guard.hpp>
#include <tandem/core/math.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

namespace tandem {

/// Integer types of the atomics: 32 and 64 bits.
template <class T>
concept atomic_integer = std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Types of atomic_add, atomic_min and atomic_max. The order of floating-point additions is not
/// fixed, so neither are the bits of their sum; parallel_reduce and weighted histograms have fixed
/// bits.
template <class T>
concept atomic_number = atomic_integer<T> || std::same_as<T, float> || std::same_as<T, double>;

/// Host atomics: relaxed, each returns the previous value.
namespace host {

/// Atomically replaces *p by change(*p); returns the old value.
template <class T, class Change>
inline T atomic_update(T* p, const Change& change) {
  T seen;
  __atomic_load(p, &seen, __ATOMIC_RELAXED);
  T next = change(seen);
  while (!__atomic_compare_exchange(p, &seen, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    next = change(seen);
  return seen;
}

template <class T>
inline T atomic_add(T* p, T v) {
  if constexpr (std::is_integral_v<T>) {
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
  } else {
    return atomic_update(p, [v](T old) { return old + v; });
  }
}
template <class T>
inline T atomic_min(T* p, T v) {
  return atomic_update(p, [v](T old) { return tandem::min(old, v); });
}
template <class T>
inline T atomic_max(T* p, T v) {
  return atomic_update(p, [v](T old) { return tandem::max(old, v); });
}
template <class T>
inline T atomic_and(T* p, T v) {
  return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_or(T* p, T v) {
  return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_xor(T* p, T v) {
  return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_exchange(T* p, T v) {
  return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_compare_exchange(T* p, T expected, T desired) {
  T seen = expected;
  __atomic_compare_exchange_n(p, &seen, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
}

/// Replaces *p by change(*p) if one thread runs all accesses to it; returns the old value. A
/// checked build, which distinguishes atomic from plain accesses, keeps the atomic.
template <class T, class Change>
inline T team_update(T* p, const Change& change) {
#if TANDEM_CHECKED > 1
  checked::begin_team_atomic(p);
  return atomic_update(p, change);
#else
  // Plain instructions, but the compiler treats them as atomic: otherwise it would vectorise a
  // phase's updates as if no two lanes accessed the same element.
  T old;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  T next = change(old);
  __atomic_store(p, &next, __ATOMIC_RELAXED);
  return old;
#endif
}

template <class T>
inline T team_atomic_add(T* p, T v) {
  return team_update(p, [v](T old) {
    if constexpr (std::is_integral_v<T>) {
      using Bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(v));
    } else {
      return old + v;
    }
  });
}
template <class T>
inline T team_atomic_min(T* p, T v) {
  return team_update(p, [v](T old) { return tandem::min(old, v); });
}
template <class T>
inline T team_atomic_max(T* p, T v) {
  return team_update(p, [v](T old) { return tandem::max(old, v); });
}
template <class T>
inline T team_atomic_and(T* p, T v) {
  return team_update(p, [v](T old) { return static_cast<T>(old & v); });
}
template <class T>
inline T team_atomic_or(T* p, T v) {
  return team_update(p, [v](T old) { return static_cast<T>(old | v); });
}
template <class T>
inline T team_atomic_xor(T* p, T v) {
  return team_update(p, [v](T old) { return static_cast<T>(old ^ v); });
}
template <class T>
inline T team_atomic_exchange(T* p, T v) {
  return team_update(p, [v](T) { return v; });
}
template <class T>
inline T team_atomic_compare_exchange(T* p, T expected, T desired) {
  return team_update(p, [=](T old) { return old == expected ? desired : old; });
}

}  // namespace host

/// Which threads may access a variable concurrently with an atomic: all threads of a device or
/// host, or only the lanes of one team, as for elements of its scratch. The latter costs a plain
/// access on a CPU, on which one thread runs a team.
enum class scope : unsigned char { device, team };

// All atomics are relaxed: they do not order other accesses. Each returns the previous value.

/// x += v. Integers wrap around.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64, float
///               or double
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_number T>
TANDEM_FUNCTION inline T atomic_add(T& x, std::type_identity_t<T> v, scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_add(&x, v);
  return detail::target::atomic_add(&x, v);
}

/// x = min(x, v), with tandem::min's treatment of NaN.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64, float
///               or double
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_number T>
TANDEM_FUNCTION inline T atomic_min(T& x, std::type_identity_t<T> v, scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_min(&x, v);
  return detail::target::atomic_min(&x, v);
}

/// x = max(x, v), with tandem::max's treatment of NaN.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64, float
///               or double
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_number T>
TANDEM_FUNCTION inline T atomic_max(T& x, std::type_identity_t<T> v, scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_max(&x, v);
  return detail::target::atomic_max(&x, v);
}

/// x &= v.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_and(T& x, std::type_identity_t<T> v, scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_and(&x, v);
  return detail::target::atomic_and(&x, v);
}

/// x |= v.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_or(T& x, std::type_identity_t<T> v, scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_or(&x, v);
  return detail::target::atomic_or(&x, v);
}

/// x ^= v.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_xor(T& x, std::type_identity_t<T> v, scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_xor(&x, v);
  return detail::target::atomic_xor(&x, v);
}

/// x = v.
///
/// @param x      an element of an array or of a team's scratch: int32, uint32, int64, uint64
/// @param v      a value of x's type
/// @param among  who may access x concurrently: all threads, or the lanes of one team
/// Returns       the previous value. Relaxed: orders no other accesses
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_exchange(T& x, std::type_identity_t<T> v,
                                         scope among = scope::device) {
  if (among == scope::team) return detail::target::team_atomic_exchange(&x, v);
  return detail::target::atomic_exchange(&x, v);
}

/// x = desired if x == expected; the exchange happened if and only if the returned value equals
/// `expected`.
///
/// @param x                  an element of an array or of a team's scratch: an integer of 32 or 64
///                           bits
/// @param expected, desired  values of x's type
/// @param among              who may access x concurrently: all threads, or the lanes of one team
/// Returns                   the previous value. Relaxed: orders no other accesses
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_compare_exchange(T& x, std::type_identity_t<T> expected,
                                                 std::type_identity_t<T> desired,
                                                 scope among = scope::device) {
  if (among == scope::team)
    return detail::target::team_atomic_compare_exchange(&x, expected, desired);
  return detail::target::atomic_compare_exchange(&x, expected, desired);
}

}  // namespace tandem
