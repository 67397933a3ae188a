// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// How the lengths of a sparse matrix's rows are distributed: all 5 as of a stencil in two
/// dimensions, all 30, or 30 on average with a few very long rows.
enum class row_lengths { five, thirty, skewed };

/// Elements of row r: skewed rows have 16 or, one in 256, 3600.
TANDEM_FUNCTION constexpr int length_of_row(row_lengths lengths, tandem::index_t r) {
  if (lengths == row_lengths::five) return 5;
  if (lengths == row_lengths::thirty) return 30;
  return r % 256 == 255 ? 3600 : 16;
}

/// The number of elements before row r.
TANDEM_FUNCTION inline int elements_before(row_lengths lengths, tandem::index_t r) {
  if (lengths != row_lengths::skewed) return static_cast<int>(r) * length_of_row(lengths, 0);
  return static_cast<int>(16 * r + r / 256 * (3600 - 16));
}

/// row_begin(r) of the benchmark's matrix.
struct row_starts {
  row_lengths lengths;

  TANDEM_FUNCTION int operator()(tandem::index_t r) const { return elements_before(lengths, r); }
};

/// The columns of the benchmark's matrix, anywhere in 4096 neighbours.
struct near_columns {
  row_lengths lengths;
  tandem::index_t rows;

  TANDEM_FUNCTION int operator()(tandem::index_t k) const {
    const auto mean = static_cast<tandem::index_t>(elements_before(lengths, 256)) / 256;
    const auto near =
        static_cast<tandem::index_t>(mixed_bits(static_cast<std::uint64_t>(k)) % 4096);
    return static_cast<int>((k / mean + near) % rows);
  }
};

/// The product of a sparse matrix in compressed rows (CSR) and a vector; the sums of rows are
/// computed in the order of the elements by tandem.
template <class Space, row_lengths Lengths>
struct csr_times_vector {
  static constexpr const char* name = Lengths == row_lengths::five     ? "csr_rows_of_5"
                                      : Lengths == row_lengths::thirty ? "csr_rows_of_30"
                                                                       : "csr_skewed_rows";
  static constexpr const char* type = "f32";
  /// (n + 1) * 2^-24 for n products of a row, on either side; the benchmark's values are positive.
  static constexpr double error =
      2.0 * (Lengths == row_lengths::skewed ? 3601 : length_of_row(Lengths, 0) + 1) * 0x1p-24;

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {1 << 15}, {1 << 20}, {1 << 22});
  }
  /// Values and columns once, row starts, the vector and the result once per row.
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = 8.0 * elements_before(Lengths, size[0]) + 12.0 * static_cast<double>(size[0])};
  }

  csr_times_vector(const Space& space, const kernel_size& size)
      : row_begin(filled(space, size[0] + 1, row_starts{Lengths})),
        column(filled(space, elements_before(Lengths, size[0]), near_columns{Lengths, size[0]})),
        value(filled(space, elements_before(Lengths, size[0]), values_between{1, 0, 1})),
        x(filled(space, size[0], values_between{2, 0, 1})),
        y(tandem::extents<1>(size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    const auto begin = row_begin.const_view();
    const auto of_column = column.const_view();
    const auto of_value = value.const_view();
    const auto vector = x.const_view();
    const auto out = y.view();
    tandem::parallel_for(
        space, out.size(), TANDEM_LAMBDA(int r) {
          const int end = begin(r + 1);
          float sum = 0;
          for (int k = begin(r); k < end; ++k)
            sum = tandem::fma(of_value(k), vector(of_column(k)), sum);
          out(r) = sum;
        });
  }

  tandem::array<int, 1, Space> row_begin;
  tandem::array<int, 1, Space> column;
  tandem::array<float, 1, Space> value;
  tandem::array<float, 1, Space> x;
  tandem::array<float, 1, Space> y;
};

template <class Space>
using csr_of_5 = csr_times_vector<Space, row_lengths::five>;
template <class Space>
using csr_of_30 = csr_times_vector<Space, row_lengths::thirty>;
template <class Space>
using csr_skewed = csr_times_vector<Space, row_lengths::skewed>;

}  // namespace perf
