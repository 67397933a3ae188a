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
  T prefix{};  ///< what comes before the tile, for an exclusive scan with init
  bool has_prefix = false;
  T rows{};  ///< the rows of the same tile before x, folded, in the canonical shape
  bool has_rows = false;
  bool exclusive = false;    ///< has a prefix then
  bool nontemporal = false;  ///< past the caches, where y is aligned
};

/// How far ahead of its reads a fold asks for memory: 4 KiB make folds of what lies in memory 2.5
/// times as fast on one core of a Zen 5, 2 KiB 1.8 times.
inline constexpr int scan_prefetch_bytes = 4096;

/// Tiles of one operation.
template <class T>
struct scan_kernels {
  T (*total)(const T* x, int count) = nullptr;
  T (*write)(const tile_output<T>& out) = nullptr;  ///< returns the total too
};

/// One version of everything: floats in the canonical shape, integers, whose bits no order of
/// combining changes, in the fastest. Sums of signed integers are those of unsigned ones.
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
