// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fold_extreme.hpp>
#include <tandem/backends/openmp/fold_tile.hpp>
#include <tandem/backends/openmp/parallel_for.hpp>
#include <tandem/backends/openmp/tree.hpp>
#include <tandem/backends/openmp/workspace.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace openmp_impl {

/// Fewest terms that a thread folds in one go: a tile, 256 segments of the ordered shape, and a few
/// blocks where the order cannot show.
template <class R>
inline constexpr index_t leaf_terms =
    R::commutative && !locates_extreme<R> ? index_t{canonical::tile<typename R::accumulator>}
                                          : index_t{canonical::scan_tile};

/// The subtree over the terms first to end - 1 of the commutative shape; `first` begins a tile. The
/// load is copied, so that compilers see that nothing in the loop changes it.
template <class Load, class R>
typename R::accumulator fold_tiles(const Load load, index_t first, index_t end, const R& reducer) {
  constexpr int tile = canonical::tile<typename R::accumulator>;
  adjacent_tree<R> tree(reducer);
  for (; end - first >= tile; first += tile) {
    tree.push(fold_whole_tile(tile_terms<Load>{load, first}, reducer));
  }
  const tile_terms<Load> last{load, first};
  if (first < end) tree.push(fold_last_tile(last, static_cast<int>(end - first), reducer));
  return tree.root();
}

/// The subtree over the terms first to end - 1 of the ordered shape; `first` begins a segment.
template <class Load, class R>
typename R::accumulator fold_segments(const Load load, index_t first, index_t end,
                                      const R& reducer) {
  adjacent_tree<R> tree(reducer);
  for (; first < end; first += canonical::segment) {
    const int count =
        end - first < canonical::segment ? static_cast<int>(end - first) : canonical::segment;
    const tile_terms<Load> terms{load, first};
    typename R::accumulator folded = terms(0);
    for (int i = 1; i < count; ++i) folded = reducer.combine(folded, terms(i));
    tree.push(folded);
  }
  return tree.root();
}

/// The canonical combination of the terms first to end - 1.
template <class Load, class R>
typename R::accumulator fold(const Load& load, index_t first, index_t end, const R& reducer) {
  if constexpr (locates_extreme<R>) {
    return fold_extreme(load, first, end, reducer);
  } else if constexpr (R::commutative) {
    return fold_tiles(load, first, end, reducer);
  } else {
    return fold_segments(load, first, end, reducer);
  }
}

/// Folds on several threads, if `is_probed` only where that is seen to pay: the tree is cut into
/// aligned subtrees of 2^k leaves each, which are leaves of the tree above.
template <class Load, class R>
typename R::accumulator fold_shared(const openmp& space, const Load& load, index_t n,
                                    const R& reducer, bool is_probed) {
  index_t terms = leaf_terms<R>;
  while (n / (terms * 2) >= subtrees_per_thread * space.threads()) terms *= 2;
  const index_t subtrees = ceil_div(n, terms);
  const workspace<typename R::accumulator> folded(subtrees);
  run_shared(space, subtrees, is_probed, [&](index_t begin, index_t end) {
    for (index_t s = begin; s < end; ++s) {
      folded[s] = fold(load, s * terms, n - s * terms < terms ? n : (s + 1) * terms, reducer);
    }
  });
  adjacent_tree<R> tree(reducer);
  for (index_t s = 0; s < subtrees; ++s) tree.push(folded[s]);
  return tree.root();
}

/// Computes the terms as a parallel loop, then folds them.
template <class Load, class R>
typename R::accumulator fold_buffered(const openmp& space, const Load& load, index_t n,
                                      const R& reducer) {
  using T = typename R::accumulator;
  const workspace<T> terms(n);
  run_shared(space, n, true, [&load, out = terms.data()](index_t begin, index_t end) {
    const Load local = load;
    const tile_terms<Load> term{local, begin};
    for (int i = 0; i < static_cast<int>(end - begin); ++i) out[begin + i] = term(i);
  });
  return fold(stored_load<T>{terms.data()}, 0, n, reducer);
}

}  // namespace openmp_impl

/// Combines n >= 1 terms in the canonical shape, on as many threads as pay.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const openmp& space, const char*, index_t n,
                                        const Load& load, const R& reducer) {
  if (space.threads() == 1) return openmp_impl::fold(load, 0, n, reducer);
  if constexpr (openmp_impl::reads_memory<Load>) {
    const auto bytes = static_cast<std::size_t>(n) * sizeof(typename R::accumulator);
    if (bytes < openmp_impl::reduce_fork_bytes) return openmp_impl::fold(load, 0, n, reducer);
    return openmp_impl::fold_shared(space, load, n, reducer, false);
  } else {
    if (n < openmp_impl::buffered_terms) return openmp_impl::fold_buffered(space, load, n, reducer);
    return openmp_impl::fold_shared(space, load, n, reducer, n < openmp_impl::probed_terms);
  }
}

/// The same for n >= 0 terms, with the result in `out`.
template <class Load, class R>
void dispatch_reduce_into(const openmp& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  *out = n == 0 ? reducer.empty() : reducer.finish(dispatch_reduce(space, label, n, load, reducer));
}

}  // namespace tandem
