// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/view/overlap.hpp>

namespace tandem::detail {

namespace {

constexpr index_t gcd(index_t a, index_t b) {
  while (b != 0) {
    const index_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

void bounded_sums::add(index_t step, index_t most) {
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

bool bounded_sums::reach(index_t low, index_t high) {
  add_up();
  int nodes = 0;
  return search(0, low, high, nodes);
}

bool bounded_sums::repeat() const {
  if (repeats_) return true;
  if (nested()) return false;
  // The difference of two choices is a sum of steps times -most .. most that is 0, whose first
  // nonzero factor is d of step k; d is at least 1. The later steps are shifted to 0 .. 2 * most.
  for (int k = 0; k < count_; ++k) {
    bounded_sums rest;
    index_t shift = 0;
    for (int j = k + 1; j < count_; ++j) {
      rest.add(terms_[j].step, 2 * terms_[j].most);
      shift += terms_[j].step * terms_[j].most;
    }
    // Tests whether step * d + rest == shift for some d in 1 .. most.
    rest.add(terms_[k].step, terms_[k].most - 1);
    const index_t wanted = shift - terms_[k].step;
    if (wanted >= 0 && rest.reach(wanted, wanted)) return true;
  }
  return false;
}

bool bounded_sums::nested() const {
  index_t reach = 0;
  for (int k = count_ - 1; k >= 0; --k) {
    if (terms_[k].step <= reach) return false;
    reach += terms_[k].step * terms_[k].most;
  }
  return true;
}

void bounded_sums::add_up() {
  index_t reach = 0;
  index_t divisor = 0;
  for (int k = count_ - 1; k >= 0; --k) {
    term& t = terms_[k];
    t.reach = reach += t.step * t.most;
    t.divisor = divisor = gcd(t.step, divisor);
  }
}

bool bounded_sums::search(int k, index_t low, index_t high, int& nodes) const {
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

}  // namespace tandem::detail
