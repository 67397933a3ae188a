// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// One square tile of c and its operands for matmul_kernel::tiled, the loop of the tutorials. Tiles
/// of a and b are copied so that they stay in the L1, and each copied element is used matmul_tile
/// times.
template <class T, class In>
class matmul_tile_of_c {
  using Sum = detail::matmul_sum_t<T>;

 public:
  matmul_tile_of_c(const matmul_problem<T, In>& problem, index_t row, index_t column)
      : p_(problem),
        row_(row),
        column_(column),
        rows_(tandem::min(problem.m - row, index_t{matmul_tile})),
        columns_(tandem::min(problem.n - column, index_t{matmul_tile})) {}

  /// Adds up chunks of k in the canonical order, and stores the results.
  template <class Multiply>
  void compute(const Multiply& multiply) {
    index_t begin = 0;
    do {
      const index_t end = tandem::min(p_.k, begin + matmul_chunk);
      for (Sum& x : chains_) x = Sum{0};
      for (index_t l = begin; l < end; l += matmul_tile) {
        const index_t terms = tandem::min(end - l, index_t{matmul_tile});
        copy(l, terms);
        multiply(matmul_square<Sum>{rows_, columns_, terms, a_, b_, chains_});
      }
      // The first chunk is not added to a zero, which would turn -0 into +0.
      for (index_t e = 0; e < elements; ++e)
        totals_[e] = begin == 0 ? chains_[e] : added(totals_[e], chains_[e]);
      begin = end;
    } while (begin < p_.k);
    store();
  }

 private:
  static constexpr index_t elements = matmul_tile * matmul_tile;

  static Sum added(Sum x, Sum y) {
    if constexpr (std::is_integral_v<Sum>) {
      return detail::multiply_add(x, Sum{1}, y);
    } else {
      return x + y;
    }
  }

  void copy(index_t first, index_t terms) {
    for (index_t i = 0; i < rows_; ++i) {
      const In* const a = p_.a + (row_ + i) * p_.a_row + first * p_.a_column;
      for (index_t l = 0; l < terms; ++l)
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): 8-bit integers are numbers here.
        a_[i * matmul_tile + l] = static_cast<Sum>(a[l * p_.a_column]);
    }
    for (index_t l = 0; l < terms; ++l) {
      const In* const b = p_.b + (first + l) * p_.b_row + column_ * p_.b_column;
      for (index_t j = 0; j < columns_; ++j)
        // NOLINTNEXTLINE(bugprone-signed-char-misuse)
        b_[l * matmul_tile + j] = static_cast<Sum>(b[j * p_.b_column]);
    }
  }

  void store() const {
    const detail::element_epilogue<Sum> finish = detail::epilogue_of(p_);
    for (index_t i = row_; i < row_ + rows_; ++i) {
      for (index_t j = column_; j < column_ + columns_; ++j) {
        T& c = p_.c[i * p_.c_row + j * p_.c_column];
        const Sum total = totals_[(i - row_) * matmul_tile + j - column_];
        c = static_cast<T>(finish(total, finish.reads_c() ? static_cast<Sum>(c) : Sum{0}, i, j));
      }
    }
  }

  const matmul_problem<T, In>& p_;
  index_t row_;
  index_t column_;
  index_t rows_;
  index_t columns_;
  alignas(64) Sum a_[elements];
  alignas(64) Sum b_[elements];
  alignas(64) Sum chains_[elements];
  alignas(64) Sum totals_[elements];
};

/// Runs matmul_kernel::tiled: the threads share the tiles of c.
template <class T, class In, class Multiply>
void run_tiled(int threads, const matmul_problem<T, In>& problem, const Multiply& multiply) {
  const index_t down = ceil_div(problem.m, index_t{matmul_tile});
  const index_t across = ceil_div(problem.n, index_t{matmul_tile});
  run_parallel(threads, [&](int part, int parts) {
    const share mine = share_of(problem.batch * down * across, part, parts);
    for (index_t at = mine.begin; at < mine.end; ++at) {
      const auto entry = detail::batch_slice(problem, at / (down * across), 1);
      const index_t tile = at % (down * across);
      matmul_tile_of_c<T, In>(entry, tile / across * matmul_tile, tile % across * matmul_tile)
          .compute(multiply);
    }
  });
}

}  // namespace tandem::openmp_impl
