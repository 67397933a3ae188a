// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduce_axis_problem.hpp>

namespace tandem::detail {

/// One reduction an output, for every backend without a form of its own. It is the specification:
/// each output has the bits of its slice alone.
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

}  // namespace tandem::detail
