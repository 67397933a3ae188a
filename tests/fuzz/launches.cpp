// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch shapes: with_block and with_blocks of ranges, blocks of grids and grids of ranges.

#include "fuzz/marks.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;

/// Marks the indices of a grid of ranges, in a plane that begins at their first indices.
template <class Memory, class Index>
struct mark_window {
  mark_plane<Memory, Index> from_zero;
  index_t first_row;
  index_t first_column;

  TANDEM_FUNCTION void operator()(Index j, Index i) const {
    from_zero(static_cast<Index>(j - first_row), static_cast<Index>(i - first_column));
  }
};
template <class Memory, class Index>
struct mark_box {
  mark_volume<Memory, Index> from_zero;
  index_t first[3];

  TANDEM_FUNCTION void operator()(Index k, Index j, Index i) const {
    from_zero(static_cast<Index>(k - first[0]), static_cast<Index>(j - first[1]),
              static_cast<Index>(i - first[2]));
  }
};

/// Draws a block size that a device runs and, occasionally, one that none does.
index_t draw_block(draw& d) { return d.number("block", 1, d.one_in("too_many", 30) ? 1100 : 1024); }

template <class Index>
struct line_launches {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const index_t n = d.size("n", most);
    const index_t begin = d.number("begin", 0, 3) * 1000003 - d.number("before", 0, 7);
    const range indices{begin, begin + n};
    auto out = make_cells(space, n);
    const way how = draw_way(d);
    const mark_line<memory, Index> f{out.packed(), begin};
    const auto check = [&](const auto& shape) {
      return check_loop(space, how, out, true, shape, f);
    };
    const index_t blocks = d.number("blocks", 0, d.one_in("many_blocks", 4) ? 3000 : 40);
    switch (d.pick("shape", {"block", "block_128", "block_1", "block_1024", "blocks",
                             "block_and_blocks", "blocks_of_96"})) {
      case 0:
        return check_block(d, space, how, out, indices, f);
      case 1:
        return check(indices.template with_block<128>());
      case 2:
        return check(indices.template with_block<1>());
      case 3:
        return check(indices.template with_block<1024>());
      case 4:
        return check_blocks(space, how, out, indices.with_blocks(blocks), f);
      case 5: {
        const auto shape = indices.with_block(d.number("block", 1, 1024)).with_blocks(blocks);
        return check_blocks(space, how, out, shape, f);
      }
      default:
        return check_blocks(space, how, out, indices.template with_block<96>().with_blocks(blocks),
                            f);
    }
  }

 private:
  template <class Space, class Out, class Function>
  static bool check_block(draw& d, const Space& space, way how, Out& out, const range& indices,
                          const Function& f) {
    const index_t threads = draw_block(d);
    if (threads <= 1024) return check_loop(space, how, out, true, indices.with_block(threads), f);
    return runs_unless<argument_error>(true, "no device runs such a block", [&] {
      parallel_for(space, indices.with_block(threads), f);
    });
  }

  template <class Space, class Out, class Shape, class Function>
  static bool check_blocks(const Space& space, way how, Out& out, const Shape& shape,
                           const Function& f) {
    return check_loop(space, how, out, shape.blocks > 0, shape, f);  // 0 is an extent_error
  }
};

template <class Index>
struct grid_launches {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t nx = d.size("nx", most);
    const index_t ny = d.size("ny", most / std::max<index_t>(nx, 1));
    const index_t nz = d.size("nz", most / std::max<index_t>(nx * ny, 1));
    const way how = draw_way(d);
    if (d.pick("rank", {"2", "3"}) == 0) return plane(d, space, how, nz * ny, nx);
    return volume(d, space, how, nz, ny, nx);
  }

 private:
  template <class Space>
  static bool plane(draw& d, const Space& space, way how, index_t ny, index_t nx) {
    using memory = typename Space::memory_type;
    auto out = make_cells(space, ny * nx);
    const mark_plane<memory, Index> f{out.packed(), nx};
    const grid indices{ny, nx};
    const index_t by = d.number("by", 1, 32);
    const index_t bx = d.number("bx", 1, 1024 / by);
    switch (d.pick("shape", {"block", "block_4_32", "block_16_16", "ranges"})) {
      case 0:
        return check_loop(space, how, out, true, indices.with_block(by, bx), f);
      case 1:
        return check_loop(space, how, out, true, indices.template with_block<4, 32>(), f);
      case 2:
        return check_loop(space, how, out, true, indices.template with_block<16, 16>(), f);
      default:
        break;
    }
    const index_t j = d.number("j", 0, 9) - 4;
    const index_t i = d.number("i", 0, 9) - 4;
    const grid window{range{j, j + ny}, range{i, i + nx}};
    const mark_window<memory, Index> g{f, j, i};
    if (d.one_in("with_block", 2))
      return check_loop(space, how, out, true, window.with_block(by, bx), g);
    return check_loop(space, how, out, true, window, g);
  }

  template <class Space>
  static bool volume(draw& d, const Space& space, way how, index_t nz, index_t ny, index_t nx) {
    using memory = typename Space::memory_type;
    auto out = make_cells(space, nz * ny * nx);
    const mark_volume<memory, Index> f{out.packed(), ny, nx};
    const grid indices{nz, ny, nx};
    const index_t bz = d.number("bz", 1, 8);
    const index_t by = d.number("by", 1, 8);
    const index_t bx = d.number("bx", 1, 1024 / (bz * by));
    switch (d.pick("shape", {"block", "block_2_4_32", "ranges"})) {
      case 0:
        return check_loop(space, how, out, true, indices.with_block(bz, by, bx), f);
      case 1:
        return check_loop(space, how, out, true, indices.template with_block<2, 4, 32>(), f);
      default:
        break;
    }
    const index_t k = d.number("k", 0, 9) - 4;
    const index_t j = d.number("j", 0, 9) - 4;
    const index_t i = d.number("i", 0, 9) - 4;
    const grid window{range{k, k + nz}, range{j, j + ny}, range{i, i + nx}};
    return check_loop(space, how, out, true, window, mark_box<memory, Index>{f, {k, j, i}});
  }
};

const registered all[] = {
    {"launch-line-int", on_a_space<line_launches<int>>},
    {"launch-line-index", on_a_space<line_launches<index_t>>},
    {"launch-grid-int", on_a_space<grid_launches<int>>},
    {"launch-grid-index", on_a_space<grid_launches<index_t>>},
};

}  // namespace
}  // namespace tandem::fuzz
