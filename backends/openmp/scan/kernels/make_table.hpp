// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/scan/kernels/floats.hpp>
#include <tandem/backends/openmp/scan/kernels/integers.hpp>

#include <limits>
#include <type_traits>

/// The scan's operations on vectors, for the files of one instruction set. `File` is a type local
/// to the file.
namespace tandem::openmp_impl {

template <class File, class T>
struct lanes_base {
  using element = T;
  using vector = typename vector_of<T, File::vector_bytes>::type;
  static constexpr int width = File::vector_bytes / static_cast<int>(sizeof(T));
};

template <class File, class T>
struct sum_lanes : lanes_base<File, T> {
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    return a + b;
  }
  static constexpr T identity() { return T{0}; }  // of integers
};

/// Minimum or maximum as in tandem::min and max: the first of equal ones, and NaN if one is NaN.
template <class File, class T, bool Largest>
struct minmax_lanes : lanes_base<File, T> {
  template <class V>
  [[gnu::always_inline]] static V combine(V a, V b) {
    const V better = (Largest ? a < b : b < a) ? b : a;
    if constexpr (std::is_integral_v<T>) return better;
    return b != b ? b : better;
  }
  static constexpr T identity() {  // of integers
    return Largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
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

template <class File>
constexpr scan_table make_scan_table() {
  return {
      {make_scan_kernels<sum_lanes<File, float>>(),
       make_scan_kernels<minmax_lanes<File, float, false>>(),
       make_scan_kernels<minmax_lanes<File, float, true>>()},
      {make_scan_kernels<sum_lanes<File, double>>(),
       make_scan_kernels<minmax_lanes<File, double, false>>(),
       make_scan_kernels<minmax_lanes<File, double, true>>()},
      {make_scan_kernels<sum_lanes<File, std::uint32_t>>(),
       make_scan_kernels<minmax_lanes<File, std::uint32_t, false>>(),
       make_scan_kernels<minmax_lanes<File, std::uint32_t, true>>()},
      {make_scan_kernels<sum_lanes<File, std::uint64_t>>(),
       make_scan_kernels<minmax_lanes<File, std::uint64_t, false>>(),
       make_scan_kernels<minmax_lanes<File, std::uint64_t, true>>()},
      {make_scan_kernels<minmax_lanes<File, std::int32_t, false>>(),
       make_scan_kernels<minmax_lanes<File, std::int32_t, true>>()},
      {make_scan_kernels<minmax_lanes<File, std::int64_t, false>>(),
       make_scan_kernels<minmax_lanes<File, std::int64_t, true>>()},
  };
}

}  // namespace tandem::openmp_impl
