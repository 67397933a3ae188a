// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/backends/openmp/scan/dispatch.hpp>
#include <tandem/backends/openmp/segments/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>
#include <tandem/core/contract/scan_problem.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/contract/segmented_scan.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace openmp_impl {

/// The canonical combination of the terms of a row of lanes at most, without the loop over rows of
/// reduce_subtree(). Lanes without terms hold the identity up to a power of two.
template <class Load, class R>
typename R::accumulator fold_row(const Load& shared, const segment_range& terms, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<R>;
  const Load load = shared;
  const int count = static_cast<int>(terms.size());
  const int width = count <= 16 ? 16 : count <= 32 ? 32 : 64;
  alignas(64) T term[static_cast<std::size_t>(lanes)];
  for (int l = 0; l < count; ++l) term[l] = load(terms.begin + l);
  for (int l = count; l < width && l < lanes; ++l) term[l] = reducer.identity();
  if constexpr (lanes > 32) {
    if (width == 64) combine_lanes<64, 32>(term, reducer);
  }
  if constexpr (lanes > 16) {
    if (width >= 32) combine_lanes<32, 16>(term, reducer);
  }
  combine_lanes<16>(term, reducer);
  return term[0];
}

/// Reduces one segment on the calling thread.
template <class Load, class Offset, class R>
void reduce_segment(const segmented_problem<Load, Offset, R>& problem, index_t s,
                    const segment_range& terms) {
  const R& reducer = problem.reducer;
  if (terms.size() == 0) {
    problem.output(s) = reducer.empty();
    return;
  }
  if constexpr (folds_few<R>) {
    if (terms.size() <= few_terms) {
      problem.output(s) = reducer.finish(fold_few(problem.load, terms, reducer));
      return;
    }
  }
  if constexpr (R::commutative && folds_few<R> && !is_argminmax<R>) {
    if (terms.size() <= canonical::lanes<R>) {
      problem.output(s) = reducer.finish(fold_row(problem.load, terms, reducer));
      return;
    }
  }
  problem.output(s) = reducer.finish(reduce_subtree(problem.load, terms.begin, terms.end, reducer));
}

/// The segments of a problem in pieces of about equal cost.
template <class Problem>
class segment_pieces {
 public:
  segment_pieces(const Problem& problem, int count) : problem_(problem), count_(count) {
    const index_t all = problem.terms + segment_cost * problem.segments;
    bound_[0] = 0;
    for (int k = 1; k < count; ++k) {
      const share before = share_of(all, k, count);
      bound_[k] = tandem::max(bound_[k - 1], first_from(before.begin));
    }
    bound_[count] = problem.segments;
  }

  /// Where piece k begins; of k == count, where the last one ends.
  index_t begin(index_t k) const { return bound_[k]; }
  int count() const { return count_; }

 private:
  /// The first segment with at least `cost` before it. Where offsets fall it is any segment.
  index_t first_from(index_t cost) const {
    index_t low = 0;
    index_t high = problem_.segments;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (problem_.begin(middle) + segment_cost * middle < cost) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const Problem& problem_;
  int count_;
  index_t bound_[most_segment_pieces + 1];
};

/// Calls one(s, terms) for each segment on one of several threads, and longer(s, terms) one after
/// the other for those that are longer than a share, which all threads then work on. Where there is
/// no memory for that, one(s, terms) does it: other segments have been written by then.
template <class Load, class Offset, class R, class One, class Longer>
void share_segments(const openmp& space, const segmented_problem<Load, Offset, R>& problem,
                    const One& one, const Longer& longer) {
  const int threads = space.threads();
  const segment_pieces pieces(
      problem, tandem::min(threads * segment_pieces_per_thread, most_segment_pieces));
  const index_t longest = tandem::max(min_shared_segment, problem.terms / (index_t{threads} * 2));
  bool has_longer[most_segment_pieces];
  run_stealing(threads, 0, pieces.count(), 1, [&](index_t first, index_t last) {
    for (index_t k = first; k < last; ++k) {
      bool found = false;
      for (index_t s = pieces.begin(k); s < pieces.begin(k + 1); ++s) {
        const segment_range terms = problem.segment(s);
        if (terms.size() > longest) {
          found = true;
        } else {
          one(s, terms);
        }
      }
      has_longer[k] = found;
    }
  });
  for (index_t k = 0; k < pieces.count(); ++k) {
    if (!has_longer[k]) continue;
    for (index_t s = pieces.begin(k); s < pieces.begin(k + 1); ++s) {
      const segment_range terms = problem.segment(s);
      if (terms.size() <= longest) continue;
      try {
        longer(s, terms);
      } catch (const out_of_memory_error&) {
        one(s, terms);
      }
    }
  }
}

/// Whether threads share a problem.
template <class Problem>
bool shares_segments(const openmp& space, const Problem& problem) {
  return space.threads() > 1 &&
         problem.terms + segment_cost * problem.segments >= shared_segments_cost;
}

}  // namespace openmp_impl

/// Reduces neighbouring segments, each in its canonical shape, on as many threads as pay.
template <class Load, class Offset, class R>
void dispatch_segmented_reduce(const openmp& space, const char* label,
                               const segmented_problem<Load, Offset, R>& problem) {
  if (!openmp_impl::shares_segments(space, problem)) {
    for (index_t s = 0; s < problem.segments; ++s)
      openmp_impl::reduce_segment(problem, s, problem.segment(s));
    return;
  }
  openmp_impl::share_segments(
      space, problem,
      [&](index_t s, const segment_range& terms) {
        openmp_impl::reduce_segment(problem, s, terms);
      },
      [&](index_t s, const segment_range& terms) {
        dispatch_reduce_into(space, label, terms.size(),
                             shifted_load<Load>{problem.load, terms.begin}, problem.reducer,
                             &problem.output(s));
      });
}

/// Scans neighbouring segments, each in its canonical shape, on as many threads as pay.
template <class Load, class Offset, class R>
void dispatch_segmented_scan(const openmp& space, const char* label,
                             const segmented_scan_problem<Load, Offset, R>& problem) {
  using T = typename R::result;
  const auto& of = problem.of;
  const auto scan_one = [&](index_t, const segment_range& terms) {
    segment_scanner<Load, Offset, R>(problem, terms).run();
  };
  if (!openmp_impl::shares_segments(space, of)) {
    for (index_t s = 0; s < of.segments; ++s) scan_one(s, of.segment(s));
    return;
  }
  openmp_impl::share_segments(space, of, scan_one, [&](index_t, const segment_range& terms) {
    using load = shifted_load<Load>;
    dispatch_scan(space, label,
                  scan_problem<load, T, R>{terms.size(), load{of.load, terms.begin}, of.reducer,
                                           &of.output(terms.begin), of.out_stride,
                                           problem.exclusive, problem.init});
  });
}

}  // namespace tandem
