// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fold_columns.hpp>
#include <tandem/backends/openmp/parallel_reduce.hpp>
#include <tandem/core/reduce_axis_problem.hpp>

namespace tandem {

namespace openmp_impl {

/// Folds terms first to end - 1 of slices one by one: a group is one slice.
template <class Slices, class R>
struct single_slices {
  static constexpr index_t width = 1;
  static constexpr index_t leaf = leaf_terms<R>;

  template <class Store>
  static void fold_group(const reduce_axis_problem<Slices, R>& problem, index_t p, index_t q,
                         index_t first, index_t end, bool streamed, const Store& store) {
    store(0, fold_slice(problem.slices(p, q), first, end, problem.reducer, streamed));
  }

 private:
  template <class Load>
  static auto fold_slice(const Load& load, index_t first, index_t end, const R& reducer,
                         bool streamed) {
    return fold(load, first, end, reducer, streamed);
  }
  template <class T>
  static auto fold_slice(const strided_load<T, R>& load, index_t first, index_t end,
                         const R& reducer, bool streamed) {
    if (load.stride == 1)
      return fold(contiguous_load<T, R>{load.data, load.reducer}, first, end, reducer, streamed);
    return fold(load, first, end, reducer, streamed);
  }
};

/// The same of neighbouring slices side by side, a few cache lines of each row at a time.
template <class Slices, class R>
struct neighbouring_slices {
  static constexpr index_t width = group_columns;
  static constexpr index_t leaf = canonical::tile<typename R::accumulator>;

  template <class Store>
  static void fold_group(const reduce_axis_problem<Slices, R>& problem, index_t p, index_t q,
                         index_t first, index_t end, bool, const Store& store) {
    const index_t left = problem.inner - q;
    const auto folded = fold_columns(problem.slices, problem.reducer, p, q, left, first, end);
    for (int c = 0; c < group_columns && c < left; ++c) store(c, folded.of[c]);
  }
};

/// How a problem is shared out: groups of slices, and where there are few of them aligned subtrees
/// of each, which are leaves of the tree above.
struct axis_shares {
  index_t across;    ///< groups of one p
  index_t groups;    ///< groups in all
  index_t terms;     ///< terms of a subtree
  index_t subtrees;  ///< subtrees of a slice
  bool streamed;     ///< whether terms come from memory
};

template <class Groups, class Slices, class R>
axis_shares share_axis(const openmp& space, const reduce_axis_problem<Slices, R>& problem) {
  const index_t across = ceil_div(problem.inner, Groups::width);
  const index_t groups = problem.outer * across;
  const index_t wanted = subtrees_per_thread * space.threads();
  index_t terms = Groups::leaf;
  while (terms < problem.terms && groups * ceil_div(problem.terms, terms * 2) >= wanted) terms *= 2;
  const bool streamed = exceeds_caches<R>(problem.outputs() * problem.terms, space.threads());
  return {across, groups, terms, ceil_div(problem.terms, terms), streamed};
}

/// Folds the subtrees begin to end - 1 of all groups. Those that are whole slices go to the
/// outputs, the others to parts[output * subtrees + subtree].
template <class Groups, class Slices, class R>
void fold_units(const reduce_axis_problem<Slices, R> problem, const axis_shares& shares,
                index_t begin, index_t end, typename R::accumulator* parts) {
  for (index_t unit = begin; unit < end; ++unit) {
    const index_t group = unit / shares.subtrees;
    const index_t s = unit % shares.subtrees;
    const index_t p = group / shares.across;
    const index_t q = group % shares.across * Groups::width;
    const index_t first = s * shares.terms;
    const index_t left = problem.terms - first;
    const index_t last = first + (left < shares.terms ? left : shares.terms);
    const auto store = [&](int c, const auto& folded) {
      if (shares.subtrees == 1) {
        problem.output(p, q + c) = problem.reducer.finish(folded);
      } else {
        parts[(p * problem.inner + q + c) * shares.subtrees + s] = folded;
      }
    };
    Groups::fold_group(problem, p, q, first, last, shares.streamed, store);
  }
}

/// All outputs, by groups on as many threads as pay.
template <class Groups, class Slices, class R>
void reduce_groups(const openmp& space, const reduce_axis_problem<Slices, R>& problem) {
  const axis_shares shares = share_axis<Groups>(space, problem);
  const index_t count = shares.subtrees > 1 ? problem.outputs() * shares.subtrees : 0;
  const workspace<typename R::accumulator> parts(count);
  const bool is_probed = problem.outputs() * problem.terms < probed_terms;
  run_shared(space, shares.groups * shares.subtrees, is_probed, [&](index_t begin, index_t end) {
    fold_units<Groups>(problem, shares, begin, end, parts.data());
  });
  for (index_t o = 0; count > 0 && o < problem.outputs(); ++o) {
    adjacent_tree<R> tree(problem.reducer);
    for (index_t s = 0; s < shares.subtrees; ++s) tree.push(parts[o * shares.subtrees + s]);
    problem.output(o / problem.inner, o % problem.inner) = problem.reducer.finish(tree.root());
  }
}

}  // namespace openmp_impl

/// Many reductions of one length, each in its canonical shape, on as many threads as pay.
template <class Slices, class R>
void dispatch_reduce_axis(const openmp& space, const char*,
                          const reduce_axis_problem<Slices, R>& problem) {
  if (problem.terms == 0) {
    for (index_t o = 0; o < problem.outputs(); ++o)
      problem.output(o / problem.inner, o % problem.inner) = problem.reducer.empty();
    return;
  }
  if constexpr (R::commutative) {
    if (problem.side_by_side)
      return openmp_impl::reduce_groups<openmp_impl::neighbouring_slices<Slices, R>>(space,
                                                                                     problem);
  }
  openmp_impl::reduce_groups<openmp_impl::single_slices<Slices, R>>(space, problem);
}

}  // namespace tandem
