// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/reduce/plan.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/backends/openmp/reduce/subtree.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>

#include <bit>
#include <cstdint>

namespace tandem {

namespace openmp_impl {

/// Writes the terms begin to end - 1 of a load to out[begin] and on.
template <class Load, class T>
void compute_terms(const Load& load, index_t begin, index_t end, T* out) {
  if constexpr (has_rows<Load>) {
    compute_rows(load, begin, end, out + begin);
  } else {
    constexpr int piece = 4096;  // positions are ints
    for (; begin < end; begin += piece) {
      const int count = end - begin < piece ? static_cast<int>(end - begin) : piece;
      const auto store = [=](const auto& terms) {
        for (int i = 0; i < count; ++i) out[begin + i] = terms(i);
      };
      const tile_loader<Load> terms{load, begin};
      if (terms.reaches(piece)) {
        store(terms.from(0, piece));
      } else {
        store(terms);
      }
    }
  }
}

/// Reduces on several threads; if `is_adaptive`, only when a fork pays.
template <class Load, class R>
typename R::accumulator reduce_shared(const openmp& space, const Load& load, index_t n,
                                      const R& reducer, bool is_adaptive) {
  using T = typename R::accumulator;
  const int threads = space.threads();
  const reduce_plan plan = plan_reduction<Load, R>(n, threads, is_adaptive);
  const small_scratch<T, scratch_on_stack<T>> totals(plan.subtrees * plan.distance);
  const subtree_reduction<Load, R> reduce_subtrees{load, reducer,    totals.data(), plan.distance,
                                                   n,    plan.terms, plan.from};
  if (is_adaptive) {
    run_loop(space, plan.subtrees, true, reduce_subtrees);
  } else if (plan.is_balanced) {
    run_stealing(threads, 0, plan.subtrees, 1, reduce_subtrees);
  } else {
    run_balanced(threads, 0, plan.subtrees, reduce_subtrees);
  }
  T* const total = totals.data();
  for (index_t s = 1; s < plan.subtrees; ++s) total[s] = total[s * plan.distance];
  return combine_all(total, plan.subtrees, reducer);
}

/// Writes n terms to `out`: copies of those before `done`, the others computed in a parallel loop.
template <class Load, class T>
void compute_shared(const openmp& space, const Load& load, const T* computed, index_t done,
                    index_t n, T* out) {
  for (index_t i = 0; i < done; ++i) out[i] = computed[i];
  run_loop(space, n - done, false, [&](index_t begin, index_t end) {
    const Load local = load;
    compute_terms(local, done + begin, done + end, out);
  });
}

/// Reduces few terms of a function of unknown cost. The terms of the first tile are computed into
/// memory and timed, to decide whether a team would finish all terms sooner; they are not computed
/// again.
template <class Load, class R>
typename R::accumulator reduce_few(const openmp& space, const Load& load, index_t n,
                                   const R& reducer) {
  using T = typename R::accumulator;
  constexpr index_t leaf = leaf_terms<R>;
  const index_t head = n < leaf ? n : leaf;
  const small_scratch<T, scratch_on_stack<T>> terms(head);
  const auto compute = [&](index_t begin, index_t end) {
    const Load local = load;
    compute_terms(local, begin, end, terms.data());
  };
  // Half of the terms: a team only shares their computation, and buffers cost as much as a fork.
  const index_t done = run_serial_prefix(n / 2, space.threads(), compute, head);
  if (done < head) {
    const scratch<T> all(n);
    compute_shared(space, load, terms.data(), done, n, all.data());
    return reduce_subtree(stored_load<T>{all.data()}, 0, n, reducer);
  }
  const stored_load<T> stored{terms.data()};
  if (n == head) return reduce_subtree(stored, 0, n, reducer);
  pairwise_tree<R, std::bit_width(std::uint64_t{buffered_terms / leaf})> tree(reducer);
  tree.push(reduce_subtree(stored, 0, head, reducer));
  for (index_t first = leaf; first < n; first += leaf)
    tree.push(reduce_subtree(load, first, n - first < leaf ? n : first + leaf, reducer));
  return tree.root();
}

}  // namespace openmp_impl

/// Combines n >= 1 terms in the canonical shape, on as many threads as pay.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const openmp& space, const char*, index_t n,
                                        const Load& load, const R& reducer) {
  if (space.threads() == 1)
    return openmp_impl::reduce_subtree(load, 0, n, reducer,
                                       openmp_impl::location_of_terms<Load>(n, 1));
  if constexpr (openmp_impl::reads_memory<Load>) {
    const auto bytes = static_cast<std::size_t>(n) * sizeof(typename R::accumulator);
    if (bytes < openmp_impl::reduce_fork_bytes)
      return openmp_impl::reduce_subtree(load, 0, n, reducer);
    return openmp_impl::reduce_shared(space, load, n, reducer, false);
  } else {
    if (n < openmp_impl::buffered_terms) return openmp_impl::reduce_few(space, load, n, reducer);
    return openmp_impl::reduce_shared(space, load, n, reducer, n < openmp_impl::adaptive_terms);
  }
}

/// Reduces n >= 0 terms in the canonical shape, with the result in `out`.
template <class Load, class R>
void dispatch_reduce_into(const openmp& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  *out = n == 0 ? reducer.empty() : reducer.finish(dispatch_reduce(space, label, n, load, reducer));
}

}  // namespace tandem
