// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <type_traits>

namespace perf {

using cell = unsigned char;

/// Columns of the dead border on either side, so that the hand-written kernel can load words of 16
/// bytes.
inline constexpr index_t life_border = 16;

/// Cells of a row that are computed together, a byte each, the first in the lowest one: on a GPU
/// eight, on a CPU one, since its compiler makes vectors of them.
template <class Space>
using life_word = std::conditional_t<Space::memory_type::host_accessible, cell, unsigned long long>;

/// `byte` in each byte of a word.
template <class Word>
TANDEM_FUNCTION inline constexpr Word in_each_byte(int byte) {
  return static_cast<Word>(static_cast<Word>(~Word{0} / 255) * static_cast<unsigned>(byte));
}

/// The left and the right neighbours of the cells of a word.
template <class Word>
TANDEM_FUNCTION inline Word left_of(Word before, Word own) {
  return static_cast<Word>(own << 8 | before >> 8 * (sizeof(Word) - 1));
}
template <class Word>
TANDEM_FUNCTION inline Word right_of(Word own, Word after) {
  return static_cast<Word>(own >> 8 | after << 8 * (sizeof(Word) - 1));
}

/// 1 in each byte that is 3, and 0 in the others, which are below 16.
template <class Word>
TANDEM_FUNCTION inline Word is_three(Word count) {
  if constexpr (sizeof(Word) == 1) {
    return static_cast<Word>(count == 3);
  } else {
    const Word difference = count ^ in_each_byte<Word>(3);
    return (in_each_byte<Word>(16) - difference) >> 4 & in_each_byte<Word>(1);
  }
}

/// Two generations of Conway's Game of Life on a board of bytes, within a dead border of a row
/// above and below and of life_border columns. Columns are a multiple of 16.
template <class Space>
struct life {
  using word = life_word<Space>;

  static constexpr const char* name = "life";
  static constexpr const char* type = "u8";
  static constexpr index_t cells = sizeof(word);

  static inline const kernel_sizes sizes{{{1024, 1024}, {4096, 4096}, {16384, 16384}}};
  static constexpr kernel_cost cost_each{.bytes = 2 * 2};

  life(const Space& space, const kernel_size& size)
      : board({size[0], size[1] / cells}, space),
        next({size[0], size[1] / cells}, word{0}, space) {}

  /// All cells of the board, row by row.
  auto line() {
    return tandem::as_view<typename Space::memory_type>(
        reinterpret_cast<cell*>(board.data_handle()), board.size() * cells);
  }
  index_t rows() const { return board.extent(0); }
  index_t columns() const { return board.extent(1) * cells; }

  void reset(const Space& space) {
    const auto x = line();
    const int n = static_cast<int>(columns());
    const int bottom = static_cast<int>(rows()) - 1;
    const int right = n - static_cast<int>(life_border);
    tandem::parallel_for(
        space, tandem::grid(rows(), columns()), TANDEM_LAMBDA(int j, int i) {
          const bool inside = j > 0 && j < bottom && i >= life_border && i < right;
          const auto at = static_cast<std::uint64_t>(j) * 65536 + static_cast<std::uint64_t>(i);
          x(index_t{j} * n + i) = inside ? static_cast<cell>(mixed_bits(at) & 1) : cell{0};
        });
  }
  outcome result(const Space& space) { return summary(space, line()); }

  void run(const Space& space) {
    generation(space, board.const_view(), next.view());
    generation(space, next.const_view(), board.view());
  }

  /// Sums of bytes do not carry, since a cell has at most 8 living neighbours.
  template <class Input, class Output>
  void generation(const Space& space, const Input& in, const Output& out) {
    constexpr index_t edge = life_border / cells;
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {edge, in.extent(1) - edge}},
        TANDEM_LAMBDA(index_t j, index_t i) {
          const auto sides = [&](index_t row) {
            const word own = in(row, i);
            return static_cast<word>(left_of<word>(in(row, i - 1), own) +
                                     right_of<word>(own, in(row, i + 1)));
          };
          const auto count = static_cast<word>(sides(j - 1) + in(j - 1, i) + sides(j) +
                                               sides(j + 1) + in(j + 1, i));
          out(j, i) = is_three<word>(count | in(j, i));
        });
  }

  array<word, 2, Space> board;
  array<word, 2, Space> next;
};

}  // namespace perf
