// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <tandem/tandem.hpp>

#include "support/data.hpp"

/// Random products of any layout, batch and epilogue, their expected results, and error bounds for
/// tensor cores.
namespace tandem::test {

/// Choices determined by a seed.
class choices {
 public:
  explicit choices(std::uint64_t seed) : seed_(mix(seed)) {}
  /// 0 <= choice < bound.
  index_t below(index_t bound) {
    return static_cast<index_t>(mix(seed_ ^ next_++) % static_cast<std::uint64_t>(bound));
  }
  bool one_in(index_t n) { return below(n) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// Matrices of a batch in a buffer of `span` elements, whose outermost `guard` elements are unused.
/// Strides in elements.
struct batch_placement {
  static constexpr index_t guard = 64;  // keeps an unshifted placement aligned to 16 bytes
  index_t offset = 0;
  index_t batch = 0;
  index_t row = 0;
  index_t column = 0;
  index_t span = 0;
};

/// Chooses strides of one matrix: rows or columns contiguous, padded, both apart, backwards; for
/// inputs also repeated.
inline batch_placement choose_strides(choices& pick, index_t rows, index_t columns, bool output) {
  const index_t gap = 1 + pick.below(8);
  switch (pick.below(output ? 9 : 11)) {
    case 0:
      return {.row = columns, .column = 1};
    case 1:
      return {.row = 1, .column = rows};
    case 2:
      return {.row = columns + gap, .column = 1};
    case 3:
      return {.row = 1, .column = rows + gap};
    case 4:
      return {.row = 3 * columns + gap, .column = 3};
    case 5:
      return {.row = 2, .column = 2 * rows + gap};
    case 6:
      return {.row = -(columns + gap), .column = 1};
    case 7:
      return {.row = 1, .column = -rows};
    case 8:
      return {.row = -columns, .column = -1};
    case 9:
      return {.row = 0, .column = 1};
    default:
      return {.row = 1, .column = 0};
  }
}

/// Places `count` matrices; inputs may share one matrix.
inline batch_placement choose_place(choices& pick, index_t count, index_t rows, index_t columns,
                                    bool output) {
  batch_placement p = choose_strides(pick, rows, columns, output);
  const index_t down = rows > 0 ? p.row * (rows - 1) : 0;
  const index_t along = columns > 0 ? p.column * (columns - 1) : 0;
  const index_t lowest = min<index_t>(down, 0) + min<index_t>(along, 0);
  const index_t reach = abs(down) + abs(along) + 1;
  p.batch = reach + (pick.one_in(2) ? 0 : pick.below(9));
  if (!output && pick.one_in(4)) p.batch = 0;
  const index_t all = abs(p.batch) * max<index_t>(count - 1, 0) + reach;
  const index_t shift = pick.one_in(2) ? 0 : pick.below(8);
  p.offset = batch_placement::guard + shift - lowest;
  if (pick.one_in(8)) {
    p.offset += abs(p.batch) * max<index_t>(count - 1, 0);
    p.batch = -p.batch;
  }
  p.span = batch_placement::guard + shift + all + batch_placement::guard;
  return p;
}

/// Sizes of one product.
struct product_sizes {
  index_t batch;
  index_t m;
  index_t n;
  index_t k;
};

/// Chooses mostly small sizes; sometimes a long k, and `largest` rows, columns or terms.
inline product_sizes choose_sizes(choices& pick, index_t largest) {
  const index_t kind = pick.below(100);
  if (kind < 1) return {1, pick.below(largest), pick.below(largest), pick.below(largest)};
  if (kind < 5) return {1, pick.below(100), pick.below(100), pick.below(100)};
  if (kind < 8)
    return {1 + pick.below(2), 1 + pick.below(12), 1 + pick.below(12), pick.below(5000)};
  return {1 + (pick.one_in(2) ? pick.below(5) : 0), pick.below(40), pick.below(40), pick.below(40)};
}

/// One product of a sweep: T in c, In in a and b.
template <class T, class In>
struct sweep_product {
  using Sum = detail::matmul_sum_t<T>;
  product_sizes size;
  batch_placement a;
  batch_placement b;
  batch_placement c;
  Sum alpha;
  Sum beta;
  index_t bias_stride = 0;  ///< 0: no bias
  matmul_activation activation = matmul_activation::none;
  bool split_k = false;

  sweep_product(std::uint64_t seed, index_t largest) {
    choices pick(seed);
    size = choose_sizes(pick, largest);
    a = choose_place(pick, size.batch, size.m, size.k, false);
    b = choose_place(pick, size.batch, size.k, size.n, false);
    c = choose_place(pick, size.batch, size.m, size.n, true);
    constexpr bool whole = std::is_integral_v<Sum>;
    alpha = pick.one_in(2) ? Sum{1} : whole ? Sum{3} : static_cast<Sum>(-0.75);
    beta = pick.one_in(2) ? Sum{0} : whole ? Sum{-2} : static_cast<Sum>(1.25);
    if (pick.one_in(2)) {
      bias_stride = pick.one_in(2) ? 1 : 3;
      if (pick.one_in(4)) bias_stride = -2;
    }
    if (pick.one_in(2))
      activation = whole || pick.one_in(2) ? matmul_activation::relu : matmul_activation::gelu;
    split_k = pick.one_in(2);
  }
};

template <class T, class Memory>
using batch_view = view<T, 3, layout_stride, Memory>;

/// The matrices of a buffer.
template <class Memory, class T>
batch_view<T, Memory> matrices_at(T* data, index_t batch, index_t rows, index_t columns,
                                  const batch_placement& p) {
  using mapping = layout_stride::mapping<3>;
  return {data + p.offset, mapping({batch, rows, columns}, {p.batch, p.row, p.column})};
}

/// Runs a product on `space`, whose memory holds the buffers. The bias begins in the middle of its
/// buffer.
template <class T, class In, class Space>
void run_product(const Space& space, const sweep_product<T, In>& p, const In* a, const In* b, T* c,
                 const detail::matmul_sum_t<T>* bias, matmul_precision precision) {
  using Memory = typename Space::memory_type;
  using Sum = detail::matmul_sum_t<T>;
  const product_sizes& s = p.size;
  matmul_options<Sum, Memory> options{
      .alpha = p.alpha, .beta = p.beta, .precision = precision, .split_k = p.split_k};
  if (p.bias_stride != 0) {
    using mapping = layout_stride::mapping<1>;
    const view<const Sum, 1, layout_stride, Memory> v(bias, mapping({s.n}, {p.bias_stride}));
    options.epilogue = tandem::bias(v, p.activation);
  } else {
    options.epilogue.activation = p.activation;
  }
  matmul(space, matrices_at<Memory>(a, s.batch, s.m, s.k, p.a),
         matrices_at<Memory>(b, s.batch, s.k, s.n, p.b),
         matrices_at<Memory>(c, s.batch, s.m, s.n, p.c), options);
}

/// Describes the product as backends receive it. The bias begins at `bias`.
template <class T, class In>
matmul_problem<T, In> problem_of(const sweep_product<T, In>& p, const In* a, const In* b, T* c,
                                 const detail::matmul_sum_t<T>* bias) {
  matmul_problem<T, In> q;
  q.batch = p.size.batch;
  q.m = p.size.m;
  q.n = p.size.n;
  q.k = p.size.k;
  q.alpha = p.alpha;
  q.beta = p.beta;
  q.a = a + p.a.offset;
  q.a_batch = p.a.batch;
  q.a_row = p.a.row;
  q.a_column = p.a.column;
  q.b = b + p.b.offset;
  q.b_batch = p.b.batch;
  q.b_row = p.b.row;
  q.b_column = p.b.column;
  q.c = c + p.c.offset;
  q.c_batch = p.c.batch;
  q.c_row = p.c.row;
  q.c_column = p.c.column;
  q.bias = p.bias_stride != 0 ? bias : nullptr;
  q.bias_column = p.bias_stride;
  q.activation = p.activation;
  q.split_k = p.split_k;
  return q;
}

/// Describes the product of contiguous matrices, without an epilogue.
template <class T, class In>
sweep_product<T, In> contiguous_product(index_t m, index_t n, index_t k) {
  sweep_product<T, In> p(1, 1);
  p.size = {1, m, n, k};
  p.a = batch_placement{.row = k, .column = 1, .span = m * k};
  p.b = batch_placement{.row = n, .column = 1, .span = k * n};
  p.c = batch_placement{.row = n, .column = 1, .span = m * n};
  p.alpha = 1;
  p.beta = 0;
  p.bias_stride = 0;
  p.activation = matmul_activation::none;
  p.split_k = false;
  return p;
}

/// Whether two elements have the same bits, with all NaNs equal.
template <class T>
bool same_element(T x, T y) {
  if constexpr (requires { x.bits(); }) {
    return x.bits() == y.bits() || (is_nan(float{x}) && is_nan(float{y}));
  } else {
    return same_bits(x, y);
  }
}

/// Index of the first element that differs, or -1.
template <class T>
long first_other(const std::vector<T>& x, const std::vector<T>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!same_element(x[i], y[i])) return static_cast<long>(i);
  }
  return x.size() == y.size() ? -1 : static_cast<long>(x.size());
}

/// Unit roundoff of an element of c.
template <class T>
constexpr double unit_roundoff() {
  return std::is_same_v<T, half> ? 0x1p-11 : std::is_same_v<T, bf16> ? 0x1p-8 : 0x1p-24;
}

/// Bounds the error of a total of k products, as a multiple of the sum of their magnitudes.
///
/// A tensor core adds exact products to an accumulator of 24 bits, truncating rather than rounding:
/// each of the k additions loses less than 2^-23 of the magnitudes so far. Sums of chunks are a few
/// more additions. tf32 first rounds each operand, by at most 2^-11 of it. Three bf16 parts of 8
/// bits lose nothing of an operand; the products that 6 omit are below 2^-26 each.
inline double total_error(index_t k, matmul_precision precision) {
  const double additions = static_cast<double>(k + 32) * 0x1p-23;
  return additions + (precision == matmul_precision::tf32 ? 0x1.02p-10 : 0x1p-25);
}

/// The expected c, and by how much an element may differ.
struct bounded_result {
  double value;
  double error;
};

/// The epilogue in double: r = alpha * total + beta * old + bias, and the activation. Every step
/// may round to a float; relu does not increase a distance, gelu multiplies it by less than 1.13.
template <class T>
bounded_result finish_bounded(double total, double total_error, double alpha, double beta,
                              double old, double bias, matmul_activation activation) {
  const double r = alpha * total + beta * old + bias;
  const double sizes = std::fabs(alpha * total) + std::fabs(beta * old) + std::fabs(bias);
  double error = std::fabs(alpha) * total_error + 4 * 0x1p-24 * sizes;
  double value = r;
  if (activation == matmul_activation::relu) value = r < 0 ? 0 : r;
  if (activation == matmul_activation::gelu) {
    value = 0.5 * r * std::erfc(-r / std::sqrt(2.0));
    error = 1.13 * error + 8 * 0x1p-24 * std::fabs(value);
  }
  // Half a unit in the last place, and half the smallest number of half.
  error += unit_roundoff<T>() * (std::fabs(value) + error) + 0x1p-25;
  return {value, error};
}

}  // namespace tandem::test
