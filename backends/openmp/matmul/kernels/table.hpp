// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/numbers/half.hpp>

#include <cstdint>
#include <type_traits>

/// The kernels that the file of each instruction set provides for matrix products.
namespace tandem::openmp_impl {

/// A block of c of any size, for one chunk of k. Strides are in elements.
///
/// The kernel computes a chain of fused multiply-adds from +0 for each element, adds it to `totals`
/// unless `first`, and stores the sum: into `totals`, or when `last` as alpha * total (+ beta * c)
/// into `c`.
template <class T, class Source = T>
struct matmul_block {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t terms = 0;

  const T* a = nullptr;  ///< rows of contiguous elements
  std::int64_t a_row = 0;
  const Source* b = nullptr;  ///< rows of contiguous elements, or what pack_b wrote
  std::int64_t b_row = 0;     ///< 0 if b is packed

  T* totals = nullptr;  ///< sums of the chunks before this one; may be c itself when beta is 0
  std::int64_t totals_row = 0;
  std::int64_t totals_column = 0;
  T* c = nullptr;
  std::int64_t c_row = 0;
  std::int64_t c_column = 0;

  const T* starts = nullptr;  ///< initial values of the rows' sums, for kernels with `starts`
  std::int64_t starts_row = 0;

  /// Distance from a and b to the next product's operands, which the kernel prefetches, or 0.
  std::int64_t a_next = 0;
  std::int64_t b_next = 0;

  /// Chains of a partial chunk, rows * (columns rounded up to whole tiles) elements in any order.
  /// Read unless this part `begins` the chunk and written unless it `ends` the chunk; only the part
  /// that ends a chunk touches totals and c.
  T* chains = nullptr;
  bool begins = true;
  bool ends = true;

  bool first = true;
  bool last = true;
  bool rows_outermost = false;  ///< the loop over rows of tiles is the outer loop
  bool exceeds_l2 = false;      ///< b and c come from beyond the L2 and are prefetched
  bool a_exceeds_l2 = false;    ///< the rows of a come from beyond the L2, too
  bool nontemporal = false;     ///< store c past the caches; its rows are aligned to vectors
  T alpha = T{1};
  T beta = T{0};
};

/// A part of an operand to be packed: element (i, l) is source[i * across + l * along] for i <
/// count and l < terms; i is a column of b or a row of a, and l the term.
///
/// b is packed into consecutive panels as wide as the kernel's tiles, row-major; `count` must equal
/// `columns` of the block that reads them. a is packed into rows of contiguous terms. `stride` is
/// the distance from one panel's column to the next, or from one row to the next.
template <class T, class Source = T>
struct matmul_pack {
  const Source* source = nullptr;
  std::int64_t across = 0;
  std::int64_t along = 0;
  std::int64_t count = 0;
  std::int64_t terms = 0;
  T* to = nullptr;
  std::int64_t stride = 0;
  std::int64_t begin = 0;  ///< row of b's panels that the first of these terms becomes
};

/// A row of c that is computed element by element, in the order of the specification.
template <class T, class Source = T>
struct matmul_row {
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t chunk = 0;
  const Source* a = nullptr;
  std::int64_t a_column = 0;
  const Source* b = nullptr;
  std::int64_t b_row = 0;
  std::int64_t b_column = 0;
  T* c = nullptr;
  std::int64_t c_column = 0;
  T alpha = T{1};
  T beta = T{0};
};

/// Two square tiles of packed terms and the chains of the tile of c that they add to, each in rows
/// of `matmul_tile` elements.
inline constexpr std::int64_t matmul_tile = 32;  // three of doubles: 24 KiB of a 32 KiB L1
template <class T>
struct matmul_square {
  std::int64_t rows = 0;     ///< of c
  std::int64_t columns = 0;  ///< of c
  std::int64_t terms = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* chains = nullptr;
};

/// The kernels of one instruction set. Elements of a and b, of type Source, are converted to T when
/// they are packed, or in registers by multiply_partial.
template <class T, class Source = T>
struct matmul_kernels {
  const char* instruction_set;
  int rows;            ///< of the micro tile
  int columns;         ///< of the micro tile; some tiles have one vector more and fewer rows
  int lanes;           ///< elements of a vector
  std::int64_t chunk;  ///< elements of a chunk of k
  bool starts;         ///< sums start from the element in front of a's row, in the first chunk
  void (*multiply)(const matmul_block<T>& block);  ///< a whole chunk
  /// A part of a chunk, reading b in place; null if the kernels only support whole chunks.
  void (*multiply_partial)(const matmul_block<T, Source>& block);
  void (*pack_a)(const matmul_pack<T, Source>& pack);
  void (*pack_b)(const matmul_pack<T, Source>& pack);
  void (*multiply_row)(
      const matmul_row<T, Source>& row);  ///< matmul_kernel::naive; null for integers
  void (*multiply_square)(const matmul_square<T>& tiles);  ///< matmul_kernel::tiled; null likewise

  static const matmul_kernels baseline;
  static const matmul_kernels avx2;
  static const matmul_kernels avx512;
};

template <>
const matmul_kernels<float> matmul_kernels<float>::baseline;
template <>
const matmul_kernels<float> matmul_kernels<float>::avx2;
template <>
const matmul_kernels<float> matmul_kernels<float>::avx512;
template <>
const matmul_kernels<double> matmul_kernels<double>::baseline;
template <>
const matmul_kernels<double> matmul_kernels<double>::avx2;
template <>
const matmul_kernels<double> matmul_kernels<double>::avx512;
template <>
const matmul_kernels<float, bf16> matmul_kernels<float, bf16>::baseline;
template <>
const matmul_kernels<float, bf16> matmul_kernels<float, bf16>::avx2;
template <>
const matmul_kernels<float, bf16> matmul_kernels<float, bf16>::avx512;
template <>
const matmul_kernels<float, half> matmul_kernels<float, half>::baseline;
template <>
const matmul_kernels<float, half> matmul_kernels<float, half>::avx2;
template <>
const matmul_kernels<float, half> matmul_kernels<float, half>::avx512;

/// The kernels for c of type T and operands of type In.
template <class T, class In>
using matmul_kernels_for = matmul_kernels<detail::matmul_sum_t<T>, In>;

/// Whether kernels can multiply a and b without packing them; otherwise both are always packed.
template <class T, class In>
inline constexpr bool multiplies_unpacked = std::is_same_v<detail::matmul_sum_t<T>, In>;

/// Whether results are rounded to c's type after the kernels.
template <class T>
inline constexpr bool rounds_results = !std::is_same_v<T, detail::matmul_sum_t<T>>;

/// Whether kernels can read and write all matrices in place.
template <class T, class In>
inline constexpr bool works_in_place = multiplies_unpacked<T, In> && !rounds_results<T>;

}  // namespace tandem::openmp_impl
