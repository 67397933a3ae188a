// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// What the files of one instruction set offer to the matmul. They include this header and no other
/// of tandem's: an inline function that one of them compiled could otherwise be the copy that the
/// linker keeps for every CPU.
namespace tandem::openmp_impl {

/// One tile of c for one chunk of k, at most one micro tile in size. Strides in elements.
///
/// The kernel computes a chain of fused multiply-adds from +0 for each element, adds it to `totals`
/// unless `first`, and stores the sum: into `totals`, or when `last` as alpha * total (+ beta * c)
/// into `c`.
template <class T>
struct matmul_tile {
  int rows = 0;     ///< 1 to matmul_kernels::rows
  int columns = 0;  ///< 1 to matmul_kernels::columns
  std::int64_t terms = 0;

  const T* a = nullptr;
  std::int64_t a_row = 0;
  std::int64_t a_column = 0;
  const T* b = nullptr;  ///< rows of contiguous elements, readable up to the next whole vector
  std::int64_t b_row = 0;

  T* totals = nullptr;  ///< sums of the chunks before this one; may be c itself when beta is 0
  std::int64_t totals_row = 0;
  std::int64_t totals_column = 0;
  T* c = nullptr;
  std::int64_t c_row = 0;
  std::int64_t c_column = 0;

  bool first = true;
  bool last = true;
  T alpha = T{1};
  T beta = T{0};
};

/// A copy into panels: element (i, l) of a strided matrix goes to panels[i / width * panel_stride +
/// l * width + i % width] for i < count and l < terms, and zeros to count <= i < padded. The width
/// belongs to the function that is called.
template <class T>
struct matmul_pack {
  const T* source = nullptr;
  std::int64_t across = 0;  ///< stride of i
  std::int64_t along = 0;   ///< stride of l
  std::int64_t count = 0;
  std::int64_t padded = 0;
  std::int64_t terms = 0;
  T* panels = nullptr;
  std::int64_t panel_stride = 0;
};

/// One row of c, element after element, in the order of the specification.
template <class T>
struct matmul_row {
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t chunk = 0;
  const T* a = nullptr;
  std::int64_t a_column = 0;
  const T* b = nullptr;
  std::int64_t b_row = 0;
  std::int64_t b_column = 0;
  T* c = nullptr;
  std::int64_t c_column = 0;
  T alpha = T{1};
  T beta = T{0};
};

/// The kernels of one instruction set for elements of type T.
template <class T>
struct matmul_kernels {
  const char* instruction_set;
  int rows;     ///< of the micro tile; width of the panels of a
  int columns;  ///< of the micro tile; width of the panels of b
  int lanes;    ///< elements of a vector
  void (*multiply_tile)(const matmul_tile<T>& tile);
  void (*pack_a)(const matmul_pack<T>& pack);
  void (*pack_b)(const matmul_pack<T>& pack);
  void (*multiply_row)(const matmul_row<T>& row);  ///< no blocking, no reuse: matmul_kernel::naive
};

#if defined(__x86_64__)
extern const matmul_kernels<float> matmul_avx512_f32;
extern const matmul_kernels<double> matmul_avx512_f64;
extern const matmul_kernels<float> matmul_avx2_f32;
extern const matmul_kernels<double> matmul_avx2_f64;
#endif
extern const matmul_kernels<float> matmul_baseline_f32;
extern const matmul_kernels<double> matmul_baseline_f64;

}  // namespace tandem::openmp_impl
