// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tandem {

/// Integers that atomics work on: 32 and 64 bits.
template <class T>
concept atomic_integer = std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Types that atomic_add, atomic_min and atomic_max work on. The order of floating-point additions
/// is not fixed, so neither are the bits of their sum; parallel_reduce and weighted histograms have
/// fixed ones.
template <class T>
concept atomic_number = atomic_integer<T> || std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

/// Replaces x by change(x) as one step; returns the old value.
template <class T, class Change>
inline T atomic_update(T& x, const Change& change) {
  T seen;
  __atomic_load(&x, &seen, __ATOMIC_RELAXED);
  T next = change(seen);
  while (!__atomic_compare_exchange(&x, &seen, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    next = change(seen);
  return seen;
}

}  // namespace detail

// All atomics are relaxed: they order nothing but themselves. Each returns the value before it. On
// a host, x may be shared by threads; on a device, by all threads of the device.

/// x += v. Integers wrap around.
template <atomic_number T>
TANDEM_FUNCTION inline T atomic_add(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_add(&x, v);
#else
  if constexpr (std::is_integral_v<T>) {
    return __atomic_fetch_add(&x, v, __ATOMIC_RELAXED);
  } else {
    return detail::atomic_update(x, [v](T old) { return old + v; });
  }
#endif
}

/// x = min(x, v), with tandem::min's treatment of NaN.
template <atomic_number T>
TANDEM_FUNCTION inline T atomic_min(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_min(&x, v);
#else
  return detail::atomic_update(x, [v](T old) { return tandem::min(old, v); });
#endif
}

/// x = max(x, v), with tandem::max's treatment of NaN.
template <atomic_number T>
TANDEM_FUNCTION inline T atomic_max(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_max(&x, v);
#else
  return detail::atomic_update(x, [v](T old) { return tandem::max(old, v); });
#endif
}

/// x &= v.
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_and(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_and(&x, v);
#else
  return __atomic_fetch_and(&x, v, __ATOMIC_RELAXED);
#endif
}

/// x |= v.
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_or(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_or(&x, v);
#else
  return __atomic_fetch_or(&x, v, __ATOMIC_RELAXED);
#endif
}

/// x ^= v.
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_xor(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_xor(&x, v);
#else
  return __atomic_fetch_xor(&x, v, __ATOMIC_RELAXED);
#endif
}

/// x = v.
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_exchange(T& x, std::type_identity_t<T> v) {
#if TANDEM_DEVICE_PASS
  return device::atomic_exchange(&x, v);
#else
  return __atomic_exchange_n(&x, v, __ATOMIC_RELAXED);
#endif
}

/// x = desired if x == expected; the exchange happened exactly when the returned value equals
/// `expected`.
template <atomic_integer T>
TANDEM_FUNCTION inline T atomic_compare_exchange(T& x, std::type_identity_t<T> expected,
                                                 std::type_identity_t<T> desired) {
#if TANDEM_DEVICE_PASS
  return device::atomic_compare_exchange(&x, expected, desired);
#else
  T seen = expected;
  __atomic_compare_exchange_n(&x, &seen, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
#endif
}

}  // namespace tandem
