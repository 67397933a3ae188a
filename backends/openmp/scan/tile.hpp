// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/scan/kernels/table.hpp>
#include <tandem/backends/openmp/scan/tile_any_operation.hpp>
#include <tandem/core/reducers.hpp>

#include <cstdint>
#include <type_traits>

/// Tiles of a scan by any operation: by the library's kernels if they have it, otherwise by the
/// operation itself, compiled with the caller's flags.
namespace tandem::openmp_impl {

/// The index of a reducer in the table of kernels, or -1 if it has none.
template <class R>
inline constexpr int scan_kernel_of = -1;
template <class T>
inline constexpr int scan_kernel_of<sum<T>> = 0;
template <class T>
inline constexpr int scan_kernel_of<minimum<T>> = 1;
template <class T>
inline constexpr int scan_kernel_of<maximum<T>> = 2;

template <class T>
inline constexpr bool is_kernel_float = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool is_kernel_integer =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

/// The operations on a reducer's tiles:
///
///   has_kernels   whether total() and write() take terms from memory, as in scan_kernels; else
///                 fold() and write() pass the scans of segments on (tile_any_operation.hpp)
///   is_reassociable  whether the result does not depend on the order of combining
///
/// The primary template applies the operation as the caller wrote it, with the caller's flags.
template <class T, class R>
class scan_tiles {
 public:
  static constexpr bool has_kernels = false;
  static constexpr bool is_reassociable = false;

  explicit scan_tiles(const R& reducer) : op_{reducer} {}

  T fold(const T* x, int count, T* local, T* before) const {
    return fold_any_operation(op_, x, count, local, before);
  }
  void write(const tile_output<T>& out, const T* before) const {
    write_any_operation(op_, out, before);
  }

 private:
  struct operation {
    using element = T;
    R reducer;

    T combine(const T& a, const T& b) const { return reducer.combine(a, b); }
  };

  operation op_;
};

/// Sums, minima and maxima of numbers by the library's kernels. Sums of signed integers are those
/// of unsigned ones with the same bits.
template <class T, class R>
  requires(scan_kernel_of<R> >= 0 && (is_kernel_float<T> || is_kernel_integer<T>))
class scan_tiles<T, R> {
 public:
  static constexpr bool has_kernels = true;
  static constexpr bool is_reassociable = is_kernel_integer<T>;

  explicit scan_tiles(const R&) : kernels_(&find(best_kernels<scan_table>())) {}

  T total(const T* x, int count) const {
    return static_cast<T>(kernels_->total(reinterpret_cast<const word*>(x), count));
  }
  T write(const tile_output<T>& out) const {
    tile_output<word> words;
    words.x = reinterpret_cast<const word*>(out.x);
    words.y = reinterpret_cast<word*>(out.y);
    words.next = reinterpret_cast<const word*>(out.next);
    words.count = out.count;
    words.prefix = static_cast<word>(out.prefix);
    words.has_prefix = out.has_prefix;
    words.rows = static_cast<word>(out.rows);
    words.has_rows = out.has_rows;
    words.exclusive = out.exclusive;
    words.nontemporal = out.nontemporal;
    return static_cast<T>(kernels_->write(words));
  }

 private:
  static constexpr int kernel = scan_kernel_of<R>;

  template <class U>
  struct without_sign {
    using type = std::make_unsigned_t<U>;
  };
  struct as_is {
    using type = T;
  };
  using word =
      typename std::conditional_t<kernel == 0 && is_reassociable, without_sign<T>, as_is>::type;

  static const scan_kernels<word>& find(const scan_table& table) {
    if constexpr (std::is_same_v<word, float>) return table.f32[kernel];
    if constexpr (std::is_same_v<word, double>) return table.f64[kernel];
    if constexpr (std::is_same_v<word, std::uint32_t>) return table.u32[kernel];
    if constexpr (std::is_same_v<word, std::uint64_t>) return table.u64[kernel];
    if constexpr (std::is_same_v<word, std::int32_t>) return table.i32[kernel - 1];
    if constexpr (std::is_same_v<word, std::int64_t>) return table.i64[kernel - 1];
  }

  const scan_kernels<word>* kernels_;
};

}  // namespace tandem::openmp_impl
