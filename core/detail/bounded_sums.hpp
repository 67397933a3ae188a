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
  void add(index_t step, index_t most) {
    if (most <= 0) return;
    if (step == 0) {
      repeats_ = true;
      return;
    }
    int at = 0;
    while (at < count_ && terms_[at].step > step) ++at;
    if (at < count_ && terms_[at].step == step) {
      terms_[at].most += most;
      repeats_ = true;
      return;
    }
    for (int k = count_++; k > at; --k) terms_[k] = terms_[k - 1];
    terms_[at] = {step, most, 0, 0};
  }

  /// Whether a sum is in [low, high].
  bool reach(index_t low, index_t high) {
    add_up();
    int nodes = 0;
    return search(0, low, high, nodes);
  }

  /// Whether two different choices have the same sum.
  bool repeat() const {
    if (repeats_) return true;
    if (nested()) return false;
    // Their difference is a sum of steps times -most .. most that is 0 with a first one that is
    // not: d of step k, which is 1 or more, against steps behind it shifted to 0 .. 2 * most.
    for (int k = 0; k < count_; ++k) {
      bounded_sums rest;
      index_t shift = 0;
      for (int j = k + 1; j < count_; ++j) {
        rest.add(terms_[j].step, 2 * terms_[j].most);
        shift += terms_[j].step * terms_[j].most;
      }
      // step * d + rest == shift for some d in 1 .. most.
      rest.add(terms_[k].step, terms_[k].most - 1);
      const index_t wanted = shift - terms_[k].step;
      if (wanted >= 0 && rest.reach(wanted, wanted)) return true;
    }
    return false;
  }

 private:
  struct term {
    index_t step;
    index_t most;
    index_t reach;    ///< of this and all later steps together
    index_t divisor;  ///< greatest common divisor of this and all later steps
  };

  static constexpr int node_limit = 1 << 14;

  static constexpr index_t gcd(index_t a, index_t b) {
    while (b != 0) {
      const index_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /// Whether each step is larger than what the later ones reach together.
  bool nested() const {
    index_t reach = 0;
    for (int k = count_ - 1; k >= 0; --k) {
      if (terms_[k].step <= reach) return false;
      reach += terms_[k].step * terms_[k].most;
    }
    return true;
  }

  /// Adds up what each step and the later ones have together.
  void add_up() {
    index_t reach = 0;
    index_t divisor = 0;
    for (int k = count_ - 1; k >= 0; --k) {
      term& t = terms_[k];
      t.reach = reach += t.step * t.most;
      t.divisor = divisor = gcd(t.step, divisor);
    }
  }

  bool search(int k, index_t low, index_t high, int& nodes) const {
    if (k == count_) return low <= 0 && high >= 0;
    const term& t = terms_[k];
    if (high < 0 || low > t.reach) return false;
    if (++nodes > node_limit) return true;
    if (high / t.divisor * t.divisor < low) return false;  // every sum is a multiple of the divisor
    const index_t later = k + 1 == count_ ? 0 : terms_[k + 1].reach;
    const index_t first = low - later <= 0 ? 0 : (low - later + t.step - 1) / t.step;
    const index_t last = high / t.step < t.most ? high / t.step : t.most;
    for (index_t z = last; z >= first; --z) {
      if (search(k + 1, low - z * t.step, high - z * t.step, nodes)) return true;
    }
    return false;
  }

  term terms_[2 * maximum_rank + 1] = {};
  int count_ = 0;
  bool repeats_ = false;  ///< a step of zero or two equal ones
};

}  // namespace tandem::detail
