// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduce_axis_problem.hpp>
#include <tandem/core/contract/segmented_problem.hpp>

namespace tandem::detail {

/// Runs one reduction per output, for every backend without an axis reduction. It is the
/// specification: each output has the bits of a reduction of its slice alone.
template <class Space, class Slices, class R>
void generic_reduce_axis(const Space& space, const char* label,
                         const reduce_axis_problem<Slices, R>& problem) {
  for (index_t p = 0; p < problem.outer; ++p) {
    for (index_t q = 0; q < problem.inner; ++q) {
      dispatch_reduce_into(space, label, problem.terms, problem.slices(p, q), problem.reducer,
                           &problem.output(p, q));
    }
  }
}

/// Runs one reduction per segment, for host backends without a segmented reduction. It is the
/// specification: each output has the bits of a reduction of its terms alone.
template <class Space, class Load, class Offset, class R>
void generic_segmented_reduce(const Space& space, const char* label,
                              const segmented_problem<Load, Offset, R>& problem) {
  static_assert(
      Space::memory_type::host_accessible,
      "tandem: segmented reductions: a backend whose memory the host does not reach needs "
      "a dispatch_segmented_reduce of its own");
  for (index_t s = 0; s < problem.segments; ++s) {
    const segment_range terms = problem.segment(s);
    dispatch_reduce_into(space, label, terms.size(), shifted_load<Load>{problem.load, terms.begin},
                         problem.reducer, &problem.output(s));
  }
}

}  // namespace tandem::detail
