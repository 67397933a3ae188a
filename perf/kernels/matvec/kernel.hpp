// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Neighbouring elements that are loaded together, as a word of 4 * Width bytes.
template <std::size_t Width>
struct alignas(4 * Width) float_word {
  float element[Width];
};

/// The product of a row-major matrix and a vector, whose number of elements is a multiple of 4.
/// Each term is the product of two words: on a GPU of four elements, on a CPU of one, since its
/// compiler makes vectors of neighbouring terms.
template <class Space>
struct matvec {
  static constexpr const char* name = "matrix_vector";
  static constexpr const char* type = "f32";
  static constexpr std::size_t width = Space::memory_type::host_accessible ? 1 : 4;
  using word = float_word<width>;
  /// (n + 1) * 2^-24 for the n = 8192 products of a row, on either side; the benchmark's values are
  /// positive.
  static constexpr double error = 2 * 8193 * 0x1p-24;

  static inline const kernel_sizes sizes{{{1024, 1024}, {4096, 2048}, {8192, 4096}},
                                         {{16384, 8192}}};
  static constexpr kernel_cost cost_each{.bytes = sizeof(float)};

  matvec(const Space& space, const kernel_size& size)
      : a(extents<2>(size[0], size[1]), space),
        x(filled(space, size[1], values_between{2, 0, 1})),
        y(extents<1>(size[0]), space) {
    fill_with(space, line_of(a), values_between{1, 0, 1});
  }

  void reset(const Space& space) { tandem::fill(space, y, 0.0f); }
  outcome result(const Space& space) { return weighted_summary(space, y.view()); }

  void run(const Space& space) {
    using memory = typename Space::memory_type;
    const index_t rows = a.extent(0);
    const index_t words = a.extent(1) / index_t{width};
    const auto of =
        tandem::as_view<memory>(reinterpret_cast<const word*>(a.data_handle()), rows, words);
    const auto vector =
        tandem::as_view<memory>(reinterpret_cast<const word*>(x.data_handle()), words);
    tandem::parallel_reduce_into(
        space, tandem::grid{rows, words}, tandem::axis{1},
        TANDEM_LAMBDA(int j, int i) {
          const word& p = of(j, i);
          const word& q = vector(i);
          float sum = p.element[0] * q.element[0];
          for (std::size_t e = 1; e < width; ++e) sum += p.element[e] * q.element[e];
          return sum;
        },
        tandem::sum<float>{}, y);
  }

  array<float, 2, Space> a;
  array<float, 1, Space> x;
  array<float, 1, Space> y;
};

}  // namespace perf
