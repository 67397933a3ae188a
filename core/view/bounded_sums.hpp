// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::detail {

/// The sums step[0] * z[0] + step[1] * z[1] + .. for integers 0 <= z[k] <= most[k], all steps being
/// positive: the offsets that a view's indices reach.
///
/// Whether such a sum hits an interval is a bounded linear Diophantine problem, NP-hard in general.
/// A search by depth, largest step first, that prunes by what the remaining steps can reach and by
/// their greatest common divisor visits a handful of nodes for the strides of real views. After
/// node_limit nodes it gives up and answers yes.
class bounded_sums {
 public:
  /// Adds a step; one that cannot be taken counts for nothing, one of zero repeats each sum.
  void add(index_t step, index_t most);

  /// Whether a sum is in [low, high].
  bool reach(index_t low, index_t high);

  /// Whether two different choices have the same sum.
  bool repeat() const;

 private:
  struct term {
    index_t step;
    index_t most;
    index_t reach;    ///< of this and all later steps together
    index_t divisor;  ///< greatest common divisor of this and all later steps
  };

  static constexpr int node_limit = 1 << 14;

  /// Whether each step is larger than what the later ones reach together.
  bool nested() const;

  /// Adds up what each step and the later ones have together.
  void add_up();

  bool search(int k, index_t low, index_t high, int& nodes) const;

  term terms_[2 * maximum_rank + 1] = {};
  int count_ = 0;
  bool repeats_ = false;  ///< a step of zero or two equal ones
};

}  // namespace tandem::detail
