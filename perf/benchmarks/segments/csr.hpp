// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/segments/bench.hpp>

/// Products of sparse matrices in compressed rows and vectors, in double.
namespace perf {

/// Square matrices: 21 diagonals; grids of points with 4 neighbours in a plane and 6 in a volume,
/// whose edges meet; rows with a heavy tail; eight full rows among rows of 24; rows of 1 to 63. The
/// columns of the last three are spread over all there are.
enum class matrix_kind { banded, grid_2d, grid_3d, power_law, dense_rows, random };

/// The positions of the elements of a matrix.
struct sparse_pattern {
  matrix_kind kind;
  index_t count;  ///< of rows and of columns

  static constexpr int diagonals = 21;
  static constexpr int width = 4096;  // of a plane
  static constexpr int side = 256;    // of a volume

  TANDEM_FUNCTION int operator()(index_t row) const {
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(row));
    switch (kind) {
      case matrix_kind::banded:
        return diagonals;
      case matrix_kind::grid_2d:
        return 5;
      case matrix_kind::grid_3d:
        return 7;
      case matrix_kind::power_law:
        return heavy_tailed(bits, 13);
      case matrix_kind::dense_rows:
        return row % (count / 8) == 0 ? static_cast<int>(count) : 24;
      case matrix_kind::random:
        return static_cast<int>(1 + bits % 63);
    }
    return 0;
  }

  /// The column of element j of a row, beyond the edges of the matrix for those that meet.
  TANDEM_FUNCTION index_t column(index_t row, int j) const {
    const int neighbours[] = {side * side, side, 1};
    switch (kind) {
      case matrix_kind::banded:
        return row + j - diagonals / 2;
      case matrix_kind::grid_2d:
        return j == 0 ? row - width : j == 4 ? row + width : row + j - 2;
      case matrix_kind::grid_3d:
        return j < 3 ? row - neighbours[j] : j > 3 ? row + neighbours[6 - j] : row;
      default: {
        const auto length = static_cast<index_t>((*this)(row));
        const auto bits = mixed_bits(static_cast<std::uint64_t>(row << 24 | j));
        const auto within = static_cast<index_t>(bits % static_cast<std::uint64_t>(count));
        return (j * count + within) / length;
      }
    }
  }
};

/// Columns as a matrix has them.
struct pattern_columns {
  sparse_pattern pattern;

  TANDEM_FUNCTION int operator()(index_t row, int j) const {
    return static_cast<int>((pattern.column(row, j) + pattern.count) % pattern.count);
  }
};

/// Six matrices of some 2^25 elements, or 2^-shift of them.
std::vector<sparse_pattern> matrix_cases(int shift = 0);

problem csr_problem(const sparse_pattern& pattern);

/// The data of a candidate; the product is in `sums`.
template <class Space>
struct csr_data {
  explicit csr_data(const sparse_pattern& pattern)
      : offsets(make_offsets(*space, pattern)),
        columns(extents<1>(terms_of(*space, offsets)), *space),
        values(columns.extents(), *space),
        x(extents<1>(pattern.count), *space),
        sums(x.extents(), *space) {
    fill_segments(*space, offsets, columns.view(), pattern_columns{pattern});
    fill_with(*space, values.view(), uniform_values<double>{42});
    fill_with(*space, x.view(), uniform_values<double>{43});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  array<int, 1, Space> offsets;
  array<int, 1, Space> columns;
  array<double, 1, Space> values;
  array<double, 1, Space> x;
  array<double, 1, Space> sums;
};

template <class Space>
candidate csr_by_tandem(const sparse_pattern& pattern) {
  return resident_sums<csr_data<Space>>(pattern, [](csr_data<Space>& data) {
    const tandem::csr_matrix a{data.offsets.const_view(), data.columns.const_view(),
                               data.values.const_view(), data.x.size()};
    tandem::multiply(*data.space, a, data.x, data.sums);
  });
}

}  // namespace perf
