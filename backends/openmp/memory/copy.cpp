// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/memory/copy.hpp>

#include <cstring>

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/memory/policy.hpp>
#include <tandem/backends/openmp/memory/transpose.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>
#include <tandem/core/contract/strided.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace openmp_impl {

namespace {

/// Rows and columns of the blocks of copies that transpose() does not take: with elements of 8
/// bytes, a block's cache lines on both sides fit a 32 KiB L1, and every line is used completely
/// while it is there.
constexpr index_t block = 32;

/// Pieces of rows are multiples of this many elements, so that they are whole cache lines.
constexpr auto line = static_cast<index_t>(cache_line_bytes);

/// A copy of any rank as planes: `rows` along the dimension in which the source is densest,
/// `columns` along the last one, in which the destination is densest. All other dimensions count
/// planes.
struct plane_copy {
  copy_problem outer;  // the dimensions that count planes
  index_t rows = 1;
  index_t columns = 1;
  index_t source_row = 0;
  index_t source_column = 0;
  index_t destination_row = 0;
  index_t destination_column = 0;
};

/// Removes dimension `d`.
void remove_dimension(copy_problem& p, int d) {
  for (--p.rank; d < p.rank; ++d) {
    p.extent[d] = p.extent[d + 1];
    p.source_stride[d] = p.source_stride[d + 1];
    p.destination_stride[d] = p.destination_stride[d + 1];
  }
}

/// Splits a copy of rank >= 1 into planes.
plane_copy make_planes(const copy_problem& p) {
  plane_copy planes;
  planes.outer = p;
  const int last = p.rank - 1;
  planes.columns = p.extent[last];
  planes.source_column = p.source_stride[last];
  planes.destination_column = p.destination_stride[last];
  remove_dimension(planes.outer, last);
  if (last == 0) return planes;
  int row = last - 1;
  for (int d = last - 2; d >= 0; --d) {
    if (detail::magnitude(p.source_stride[d]) < detail::magnitude(p.source_stride[row])) row = d;
  }
  planes.rows = p.extent[row];
  planes.source_row = p.source_stride[row];
  planes.destination_row = p.destination_stride[row];
  remove_dimension(planes.outer, row);
  return planes;
}

/// Copies one element of Bytes bytes, or of `bytes` bytes if Bytes is 0.
template <std::size_t Bytes>
void copy_element(char* to, const char* from, std::size_t bytes) {
  std::memcpy(to, from, Bytes == 0 ? bytes : Bytes);
}

/// Copies a block of a plane.
template <std::size_t Bytes>
void copy_block_of(const plane_copy& p, const char* source, char* destination, index_t rows,
                   index_t columns) {
  const std::size_t bytes = p.outer.element_bytes;
  const auto step = static_cast<index_t>(bytes);
  const bool has_whole_rows = p.source_column == 1 && p.destination_column == 1;
  const index_t width = has_whole_rows ? columns : block;
  for (index_t column = 0; column < columns; column += width) {
    const index_t count = tandem::min(columns - column, width);
    for (index_t row = 0; row < rows; ++row) {
      const char* from = source + step * (row * p.source_row + column * p.source_column);
      char* to = destination + step * (row * p.destination_row + column * p.destination_column);
      if (has_whole_rows) {
        std::memcpy(to, from, static_cast<std::size_t>(columns) * bytes);
        continue;
      }
      for (index_t i = 0; i < count; ++i) {
        copy_element<Bytes>(to + step * i * p.destination_column, from + step * i * p.source_column,
                            bytes);
      }
    }
  }
}

/// Copies a block; the element's size is a compile-time constant if it is a common one.
void copy_block(const plane_copy& p, const char* source, char* destination, index_t rows,
                index_t columns) {
  switch (p.outer.element_bytes) {
    case 1:
      return copy_block_of<1>(p, source, destination, rows, columns);
    case 2:
      return copy_block_of<2>(p, source, destination, rows, columns);
    case 4:
      return copy_block_of<4>(p, source, destination, rows, columns);
    case 8:
      return copy_block_of<8>(p, source, destination, rows, columns);
    case 16:
      return copy_block_of<16>(p, source, destination, rows, columns);
    default:
      return copy_block_of<0>(p, source, destination, rows, columns);
  }
}

/// How the planes of a copy are divided into blocks: `bands` times `pieces` per plane.
struct plane_blocks {
  bool transposes = false;
  bool nontemporal = false;
  index_t band = block;  // rows
  index_t piece = 1;     // columns
  index_t bands = 1;
  index_t pieces = 1;
};

/// Chooses blocks that are long and enough for all threads.
plane_blocks divide(const plane_copy& p, int threads) {
  plane_blocks blocks;
  const auto bytes = static_cast<index_t>(p.outer.element_bytes);
  blocks.transposes = p.source_row == 1 && p.destination_column == 1 && p.source_column != 1 &&
                      is_transposable(p.outer.element_bytes);
  if (blocks.transposes) {
    const index_t total = bytes * p.outer.size() * p.rows * p.columns;
    blocks.nontemporal =
        prefers_nontemporal_stores(transpose_cache_factor * 2 * static_cast<std::size_t>(total));
    blocks.band = transposed_rows(p.outer.element_bytes);
  }
  blocks.bands = ceil_div(p.rows, blocks.band);
  const index_t wanted = ceil_div(copy_blocks_per_thread * threads, blocks.bands * p.outer.size());
  const index_t piece = tandem::max(ceil_div(p.columns, wanted), ceil_div(copy_block_bytes, bytes));
  blocks.piece = ceil_div(piece, line) * line;
  blocks.pieces = ceil_div(p.columns, blocks.piece);
  return blocks;
}

/// Copies the blocks [begin, end), counted through all planes.
void copy_blocks(const plane_copy& p, const plane_blocks& blocks, index_t begin, index_t end) {
  const auto step = static_cast<index_t>(p.outer.element_bytes);
  for (index_t at = begin; at < end; ++at) {
    const index_t column = at % blocks.pieces * blocks.piece;
    const index_t row = at / blocks.pieces % blocks.bands * blocks.band;
    index_t plane = at / blocks.pieces / blocks.bands;
    index_t from = row * p.source_row + column * p.source_column;
    index_t to = row * p.destination_row + column * p.destination_column;
    for (int d = p.outer.rank - 1; d >= 0; --d) {
      const index_t i = plane % p.outer.extent[d];
      from += i * p.outer.source_stride[d];
      to += i * p.outer.destination_stride[d];
      plane /= p.outer.extent[d];
    }
    const char* const source = static_cast<const char*>(p.outer.source) + step * from;
    char* const destination = static_cast<char*>(p.outer.destination) + step * to;
    const index_t rows = tandem::min(p.rows - row, blocks.band);
    const index_t columns = tandem::min(p.columns - column, blocks.piece);
    if (blocks.transposes) {
      transpose(
          {source, destination, rows, columns, step * p.source_column, step * p.destination_row},
          p.outer.element_bytes, blocks.nontemporal);
    } else {
      copy_block(p, source, destination, rows, columns);
    }
  }
}

void copy_strided(const copy_problem& p, int threads) {
  const plane_copy planes = make_planes(p);
  const plane_blocks blocks = divide(planes, threads);
  run_static(threads, 0, blocks.pieces * blocks.bands * planes.outer.size(),
             [&](index_t begin, index_t end) { copy_blocks(planes, blocks, begin, end); });
}

void copy_contiguous(const copy_problem& p, int threads) {
  const auto bytes = static_cast<index_t>(p.element_bytes) * p.size();
  const bool nontemporal = prefers_nontemporal_copy(2 * static_cast<std::size_t>(bytes));
  const auto copy_bytes = [to = static_cast<unsigned char*>(p.destination),
                           from = static_cast<const unsigned char*>(p.source),
                           nontemporal](index_t begin, index_t end) {
    const auto count = static_cast<std::size_t>(end - begin);
    if (nontemporal) {
      copy_nontemporal(to + begin, from + begin, count);
    } else {
      std::memcpy(to + begin, from + begin, count);
    }
  };
  if (bytes < copy_stealing_bytes * threads) return run_static(threads, 0, bytes, copy_bytes);
  run_stealing(threads, 0, bytes, copy_piece_bytes, copy_bytes);
}

}  // namespace
}  // namespace openmp_impl

void dispatch_copy(const openmp& space, const copy_problem& problem) {
  const index_t size = problem.size();
  if (size == 0) return;
  const bool small =
      static_cast<std::size_t>(size) * problem.element_bytes < openmp_impl::copy_fork_bytes;
  const int threads = small ? 1 : space.threads();
  if (problem.is_contiguous()) {
    openmp_impl::copy_contiguous(problem, threads);
  } else {
    openmp_impl::copy_strided(problem, threads);
  }
}

}  // namespace tandem
