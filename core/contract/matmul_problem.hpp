// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/environment.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/numbers/half.hpp>

#include <cstdint>
#include <type_traits>

namespace tandem {

/// Terms of a matmul's k that form one chain of fused multiply-adds; part of matmul's definition
/// (docs/numerics.md).
inline constexpr index_t matmul_chunk = 1024;

/// Most terms that a GPU's tensor cores add up in one chain, for half, bf16 and tf32. Longer sums,
/// and those of a call that splits k, are cut into chunks of matmul_chunk terms.
inline constexpr index_t matmul_tensor_chain = 16384;

/// Which kernel of a backend runs a matmul; tandem::serial has only the naive one. All give the
/// same bits, except when a GPU's tensor cores accumulate in their own order (half, bf16 and every
/// precision except full): for those, naive and tiled accumulate as a host does.
enum class matmul_kernel : unsigned char {
  automatic,  ///< the backend's fastest for the shape
  naive,      ///< one element after the other, no reuse: the reference and the comparison
  tiled       ///< the tutorials' kernel: square tiles of a and b in shared memory or L1
};

/// How exactly matmul multiplies floats. A backend or device without a faster method computes
/// `full`.
enum class matmul_precision : unsigned char {
  full,    ///< fused multiply-adds in float: the same bits on every backend
  tf32,    ///< tensor cores; a and b rounded to 11 significant bits
  bf16x6,  ///< tensor cores; a and b in three parts of 8 bits each, their 6 largest products
  bf16x9   ///< likewise, with all 9 products
};

/// What matmul does to an element of c before it is stored.
enum class matmul_activation : unsigned char {
  none,
  relu,  ///< max(x, 0); NaN stays NaN
  gelu   ///< x * Phi(x); Phi is the normal cumulative distribution function
};

namespace detail {

/// The accumulator type of matmul for results of type T, and the type of alpha and beta.
template <class T>
struct matmul_sum {
  using type = T;
};
template <>
struct matmul_sum<half> {
  using type = float;
};
template <>
struct matmul_sum<bf16> {
  using type = float;
};

template <class T>
using matmul_sum_t = typename matmul_sum<T>::type;

/// Returns the terms of the pieces into which k may be cut without changing a bit on any backend.
/// The products of successive pieces, into a c of the accumulator's type, add up to the total: the
/// first one with beta = 0, all others with beta = 1, for fma(1, c, chain) is c + chain. The last
/// piece may be shorter. Returns k if only the whole product has the bits: tensor cores accumulate
/// in one chain, or a total that is not finite is computed again from all terms (bf16x6, bf16x9).
template <class In>
constexpr index_t matmul_piece(index_t k, matmul_precision precision, bool split_k) {
  const bool reduced = std::is_same_v<In, float> && precision != matmul_precision::full;
  if (reduced && precision != matmul_precision::tf32) return k;
  const bool one_chain = (reduced || sizeof(In) == 2) && !split_k && k <= matmul_tensor_chain;
  if (one_chain || k <= matmul_chunk) return k;
  // Integers are exact in any order, so a piece may have the bytes of a chunk of floats.
  return std::is_integral_v<In> ? 4 * matmul_chunk : matmul_chunk;
}

}  // namespace detail

/// A matmul as backends receive it: checked, with every operand as pointer and strides in elements.
///
/// c[p, i, j] = alpha * sum over l of a[p, i, l] * b[p, l, j] + beta * c[p, i, j]
/// for p < batch, i < m, j < n, l < k. beta == 0 does not read c. Any stride of a and b may be 0 or
/// negative; the elements of c do not overlap each other or a or b.
///
/// The order is fixed: total = the sum over chunks of matmul_chunk terms, in ascending order, each
/// chunk one chain x = fma(a, b, x) in ascending l from +0, so with k = 0 it is +0. Then r = alpha
/// * total; r = fma(beta, c, r) if beta != 0; r + bias[i * bias_row + j * bias_column] if there is
/// a bias; then the activation (core/contract/matmul_epilogue.hpp).
///
/// T is the type of c, In the type of a and b. Elements of bf16 and half are converted to floats,
/// exactly, before they are multiplied; a result of these types is rounded once, at the end. With
/// 8-bit integers everything is exact modulo 2^32.
template <class T, class In = T>
struct matmul_problem {
  using sum_type = detail::matmul_sum_t<T>;
  index_t batch = 1;
  index_t m = 0;
  index_t n = 0;
  index_t k = 0;
  sum_type alpha = sum_type{1};
  sum_type beta = sum_type{0};
  const In* a = nullptr;
  index_t a_batch = 0;
  index_t a_row = 0;
  index_t a_column = 0;
  const In* b = nullptr;
  index_t b_batch = 0;
  index_t b_row = 0;
  index_t b_column = 0;
  T* c = nullptr;
  index_t c_batch = 0;
  index_t c_row = 0;
  index_t c_column = 0;
  matmul_kernel kernel = matmul_kernel::automatic;
  matmul_precision precision = matmul_precision::full;
  bool split_k = false;  ///< tensor cores add in chunks of matmul_chunk terms, however short k is
  const sum_type* bias = nullptr;
  index_t bias_row = 0;
  index_t bias_column = 0;
  matmul_activation activation = matmul_activation::none;
};

namespace detail {

/// Returns the product that computes c transposed: b transposed times a transposed, which adds up
/// the same terms in the same order, with m and n exchanged.
template <class T, class In>
constexpr matmul_problem<T, In> transposed(const matmul_problem<T, In>& p) {
  matmul_problem<T, In> t = p;
  t.m = p.n;
  t.n = p.m;
  t.a = p.b;
  t.a_batch = p.b_batch;
  t.a_row = p.b_column;
  t.a_column = p.b_row;
  t.b = p.a;
  t.b_batch = p.a_batch;
  t.b_row = p.a_column;
  t.b_column = p.a_row;
  t.c_row = p.c_column;
  t.c_column = p.c_row;
  t.bias_row = p.bias_column;
  t.bias_column = p.bias_row;
  return t;
}

/// Returns the products `first` to first + count - 1 of a batch.
template <class T, class In>
constexpr matmul_problem<T, In> batch_slice(const matmul_problem<T, In>& p, index_t first,
                                            index_t count) {
  matmul_problem<T, In> slice = p;
  slice.batch = count;
  slice.a += first * p.a_batch;
  slice.b += first * p.b_batch;
  slice.c += first * p.c_batch;
  return slice;
}

}  // namespace detail

}  // namespace tandem

namespace tandem::detail {

/// Whether TANDEM_EXPLAIN is 1 or on in the environment: each matrix product then prints its plan
/// to stderr, on every backend. Read at each call, so that a program may turn it on and off.
inline bool explains_plans() { return flag_in_environment("TANDEM_EXPLAIN"); }

}  // namespace tandem::detail
