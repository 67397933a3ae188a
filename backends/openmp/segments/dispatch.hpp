// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/backends/openmp/reduce_axis/few_terms.hpp>
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

/// Reduces one segment on the calling thread.
template <class Load, class Offset, class R>
void reduce_segment(const segmented_problem<Load, Offset, R>& problem, index_t s,
                    const segment_range& terms) {
  const R& reducer = problem.reducer;
  if (terms.size() == 0) {
    problem.output(s) = reducer.empty();
    return;
  }
  if constexpr (most_few_terms<R> > 0) {
    if (terms.size() <= most_few_terms<R>) {
      const int count = static_cast<int>(terms.size());
      problem.output(s) = reducer.finish(fold_few_terms(problem.load, terms.begin, count, reducer));
      return;
    }
  }
  problem.output(s) = reducer.finish(reduce_subtree(problem.load, terms.begin, terms.end, reducer));
}

/// Calls f(s, terms) for the segments first <= s < last, in order.
template <class Problem, class Function>
void for_each_segment(const Problem& problem, index_t first, index_t last, const Function& f) {
  index_t begin = problem.begin(first);
  for (index_t s = first; s < last; ++s) {
    const index_t end = problem.begin(s + 1);
    f(s, segment_range{begin, end < begin ? begin : end});
    begin = end;
  }
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

  /// Returns the begin of piece k; for k == count, the end of the last one.
  index_t begin(index_t k) const { return bound_[k]; }
  int count() const { return count_; }

 private:
  /// Returns the first segment with at least `cost` before it. If offsets decrease, it is any
  /// segment.
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
/// another for segments longer than a partition, on which all threads then work. If there is no
/// memory for that, calls one(s, terms) instead: other segments have been written by then.
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
      for_each_segment(problem, pieces.begin(k), pieces.begin(k + 1),
                       [&](index_t s, const segment_range& terms) {
                         if (terms.size() > longest) {
                           found = true;
                         } else {
                           one(s, terms);
                         }
                       });
      has_longer[k] = found;
    }
  });
  for (index_t k = 0; k < pieces.count(); ++k) {
    if (!has_longer[k]) continue;
    for_each_segment(problem, pieces.begin(k), pieces.begin(k + 1),
                     [&](index_t s, const segment_range& terms) {
                       if (terms.size() <= longest) return;
                       try {
                         longer(s, terms);
                       } catch (const out_of_memory_error&) {
                         one(s, terms);
                       }
                     });
  }
}

/// Where a thread scans a segment; nothing but for large elements.
template <class T>
struct segment_room {
  T elements[detail::is_large<T> ? segment_scan_scratch : 1];
};

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
  const auto reduce_one = [&](index_t s, const segment_range& terms) {
    openmp_impl::reduce_segment(problem, s, terms);
  };
  if (!openmp_impl::shares_segments(space, problem))
    return openmp_impl::for_each_segment(problem, 0, problem.segments, reduce_one);
  openmp_impl::share_segments(space, problem, reduce_one,
                              [&](index_t s, const segment_range& terms) {
                                dispatch_reduce_into(space, label, terms.size(),
                                                     shifted_load<Load>{problem.load, terms.begin},
                                                     problem.reducer, &problem.output(s));
                              });
}

/// Scans neighbouring segments, each in its canonical shape, on as many threads as pay.
template <class Load, class Offset, class R>
void dispatch_segmented_scan(const openmp& space, const char* label,
                             const segmented_scan_problem<Load, Offset, R>& problem) {
  using T = typename R::result;
  const auto& of = problem.of;
  const bool is_shared = openmp_impl::shares_segments(space, of);
  const openmp_impl::thread_rooms<openmp_impl::segment_room<T>> rooms(is_shared ? space.threads()
                                                                                : 1);
  const auto scan_one = [&](index_t, const segment_range& terms) {
    rooms.with_room(
        [&](auto& room) { segment_scanner<Load, Offset, R>(problem, terms, room.elements).run(); });
  };
  if (!is_shared) return openmp_impl::for_each_segment(of, 0, of.segments, scan_one);
  openmp_impl::share_segments(space, of, scan_one, [&](index_t, const segment_range& terms) {
    using load = shifted_load<Load>;
    dispatch_scan(space, label,
                  scan_problem<load, T, R>{terms.size(), load{of.load, terms.begin}, of.reducer,
                                           &of.output(terms.begin), of.out_stride,
                                           problem.exclusive, problem.init});
  });
}

}  // namespace tandem
