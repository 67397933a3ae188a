// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/memory/transpose.hpp>

#include <cstdint>
#include <cstring>

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/memory/transposed_square.hpp>

namespace tandem::openmp_impl {

namespace {

/// Bytes of a block's rows before they are aligned: whole cache lines for most elements.
constexpr index_t block_bytes = 256;

constexpr auto line_bytes = static_cast<index_t>(cache_line_bytes);

/// Rows of the destination that are complete but for whole cache lines. Bytes go to the place in a
/// line that they have in memory, so lines are copied as they are. Lines of memory that are a
/// multiple of 4 KiB apart would evict each other from an L1; these do not.
template <std::size_t Bytes>
struct staged_rows {
  static constexpr index_t pitch = block_bytes + line_bytes;
  static constexpr auto most = static_cast<std::size_t>(transposed_rows(Bytes));

  alignas(cache_line_bytes) char bytes[most * static_cast<std::size_t>(pitch)];
  char* target[most];       ///< where byte `first` goes
  index_t first[most];      ///< of the bytes to be written, within the first line
  index_t used[most] = {};  ///< bytes of the first line that precede the next element

  char* next(index_t row) { return bytes + row * pitch + used[row]; }
};

/// Transposes a block, whose row `row` begins at place(row).
template <std::size_t Bytes, class Place>
[[gnu::always_inline]] inline void transpose_block(const char* source, index_t source_column,
                                                   index_t rows, index_t columns,
                                                   index_t prefetched, const Place& place) {
  constexpr auto n = static_cast<index_t>(lanes<Bytes>);
  constexpr auto bytes = static_cast<index_t>(Bytes);
  const index_t whole_rows = rows / n * n;
  const index_t whole_columns = columns / n * n;
  for (index_t column = 0; column < whole_columns; column += n) {
    const char* const from = source + column * source_column;
    for (index_t i = column; i < column + n && i < prefetched; ++i) {
      for (index_t at = 0; at < rows * bytes; at += line_bytes)
        __builtin_prefetch(source + (columns + i) * source_column + at);
    }
    for (index_t row = 0; row < whole_rows; row += n) {
      transpose_square<Bytes>(from + row * bytes, source_column, [&](std::size_t i) {
        return place(row + static_cast<index_t>(i)) + column * bytes;
      });
    }
  }
  const auto copy_row = [&](index_t row, index_t column) {
    char* const to = place(row);
    for (; column < columns; ++column)
      std::memcpy(to + column * bytes, source + column * source_column + row * bytes, Bytes);
  };
  if (whole_columns < columns) {
    for (index_t row = 0; row < whole_rows; ++row) copy_row(row, whole_columns);
  }
  for (index_t row = whole_rows; row < rows; ++row) copy_row(row, 0);
}

/// Writes the whole lines of a row to which `bytes` bytes have been added, or all of it if it ends
/// there.
template <std::size_t Bytes>
void write_row(staged_rows<Bytes>& staged, index_t row, index_t bytes, bool ends,
               bool nontemporal) {
  const char* const line = staged.bytes + row * staged.pitch;
  char* const to = staged.target[row];
  const index_t first = staged.first[row];
  const index_t end = staged.used[row] + bytes;
  index_t at = first;
  if (first > 0) {  // the line's first bytes belong to something else
    at = end < line_bytes ? end : line_bytes;
    std::memcpy(to, line + first, static_cast<std::size_t>(at - first));
  }
  for (; at + line_bytes <= end; at += line_bytes) {
    if (nontemporal) {
      store_line_nontemporal(reinterpret_cast<unsigned char*>(to + (at - first)),
                             reinterpret_cast<const unsigned char*>(line + at));
    } else {
      std::memcpy(to + (at - first), line + at, cache_line_bytes);
    }
  }
  staged.target[row] = to + (at - first);
  staged.first[row] = 0;
  staged.used[row] = end - at;
  if (ends) {
    std::memcpy(to + (at - first), line + at, static_cast<std::size_t>(end - at));
  } else if (at < end) {
    std::memcpy(staged.bytes + row * staged.pitch, line + at, cache_line_bytes);
  }
}

/// Copies a matrix through a block in the core's L1, from where whole lines are written.
template <std::size_t Bytes>
void transpose_through_stage(const transposed_matrix& m, bool nontemporal) {
  constexpr auto bytes = static_cast<index_t>(Bytes);
  constexpr index_t width = block_bytes / bytes;
  staged_rows<Bytes> staged;
  for (index_t row = 0; row < m.rows; ++row) {
    char* const to = m.destination + row * m.destination_row;
    const auto address = reinterpret_cast<std::uintptr_t>(to);
    staged.target[row] = to;
    staged.first[row] = static_cast<index_t>(address % cache_line_bytes);
    staged.used[row] = staged.first[row];
  }
  for (index_t column = 0; column < m.columns; column += width) {
    const index_t rest = m.columns - column;
    const index_t count = rest < width ? rest : width;
    transpose_block<Bytes>(m.source + column * m.source_column, m.source_column, m.rows, count,
                           rest >= 2 * width ? width : 0,
                           [&](index_t row) { return staged.next(row); });
    for (index_t row = 0; row < m.rows; ++row)
      write_row(staged, row, count * bytes, rest <= width, nontemporal);
  }
  if (nontemporal) store_fence();
}

/// Whether lines of the rows of a block evict each other from an L1 of 8 ways of 4 KiB.
constexpr bool are_rows_in_conflict(index_t rows, index_t pitch) {
  const index_t power_of_two = pitch & -pitch;
  return rows * power_of_two > 8 * 4096;
}

/// Copies a matrix in the way that suits it.
template <std::size_t Bytes>
void transpose_elements(const transposed_matrix& m, bool nontemporal) {
  constexpr auto bytes = static_cast<index_t>(Bytes);
  constexpr index_t height = line_bytes / bytes;  // the source's lines are used at once
  if (nontemporal && m.columns * bytes < 2 * block_bytes) nontemporal = false;  // few whole lines
  if (nontemporal || are_rows_in_conflict(height, m.destination_row))
    return transpose_through_stage<Bytes>(m, nontemporal);
  constexpr index_t width = block_bytes / bytes;
  for (index_t row = 0; row < m.rows; row += height) {
    const index_t rows = m.rows - row < height ? m.rows - row : height;
    for (index_t column = 0; column < m.columns; column += width) {
      char* const to = m.destination + row * m.destination_row + column * bytes;
      transpose_block<Bytes>(m.source + row * bytes + column * m.source_column, m.source_column,
                             rows, m.columns - column < width ? m.columns - column : width, 0,
                             [&](index_t i) { return to + i * m.destination_row; });
    }
  }
}

}  // namespace

void transpose(const transposed_matrix& matrix, std::size_t element_bytes, bool nontemporal) {
  switch (element_bytes) {
    case 1:
      return transpose_elements<1>(matrix, nontemporal);
    case 2:
      return transpose_elements<2>(matrix, nontemporal);
    case 3:
      return transpose_elements<3>(matrix, nontemporal);
    case 4:
      return transpose_elements<4>(matrix, nontemporal);
    case 8:
      return transpose_elements<8>(matrix, nontemporal);
    case 12:
      return transpose_elements<12>(matrix, nontemporal);
    default:
      return transpose_elements<16>(matrix, nontemporal);
  }
}

}  // namespace tandem::openmp_impl
