// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/blocks.hpp>
#include <tandem/backends/openmp/policy.hpp>
#include <tandem/backends/openmp/space.hpp>
#include <tandem/backends/openmp/workspace.hpp>
#include <tandem/core/select_problem.hpp>

namespace tandem {

namespace openmp_impl {

/// How many elements of a share are kept.
template <class T, class Keep>
index_t count_kept(const select_problem<T, Keep>& problem, share part) {
  index_t kept = 0;
  for (index_t i = part.begin; i < part.end; ++i) kept += problem.keeps(i) ? 1 : 0;
  return kept;
}

/// Puts the kept elements of a share to out[at], out[at + 1], ..; returns the place behind them.
template <class T, class Keep>
index_t copy_kept(const select_problem<T, Keep>& problem, share part, index_t at) {
  for (index_t i = part.begin; i < part.end; ++i) {
    if (!problem.keeps(i)) continue;
    if (at < problem.room) problem.out[at * problem.out_stride] = problem.x[i * problem.x_stride];
    ++at;
  }
  return at;
}

}  // namespace openmp_impl

/// Selects in two passes, so that each element's place is known before anything is written: blocks
/// of x, one a thread, are counted and then copied. One block needs no count.
template <class T, class Keep>
index_t dispatch_select(const openmp& space, const char*, const select_problem<T, Keep>& problem) {
  using openmp_impl::share;
  const int blocks = problem.size < openmp_impl::select_fork_elements ? 1 : space.threads();
  if (blocks == 1) return openmp_impl::copy_kept(problem, {0, problem.size}, 0);
  const openmp_impl::workspace<index_t> before(blocks);
  openmp_impl::for_blocks(blocks, problem.size, [&](index_t block, share part) {
    before[block] = openmp_impl::count_kept(problem, part);
  });
  index_t all = 0;
  for (index_t block = 0; block < blocks; ++block) {
    const index_t kept = before[block];
    before[block] = all;
    all += kept;
  }
  openmp_impl::for_blocks(blocks, problem.size, [&](index_t block, share part) {
    openmp_impl::copy_kept(problem, part, before[block]);
  });
  return all;
}

/// The same with the count in `count`.
template <class T, class Keep>
void dispatch_select_into(const openmp& space, const char* label,
                          const select_problem<T, Keep>& problem, index_t* count) {
  *count = problem.size == 0 ? 0 : dispatch_select(space, label, problem);
}

}  // namespace tandem
