// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/backends/openmp/reduce/subtree.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// How several threads reduce n terms: the canonical tree is cut into aligned subtrees of 2^k
/// leaves each, whose totals are the leaves of the tree above. A plan changes speed, never a bit.
struct reduce_plan {
  index_t terms = 0;         ///< per subtree
  index_t subtrees = 0;      ///< the last one may be shorter
  index_t distance = 1;      ///< elements from the total of one subtree to the next
  bool is_balanced = false;  ///< threads steal subtrees
  data_location from = data_location::l2;
};

/// Returns the level of the hierarchy from which `threads` threads read n terms.
template <class Load>
data_location location_of_terms(index_t n, int threads) {
  return location_of(static_cast<std::size_t>(n) * bytes_of_term<Load>, threads);
}

/// Returns the terms per subtree, aligned with the partitions of loops as far as leaves allow.
/// Larger subtrees are preferred if they divide n about evenly among the threads, since fewer
/// totals are then left to combine.
template <class R>
index_t even_subtree_terms(index_t n, int threads) {
  constexpr index_t leaf = leaf_terms<R>;
  index_t terms = leaf;
  while (terms * 2 <= step_of_shares(n / threads)) terms *= 2;
  while (terms * 2 * threads <= n && n % (terms * 2 * threads) < leaf) terms *= 2;
  return terms;
}

/// Returns the terms per subtree. An argminmax may be divided anywhere: each thread gets one
/// subtree, in which it looks up the position once.
template <class R>
index_t subtree_terms(index_t n, int threads, bool is_adaptive, bool is_balanced) {
  if (!is_adaptive && !is_balanced) {
    if constexpr (is_argminmax<R>)
      return round_up(ceil_div(n, index_t{threads}), index_t{canonical::segment});
    return even_subtree_terms<R>(n, threads);
  }
  const index_t wanted = (is_balanced ? 2 : 1) * subtrees_per_thread * threads;
  index_t terms = leaf_terms<R>;
  while (n / (terms * 2) >= wanted) terms *= 2;
  return terms;
}

/// Returns the distance between totals. Threads with few subtrees finish them at about the same
/// time and would contend for a shared cache line. Threads with many share lines mostly with
/// themselves, and the thread that combines the totals then reads fewer lines.
template <class T>
index_t total_distance(index_t subtrees, int threads) {
  if (subtrees >= index_t{threads} * subtrees_per_thread / 2) return 1;
  return static_cast<index_t>((cache_line_bytes + sizeof(T) - 1) / sizeof(T));
}

/// Plans the reduction of n >= 1 terms; `is_adaptive` if the loop over subtrees forks only when
/// that pays.
template <class Load, class R>
reduce_plan plan_reduction(index_t n, int threads, bool is_adaptive) {
  reduce_plan plan;
  plan.is_balanced = !is_adaptive && n >= balanced_terms;
  plan.terms = subtree_terms<R>(n, threads, is_adaptive, plan.is_balanced);
  plan.subtrees = ceil_div(n, plan.terms);
  plan.distance = total_distance<typename R::accumulator>(plan.subtrees, threads);
  plan.from = location_of_terms<Load>(n, threads);
  return plan;
}

}  // namespace tandem::openmp_impl
