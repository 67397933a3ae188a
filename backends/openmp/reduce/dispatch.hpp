// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/backends/openmp/reduce/subtree.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

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

/// Where n terms that `threads` threads share are read from.
template <class Load>
data_location location_of_terms(index_t n, int threads) {
  return location_of(static_cast<std::size_t>(n) * bytes_of_term<Load>, threads);
}

/// Terms of subtrees that end where the shares of loops do, in so far as leaves do; of larger ones
/// where n is as good as a multiple of them for each thread, so that fewer totals are left to
/// combine.
template <class R>
index_t even_subtree_terms(index_t n, int threads) {
  constexpr index_t leaf = leaf_terms<R>;
  index_t terms = leaf;
  while (terms * 2 <= step_of_shares(n / threads)) terms *= 2;
  while (terms * 2 * threads <= n && n % (terms * 2 * threads) < leaf) terms *= 2;
  return terms;
}

/// Terms of the subtrees that threads reduce. An argminmax may be divided anywhere: each thread
/// gets one subtree, in which it looks up the position once.
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

/// Elements from the total of one subtree to the next. Threads with few subtrees finish them at
/// about the same time and would contend for a cache line that they share; those with many share
/// lines with themselves, so that the thread that combines the totals reads few.
template <class T>
index_t total_distance(index_t subtrees, int threads) {
  if (subtrees >= index_t{threads} * subtrees_per_thread / 2) return 1;
  return static_cast<index_t>((cache_line_bytes + sizeof(T) - 1) / sizeof(T));
}

/// The body of a loop over subtrees of `terms` terms each, out of n.
template <class Load, class R>
struct subtree_reduction {
  copy_if_small<Load> load;
  copy_if_small<R> reducer;
  typename R::accumulator* totals;
  index_t distance;  ///< of totals
  index_t n;
  index_t terms;
  data_location from;

  void operator()(index_t begin, index_t end) const {
    for (index_t s = begin; s < end; ++s) {
      const index_t first = s * terms;
      totals[s * distance] =
          reduce_subtree(load, first, n - first < terms ? n : first + terms, reducer, from);
    }
  }

  /// The subtrees nearest to the thread's share of a loop over the terms' indices, so that what
  /// loops and reductions over the same arrays read and write is in the cache of the same core.
  share share_of(int part, int parts) const {
    const share indices = line_share_of(0, n, part, parts);
    const auto nearest = [this](index_t i) {
      return i == n ? ceil_div(n, terms) : (i + terms / 2) / terms;
    };
    return {nearest(indices.begin), nearest(indices.end)};
  }
};

/// Folds on several threads, with `is_adaptive` only where a fork pays: the tree is cut into
/// aligned subtrees of 2^k leaves each, whose totals are the leaves of the tree above.
template <class Load, class R>
typename R::accumulator reduce_shared(const openmp& space, const Load& load, index_t n,
                                      const R& reducer, bool is_adaptive) {
  using T = typename R::accumulator;
  const bool is_balanced = !is_adaptive && n >= balanced_terms;
  const index_t terms = subtree_terms<R>(n, space.threads(), is_adaptive, is_balanced);
  const index_t subtrees = ceil_div(n, terms);
  const index_t distance = total_distance<T>(subtrees, space.threads());
  const small_scratch<T> totals(subtrees * distance);
  const data_location from = location_of_terms<Load>(n, space.threads());
  const subtree_reduction<Load, R> reduce_subtrees{load, reducer, totals.data(), distance,
                                                   n,    terms,   from};
  if (is_balanced) {
    run_stealing(space.threads(), 0, subtrees, 1, reduce_subtrees);
  } else {
    run_loop(space, subtrees, is_adaptive, reduce_subtrees);
  }
  T* const total = totals.data();
  for (index_t s = 1; s < subtrees; ++s) total[s] = total[s * distance];
  return combine_all(total, subtrees, reducer);
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
  const small_scratch<T> terms(head);
  const auto compute = [&](index_t begin, index_t end) {
    const Load local = load;
    compute_terms(local, begin, end, terms.data());
  };
  // Half of the terms: only their computation is shared, and buffers cost as much as a fork.
  const index_t done = run_serial_prefix(n / 2, space.threads(), compute, head);
  if (done < head) {
    const scratch<T> all(n);
    compute_shared(space, load, terms.data(), done, n, all.data());
    return reduce_subtree(stored_load<T>{all.data()}, 0, n, reducer);
  }
  const stored_load<T> stored{terms.data()};
  if (n == head) return reduce_subtree(stored, 0, n, reducer);
  pairwise_tree<R> tree(reducer);
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
