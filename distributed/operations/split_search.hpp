// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/core/contract/sort_key.hpp>
#include <tandem/core/extents.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// Exact splits of sorted runs: where each run has to be cut so that the fronts together are the
/// first elements of a stable merge of all of them.
namespace tandem::detail {

/// Elements of a sorted run whose place, the bits by which a sort compares, is less than `place`,
/// if there are at least `low` and at most `high`.
template <sort_order Order, class T, class Word>
TANDEM_FUNCTION index_t count_preceding(const T* keys, index_t low, index_t high, Word place) {
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (comparable_bits_of<Order>(keys[middle]) < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Counts what precedes each of the places among which a round of a split_search chooses.
template <sort_order Order, class T>
struct count_candidates {
  using word = key_word<sizeof(T)>;

  const T* keys;
  index_t size;
  const word* found;
  index_t* counts;
  int shift;
  int candidates;  ///< per target

  TANDEM_FUNCTION void operator()(index_t i) const {
    const auto digit = static_cast<word>(i % candidates + 1);
    const auto place = static_cast<word>(found[i / candidates] + static_cast<word>(digit << shift));
    counts[i] = count_preceding<Order>(keys, 0, size, place);
  }
};

/// The search for the splits of several runs at several ranks ("targets") of their merge. It finds
/// the place of the element of each rank, from the highest bits on, from the numbers of elements of
/// each run that precede some places. Those equal to it are taken from the first runs, as a stable
/// merge takes them.
///
/// Bits  that a round finds: several if a round is a wait for a device, 1 on the host, whose next
///       round may use what this one has counted
template <class Word, int Bits>
class split_search {
 public:
  static constexpr int bits = Bits;
  /// The places that a round has to count for each target.
  static constexpr int candidates = (1 << bits) - 1;

  /// Errors: out_of_memory_error.
  split_search(const char* operation, std::vector<index_t> sizes, std::vector<index_t> targets)
      : sizes_(std::move(sizes)),
        targets_(std::move(targets)),
        found_(make_vector<Word>(operation, target_count())),
        splits_(make_vector<index_t>(operation, run_count() * target_count())),
        upper_(make_vector<index_t>(operation, run_count() * target_count())) {
    for (index_t run = 0; run < run_count(); ++run)
      for (index_t t = 0; t < target_count(); ++t) upper_[at(run, t)] = size(run);
  }

  index_t run_count() const { return static_cast<index_t>(sizes_.size()); }
  index_t target_count() const { return static_cast<index_t>(targets_.size()); }
  index_t size(index_t run) const { return sizes_[static_cast<std::size_t>(run)]; }

  /// Whether another round is needed.
  bool is_open() const { return shift_ > 0; }
  /// Begins a round: the caller counts what precedes found()[t] + (digit << shift()) in each run,
  /// for 1 <= digit <= candidates.
  void begin_round() { shift_ -= bits; }
  int shift() const { return shift_; }
  const std::vector<Word>& found() const { return found_; }
  /// Bounds of the counts of a run for a target.
  index_t low(index_t run, index_t target) const { return splits_[at(run, target)]; }
  index_t high(index_t run, index_t target) const { return upper_[at(run, target)]; }

  /// Ends a round: count(run, target, digit) is what has been counted.
  template <class Count>
  void end_round(const Count& count) {
    for (index_t t = 0; t < target_count(); ++t) {
      const auto of_digit = [&](index_t run, int digit) {
        if (digit == 0) return low(run, t);
        return digit > candidates ? high(run, t) : count(run, t, digit);
      };
      int digit = 0;  // the largest one that at most as many elements precede as the target says
      for (int step = 1 << (bits - 1); step > 0; step /= 2) {
        index_t all = 0;
        for (index_t run = 0; run < run_count(); ++run) all += of_digit(run, digit + step);
        if (all <= targets_[static_cast<std::size_t>(t)]) digit += step;
      }
      for (index_t run = 0; run < run_count(); ++run) {
        const std::pair bounds(of_digit(run, digit), of_digit(run, digit + 1));
        splits_[at(run, t)] = bounds.first;
        upper_[at(run, t)] = bounds.second;
      }
      auto& place = found_[static_cast<std::size_t>(t)];
      place = static_cast<Word>(place + static_cast<Word>(static_cast<Word>(digit) << shift_));
    }
    if (!is_open()) take_equals();
  }

  /// The elements of a run before a target, after the last round; `target` may be -1 for rank 0 and
  /// the number of targets for the end.
  index_t split(index_t run, index_t target) const {
    if (target < 0) return 0;
    return target < target_count() ? low(run, target) : size(run);
  }

 private:
  std::size_t at(index_t run, index_t target) const {
    return static_cast<std::size_t>(run * target_count() + target);
  }

  void take_equals() {
    for (index_t t = 0; t < target_count(); ++t) {
      index_t missing = targets_[static_cast<std::size_t>(t)];
      for (index_t run = 0; run < run_count(); ++run) missing -= low(run, t);
      for (index_t run = 0; run < run_count(); ++run) {
        const index_t taken = std::min(missing, high(run, t) - low(run, t));
        splits_[at(run, t)] += taken;
        missing -= taken;
      }
    }
  }

  std::vector<index_t> sizes_;
  std::vector<index_t> targets_;
  std::vector<Word> found_;
  std::vector<index_t> splits_;  ///< elements that precede found(), and at the end the splits
  std::vector<index_t> upper_;   ///< elements that precede the next place of a round
  int shift_ = 8 * static_cast<int>(sizeof(Word));
};

}  // namespace tandem::detail
