// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_for over n, range and grid: every index once and no other, whatever its type.

#include <limits>

#include "fuzz/marks.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;

template <class Index>
bool fits(index_t first, index_t last) {
  return std::in_range<Index>(first) && std::in_range<Index>(last);
}

template <class Index>
struct lines {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const index_t n = d.size("n", most);
    const way how = draw_way(d);
    auto out = make_cells(space, n);
    const int form = d.pick("indices", {"n", "range", "block", "arguments"});
    if (form == 0) {
      return check_loop(space, how, out, n == 0 || fits<Index>(0, n - 1), n,
                        mark_line<memory, Index>{out.packed(), 0});
    }
    const index_t ends[] = {0,
                            1,
                            std::numeric_limits<std::int32_t>::max(),
                            -5,
                            most,
                            index_t{1} << 40,
                            -(index_t{1} << 31),
                            65536};
    const index_t begin = ends[d.number("begin", 0, 7)] - d.number("before", 0, 3) * (n / 3);
    if (form == 3) {
      run(
          space, how, [&] { out.upload(space); },
          [&](const Space& s) {
            parallel_for(s, range{begin, begin + n}, mark_arguments{}, out.packed(), begin);
          });
      out.check(space, "cells");
      return true;
    }
    range indices{begin, begin + n};
    if (form == 2) indices = indices.with_block(32 * d.number("block", 1, 32));
    const bool ends_first = n == 0 && d.one_in("backwards", 2);
    if (ends_first) indices.end -= 1000;
    const bool every = !ends_first && (n == 0 || fits<Index>(begin, begin + n - 1));
    return check_loop(space, how, out, every, indices,
                      mark_line<memory, Index>{out.packed(), begin});
  }
};

template <class Index>
struct grids {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const bool plane = d.pick("rank", {"2", "3"}) == 0;
    const index_t nx = d.size("nx", most);
    const index_t ny = d.size("ny", most / std::max<index_t>(nx, 1));
    const index_t nz = plane ? 1 : d.size("nz", most / std::max<index_t>(nx * ny, 1));
    const way how = draw_way(d);
    auto out = make_cells(space, nx * ny * nz);
    const bool every = fits<Index>(0, std::max({nx, ny, nz, index_t{1}}) - 1);
    const bool block = d.one_in("block", 4);
    if (plane) {
      grid indices{ny, nx};
      if (block) indices = indices.with_block(d.number("by", 1, 8), d.number("bx", 1, 64));
      return check_loop(space, how, out, every, indices,
                        mark_plane<memory, Index>{out.packed(), nx});
    }
    grid indices{nz, ny, nx};
    if (block)
      indices =
          indices.with_block(d.number("bz", 1, 2), d.number("by", 1, 8), d.number("bx", 1, 32));
    return check_loop(space, how, out, every, indices,
                      mark_volume<memory, Index>{out.packed(), ny, nx});
  }
};

/// The term of an index is the index.
struct its_index {
  TANDEM_FUNCTION index_t operator()(index_t i) const { return i; }
};

/// Sizes that cannot be counted, or are negative, must be refused before anything runs.
struct huge {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    auto out = make_cells(space, 1);
    using memory = typename Space::memory_type;
    const index_t big = index_t{1} << d.number("bits", 32, 62);
    const index_t other = index_t{1} << d.number("others", 32, 62);
    const mark_line<memory, index_t> line{out.packed(), 0};
    const int form = d.pick("form", {"unsigned", "range", "plane", "volume", "negative", "count",
                                     "backwards", "window", "terms"});
    const index_t begin = other - (index_t{1} << d.number("before", 0, 62));
    return runs_unless<extent_error>(true, "the indices cannot be counted", [&] {
      if (form == 0)
        parallel_for(space, ~std::uint64_t{0} - static_cast<std::uint64_t>(other), line);
      if (form == 1)
        parallel_for(space, range{-big - (index_t{1} << 62), 2 + (index_t{1} << 62)}, line);
      if (form == 2)
        parallel_for(space, grid{big, other}, mark_plane<memory, index_t>{line.out, 1});
      if (form == 3)
        parallel_for(space, grid{big, 3, other}, mark_volume<memory, index_t>{line.out, 1, 1});
      if (form == 4)
        parallel_for(space, grid{index_t{4}, -big}, mark_plane<memory, index_t>{line.out, 1});
      if (form == 5) parallel_for(space, -big, line);
      if (form == 6) parallel_for(space, range{begin, begin - big}, line);
      if (form == 7)
        parallel_for(space, grid{range{0, 3}, range{begin, begin - big}},
                     mark_plane<memory, index_t>{line.out, 1});
      if (form == 8) parallel_reduce(space, range{begin, begin - big}, its_index{});
    });
  }
};

const registered all[] = {
    {"for-int", on_a_space<lines<int>>},
    {"for-index", on_a_space<lines<index_t>>},
    {"for-unsigned", on_a_space<lines<std::uint32_t>>},
    {"for-short", on_a_space<lines<std::int16_t>>},
    {"grid-int", on_a_space<grids<int>>},
    {"grid-index", on_a_space<grids<index_t>>},
    {"for-huge", on_a_space<huge>},
};

}  // namespace
}  // namespace tandem::fuzz
