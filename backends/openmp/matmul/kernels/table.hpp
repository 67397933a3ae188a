// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// What the files of one instruction set offer to the matmul. They include this header, those of
/// which everything has internal linkage, and no other of tandem's: an inline function that one of
/// them compiled could otherwise be the copy that the linker keeps for every CPU.
namespace tandem::openmp_impl {

/// Terms of a chunk of k (matmul_chunk of core/contract/matmul_problem.hpp).
inline constexpr std::int64_t kernel_chunk = 1024;

/// A block of c of any size for one chunk of k. Strides in elements.
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
  std::int64_t b_row = 0;     ///< 0 where b is packed

  T* totals = nullptr;  ///< sums of the chunks before this one; may be c itself when beta is 0
  std::int64_t totals_row = 0;
  std::int64_t totals_column = 0;
  T* c = nullptr;
  std::int64_t c_row = 0;
  std::int64_t c_column = 0;

  const T* starts = nullptr;  ///< what rows' sums begin with, where kernels have `starts`
  std::int64_t starts_row = 0;

  /// From a and b to those of the product that comes next, or 0: asked for along the way.
  std::int64_t a_next = 0;
  std::int64_t b_next = 0;

  /// A chunk may come in pieces: `chains` keeps the chains between them, in any order, for
  /// rows * (columns rounded up to whole tiles) elements. Read unless the piece `begins` the chunk,
  /// and written unless it `ends` it, which alone touches totals and c.
  T* chains = nullptr;
  bool begins = true;
  bool ends = true;

  bool first = true;
  bool last = true;
  bool rows_outside = false;  ///< a row of tiles after the other; else a column of them
  bool far = false;           ///< b and c come from beyond a core's own cache: ask for them early
  bool a_far = false;         ///< so do rows of a
  bool streams = false;       ///< write c past the caches; c and its rows are aligned to a vector
  T alpha = T{1};
  T beta = T{0};
};

/// A copy of a part of an operand, whose element (i, l) lies at source[i * across + l * along] for
/// i < count and l < terms: i is a column of b or a row of a, l the term.
///
/// Of b into panels, one behind the other: a row of each term, of as many columns as the kernel's
/// tiles have; `count` must be `columns` of the block that reads them. Of a into rows of contiguous
/// terms. `stride` is from one panel's column to the next, or from one row to the next.
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

/// One row of c, element after element, in the order of the specification.
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

/// The kernels of one instruction set for elements of type T, which those of a and b, of type
/// Source, become as they are packed, or in registers where a chunk comes in pieces.
template <class T, class Source = T>
struct matmul_kernels {
  const char* instruction_set;
  int rows;            ///< of the micro tile
  int columns;         ///< of the micro tile; a few tiles have a vector more and fewer rows
  int lanes;           ///< elements of a vector
  std::int64_t chunk;  ///< elements of a chunk of k
  bool starts;  ///< sums begin with the element in front of a row of a, in the first chunk of k
  void (*multiply)(const matmul_block<T>& block);  ///< a whole chunk
  /// A part of one, with its chains, b as it lies; null where there are whole chunks alone.
  void (*multiply_piece)(const matmul_block<T, Source>& block);
  void (*pack_a)(const matmul_pack<T, Source>& pack);
  void (*pack_b)(const matmul_pack<T, Source>& pack);
  void (*multiply_row)(
      const matmul_row<T, Source>& row);  ///< matmul_kernel::naive; null for integers
};

/// Of 16-bit floats, by their bits.
using widening_kernels = matmul_kernels<float, std::uint16_t>;

#if defined(__x86_64__)
extern const matmul_kernels<float> matmul_avx512_f32;
extern const matmul_kernels<double> matmul_avx512_f64;
extern const widening_kernels matmul_avx512_from_bf16;
extern const widening_kernels matmul_avx512_from_half;
extern const matmul_kernels<float> matmul_avx2_f32;
extern const matmul_kernels<double> matmul_avx2_f64;
extern const widening_kernels matmul_avx2_from_bf16;
extern const widening_kernels matmul_avx2_from_half;
#endif
extern const matmul_kernels<float> matmul_baseline_f32;
extern const matmul_kernels<double> matmul_baseline_f64;
extern const widening_kernels matmul_baseline_from_bf16;
extern const widening_kernels matmul_baseline_from_half;

}  // namespace tandem::openmp_impl
