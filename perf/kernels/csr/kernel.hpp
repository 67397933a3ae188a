// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// How the lengths of a sparse matrix's rows are distributed: all 5 as of a stencil in two
/// dimensions, all 30, or 30 on average with a few very long rows.
enum class row_lengths { five, thirty, skewed };

/// Elements of row r: skewed rows have 16 or, one in 256, 3600.
TANDEM_FUNCTION constexpr int length_of_row(row_lengths lengths, index_t r) {
  if (lengths == row_lengths::five) return 5;
  if (lengths == row_lengths::thirty) return 30;
  return r % 256 == 255 ? 3600 : 16;
}

/// The number of elements before row r.
TANDEM_FUNCTION constexpr int elements_before(row_lengths lengths, index_t r) {
  if (lengths != row_lengths::skewed) return static_cast<int>(r) * length_of_row(lengths, 0);
  return static_cast<int>(16 * r + r / 256 * (3600 - 16));
}

/// Lanes that share a row: one on a CPU; on a GPU enough of them to read neighbouring elements of a
/// long row side by side, a few elements per lane.
template <class Space>
constexpr int lanes_of_row(row_lengths lengths) {
  if (Space::memory_type::host_accessible) return 1;
  if (lengths == row_lengths::five) return 1;
  return lengths == row_lengths::thirty ? 8 : 16;
}

/// row_begin(r) of the benchmark's matrix.
struct row_starts {
  row_lengths lengths;

  TANDEM_FUNCTION int operator()(index_t r) const { return elements_before(lengths, r); }
};

/// The columns of the benchmark's matrix, anywhere in 4096 neighbours.
struct near_columns {
  row_lengths lengths;
  index_t rows;

  TANDEM_FUNCTION int operator()(index_t k) const {
    const auto mean = static_cast<index_t>(elements_before(lengths, 256)) / 256;
    const auto near = static_cast<index_t>(mixed_bits(static_cast<std::uint64_t>(k)) % 4096);
    return static_cast<int>((k / mean + near) % rows);
  }
};

/// The elements of a sparse matrix, the beginnings of its rows, and the vector.
template <class Ints, class Floats>
struct row_products {
  Ints begin;
  Ints column;
  Floats value;
  Floats x;

  /// The sum of the products of every step-th element of row r, from number `first` on.
  TANDEM_FUNCTION float sum(int r, int first, int step) const {
    const int end = begin(r + 1);
    float sum = 0;
    for (int k = begin(r) + first; k < end; k += step)
      sum = tandem::fma(value(k), x(column(k)), sum);
    return sum;
  }
};
template <class Ints, class Floats>
row_products(Ints, Ints, Floats, Floats) -> row_products<Ints, Floats>;

/// The product of a sparse matrix in compressed rows (CSR) and a vector. If several lanes share
/// a row, each adds some of its elements, then the row's partial sums are added. The number of rows
/// is a multiple of team_lanes.
template <class Space, row_lengths Lengths>
struct csr_times_vector {
  static constexpr const char* name = Lengths == row_lengths::five     ? "csr_rows_of_5"
                                      : Lengths == row_lengths::thirty ? "csr_rows_of_30"
                                                                       : "csr_skewed_rows";
  static constexpr const char* type = "f32";
  static constexpr int team_lanes = 128;
  static constexpr int lanes_each = lanes_of_row<Space>(Lengths);
  static constexpr int team_rows = team_lanes / lanes_each;
  /// (n + 1) * 2^-24 for n products of a row, on either side; the benchmark's values are positive.
  static constexpr double error =
      2.0 * (Lengths == row_lengths::skewed ? 3601 : length_of_row(Lengths, 0) + 1) * 0x1p-24;

  static inline const kernel_sizes sizes{{{1 << 15}, {1 << 18}, {1 << 20}}, {{1 << 22}}};
  /// Values and columns once, row starts, the vector and the result once per row.
  static constexpr kernel_cost cost_each{.bytes = 8.0 * elements_before(Lengths, 256) / 256 + 12};

  csr_times_vector(const Space& space, const kernel_size& size)
      : row_begin(filled(space, size[0] + 1, row_starts{Lengths})),
        column(filled(space, elements_before(Lengths, size[0]), near_columns{Lengths, size[0]})),
        value(filled(space, elements_before(Lengths, size[0]), values_between{1, 0, 1})),
        x(filled(space, size[0], values_between{2, 0, 1})),
        y(extents<1>(size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    const row_products products{row_begin.const_view(), column.const_view(), value.const_view(),
                                x.const_view()};
    const auto out = y.view();
    if constexpr (lanes_each == 1) {
      tandem::parallel_for(
          space, out.size(), TANDEM_LAMBDA(int r) { out(r) = products.sum(r, 0, 1); });
    } else {
      const tandem::team_shape shape{out.size() / team_rows, team_lanes,
                                     team_lanes * sizeof(float)};
      tandem::parallel_teams(
          space, shape, TANDEM_LAMBDA(tandem::team & team) {
            float* const partial = team.scratch<float>(team_lanes);
            const auto first = static_cast<int>(team.index()) * team_rows;
            team.for_each_lane([=](int lane) {
              partial[lane] =
                  products.sum(first + lane / lanes_each, lane % lanes_each, lanes_each);
            });
            team.for_each(team_rows, [=](int r) {
              float sum = partial[r * lanes_each];
              for (int l = 1; l < lanes_each; ++l) sum += partial[r * lanes_each + l];
              out(first + r) = sum;
            });
          });
    }
  }

  array<int, 1, Space> row_begin;
  array<int, 1, Space> column;
  array<float, 1, Space> value;
  array<float, 1, Space> x;
  array<float, 1, Space> y;
};

template <class Space>
using csr_of_5 = csr_times_vector<Space, row_lengths::five>;
template <class Space>
using csr_of_30 = csr_times_vector<Space, row_lengths::thirty>;
template <class Space>
using csr_skewed = csr_times_vector<Space, row_lengths::skewed>;

}  // namespace perf
