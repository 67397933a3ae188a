// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fuzz/placed.hpp"

/// Loops under test: kernels that mark the cell of each index, so that a missing, repeated or
/// invalid index shows.
namespace tandem::fuzz {

/// The value of a cell after a loop that visited flat index i once.
TANDEM_FUNCTION inline std::uint32_t mark(std::uint64_t i) {
  return static_cast<std::uint32_t>(i * 2654435761u) + 1;
}

template <class Memory>
using cells = view<std::uint32_t, 1, layout_right, Memory>;

/// Adds the index's mark to its cell, so that a second visit shows. Not atomic: simultaneous visits
/// of one cell would be a defect too.
template <class Memory, class Index>
struct mark_line {
  cells<Memory> out;
  index_t begin;

  TANDEM_FUNCTION void operator()(Index i) const {
    const auto at = static_cast<index_t>(i) - begin;
    out(at) += mark(static_cast<std::uint64_t>(at));
  }
};

template <class Memory, class Index>
struct mark_plane {
  cells<Memory> out;
  index_t nx;

  TANDEM_FUNCTION void operator()(Index j, Index i) const {
    const index_t at = static_cast<index_t>(j) * nx + static_cast<index_t>(i);
    out(at) += mark(static_cast<std::uint64_t>(at));
  }
};

template <class Memory, class Index>
struct mark_volume {
  cells<Memory> out;
  index_t ny;
  index_t nx;

  TANDEM_FUNCTION void operator()(Index k, Index j, Index i) const {
    const index_t at =
        (static_cast<index_t>(k) * ny + static_cast<index_t>(j)) * nx + static_cast<index_t>(i);
    out(at) += mark(static_cast<std::uint64_t>(at));
  }
};

/// Takes the members of mark_line as arguments of the call.
struct mark_arguments {
  template <class Memory>
  TANDEM_FUNCTION void operator()(index_t i, cells<Memory> out, index_t begin) const {
    out(i - begin) += mark(static_cast<std::uint64_t>(i - begin));
  }
};

/// A buffer of n cells, which a loop must mark.
template <class Space>
placed<std::uint32_t, 1, Space> make_cells(const Space& space, index_t n) {
  const placement<1> at{extents<1>(n), extents<1>(1), guard, n + 2 * guard};
  placed<std::uint32_t, 1, Space> out(space, at, {1, 7});
  for (index_t i = 0; i < n; ++i) out.expected(i) = out(i) + mark(static_cast<std::uint64_t>(i));
  return out;
}

/// Runs the loop unless an index does not fit its type, which must be refused.
template <class Space, class Indices, class Function>
bool check_loop(const Space& space, way how, placed<std::uint32_t, 1, Space>& out, bool fits,
                const Indices& indices, const Function& f) {
  if (!fits) {
    return runs_unless<extent_error>(true, "an index does not fit",
                                     [&] { parallel_for(space, indices, f); });
  }
  run(
      space, how, [&] { out.upload(space); }, [&](const Space& s) { parallel_for(s, indices, f); });
  out.check(space, "cells");
  return true;
}

}  // namespace tandem::fuzz
