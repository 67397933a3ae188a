// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// The kernels that the file of each instruction set provides for scans.
namespace tandem::openmp_impl {

/// A tile that is scanned.
template <class T>
struct tile_output {
  const T* x = nullptr;  ///< contiguous; may be y
  T* y = nullptr;
  const T* next = nullptr;  ///< `count` elements that will be read next, or null
  int count = 0;
  T prefix{};  ///< of the tile; includes init for an exclusive scan
  bool has_prefix = false;
  T rows{};  ///< the rows of this tile before x, combined, in the canonical shape
  bool has_rows = false;
  bool exclusive = false;    ///< the tile then has a prefix
  bool nontemporal = false;  ///< non-temporal stores, if y is aligned
};

/// Prefetch distance of a kernel. Hardware does not prefetch far enough ahead of a loop with so
/// many instructions per cache line.
inline constexpr int scan_prefetch_bytes = 4096;

/// The kernels of one operation.
template <class T>
struct scan_kernels {
  T (*total)(const T* x, int count) = nullptr;
  T (*write)(const tile_output<T>& out) = nullptr;  ///< returns the total, too
};

/// The kernels of one instruction set: floats in the canonical shape; integers, whose bits do not
/// depend on the order of combining, in the fastest order. Sums of signed integers use those of
/// unsigned ones.
struct scan_table {
  scan_kernels<float> f32[3];  ///< sum, minimum, maximum
  scan_kernels<double> f64[3];
  scan_kernels<std::uint32_t> u32[3];
  scan_kernels<std::uint64_t> u64[3];
  scan_kernels<std::int32_t> i32[2];  ///< minimum, maximum
  scan_kernels<std::int64_t> i64[2];

  static const scan_table baseline;
  static const scan_table avx2;
  static const scan_table avx512;
};

}  // namespace tandem::openmp_impl
