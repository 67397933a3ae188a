// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/scan/kernels/floats.hpp>
#include <tandem/backends/openmp/scan/kernels/integers.hpp>

#include <limits>
#include <type_traits>

/// The scan's operations on vectors of `Bytes` bytes, and the table of their kernels.
namespace tandem::openmp_impl {
namespace {

template <class T, int Bytes>
struct lanes_base {
  using element = T;
  using vector = typename vector_of<T, Bytes>::type;
  static constexpr int width = Bytes / static_cast<int>(sizeof(T));
};

template <class T, int Bytes>
struct sum_lanes : lanes_base<T, Bytes> {
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return a + b;
  }
  static constexpr T identity() { return T{0}; }  // of integers
};

/// Minimum or maximum as tandem::min and max define them: the first of equal ones, and NaN if
/// either is NaN.
template <class T, int Bytes, bool Largest>
struct minmax_lanes : lanes_base<T, Bytes> {
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    const V better = (Largest ? a < b : b < a) ? b : a;
    if constexpr (std::is_integral_v<T>) return better;
    return b != b ? b : better;  // NOLINT(misc-redundant-expression): NaN differs from itself
  }
  static constexpr T identity() {  // of integers
    constexpr T value = Largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    return value;
  }
};

template <class Op>
constexpr scan_kernels<element_t<Op>> make_scan_kernels() {
  using T = element_t<Op>;
  if constexpr (std::is_integral_v<T>) {
    return {[](const T* x, int count) { return total_reassociated(Op{}, x, count); },
            [](const tile_output<T>& out) { return write_reassociated(Op{}, out); }};
  } else {
    return {[](const T* x, int count) { return canonical_total(Op{}, x, count); },
            [](const tile_output<T>& out) { return canonical_write(Op{}, out); }};
  }
}

template <int Bytes>
constexpr scan_table make_scan_table() {
  return {
      {make_scan_kernels<sum_lanes<float, Bytes>>(),
       make_scan_kernels<minmax_lanes<float, Bytes, false>>(),
       make_scan_kernels<minmax_lanes<float, Bytes, true>>()},
      {make_scan_kernels<sum_lanes<double, Bytes>>(),
       make_scan_kernels<minmax_lanes<double, Bytes, false>>(),
       make_scan_kernels<minmax_lanes<double, Bytes, true>>()},
      {make_scan_kernels<sum_lanes<std::uint32_t, Bytes>>(),
       make_scan_kernels<minmax_lanes<std::uint32_t, Bytes, false>>(),
       make_scan_kernels<minmax_lanes<std::uint32_t, Bytes, true>>()},
      {make_scan_kernels<sum_lanes<std::uint64_t, Bytes>>(),
       make_scan_kernels<minmax_lanes<std::uint64_t, Bytes, false>>(),
       make_scan_kernels<minmax_lanes<std::uint64_t, Bytes, true>>()},
      {make_scan_kernels<minmax_lanes<std::int32_t, Bytes, false>>(),
       make_scan_kernels<minmax_lanes<std::int32_t, Bytes, true>>()},
      {make_scan_kernels<minmax_lanes<std::int64_t, Bytes, false>>(),
       make_scan_kernels<minmax_lanes<std::int64_t, Bytes, true>>()},
  };
}

}  // namespace
}  // namespace tandem::openmp_impl
