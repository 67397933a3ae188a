// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/kernel.hpp>

namespace perf {

using cell = unsigned char;

/// Two generations of Conway's Game of Life on a board of bytes, within a dead border. Columns are
/// a multiple of 16.
template <class Space>
struct life {
  static constexpr const char* name = "life";
  static constexpr const char* type = "u8";

  static std::vector<kernel_size> sizes(const settings& chosen) {
    if (chosen.quick) return {{1024, 1024}};
    return {{1024, 1024}, {16384, 16384}};
  }
  static kernel_cost cost(const kernel_size& size) {
    return {.bytes = 2 * 2 * static_cast<double>(size[0] * size[1])};
  }

  life(const Space& space, const kernel_size& size)
      : board({size[0], size[1]}, space), next({size[0], size[1]}, cell{0}, space) {}

  void reset(const Space& space) {
    const auto x = board.view();
    const int bottom = static_cast<int>(x.extent(0)) - 1;
    const int right = static_cast<int>(x.extent(1)) - 1;
    tandem::parallel_for(
        space, tandem::grid(x.extent(0), x.extent(1)), TANDEM_LAMBDA(int j, int i) {
          const bool inside = j > 0 && j < bottom && i > 0 && i < right;
          const auto at = static_cast<std::uint64_t>(j) * 65536 + static_cast<std::uint64_t>(i);
          x(j, i) = inside ? static_cast<cell>(mixed_bits(at) & 1) : cell{0};
        });
  }
  outcome result(const Space& space) { return summary(space, board.view()); }

  void run(const Space& space) {
    generation(space, board.const_view(), next.view());
    generation(space, next.const_view(), board.view());
  }

  template <class Input, class Output>
  void generation(const Space& space, const Input& in, const Output& out) {
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}},
        TANDEM_LAMBDA(int j, int i) {
          const auto count =
              static_cast<cell>(in(j - 1, i - 1) + in(j - 1, i) + in(j - 1, i + 1) + in(j, i - 1) +
                                in(j, i + 1) + in(j + 1, i - 1) + in(j + 1, i) + in(j + 1, i + 1));
          out(j, i) = static_cast<cell>((count | in(j, i)) == 3);
        });
  }

  tandem::array<cell, 2, Space> board;
  tandem::array<cell, 2, Space> next;
};

}  // namespace perf
