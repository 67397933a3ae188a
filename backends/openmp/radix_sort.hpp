// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/blocks.hpp>
#include <tandem/backends/openmp/workspace.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem::openmp_impl {

/// Positions of the keys are not asked for.
struct no_index {};

/// Ranks of keys, sorted digit by digit, the lowest first, each time stably; and where each came
/// from.
///
/// Order  its place() tells which ranks are equal
template <class Order, class Word, class Index>
class radix_sorter {
 public:
  radix_sorter(int blocks, index_t size)
      : blocks_(blocks),
        size_(size),
        words_(2 * size),
        positions_(has_index ? 2 * size : 0),
        counts_(index_t{blocks} * digits),
        from_{words_.data(), positions_.data()},
        to_{words_.data() + size, positions_.data() + (has_index ? size : 0)} {}

  /// Key number i has this rank.
  void set(index_t i, Word rank) {
    from_.rank[i] = rank;
    if constexpr (has_index) from_.index[i] = static_cast<Index>(i);
  }
  void sort() {
    for (int bit = 0; bit < static_cast<int>(8 * sizeof(Word)); bit += digit_bits) {
      count(bit);
      if (!make_offsets()) continue;
      move(bit);
      std::swap(from_, to_);
    }
  }
  /// The i-th rank in order.
  Word rank(index_t i) const { return from_.rank[i]; }
  /// Where the ranks stood.
  const Index* indices() const { return from_.index; }

 private:
  static constexpr bool has_index = !std::is_same_v<Index, no_index>;
  static constexpr int digit_bits = 8;
  static constexpr index_t digits = index_t{1} << digit_bits;

  struct line {
    Word* rank;
    Index* index;
  };

  static std::size_t digit(Word rank, int bit) {
    return static_cast<std::size_t>(Order::place(rank) >> bit) % digits;
  }

  /// counts_[block][d] = how many ranks of the block have the digit d.
  void count(int bit) {
    for_blocks(blocks_, size_, [&](index_t block, share part) {
      index_t own[digits] = {};
      for (index_t i = part.begin; i < part.end; ++i) ++own[digit(from_.rank[i], bit)];
      for (index_t d = 0; d < digits; ++d) counts_[block * digits + d] = own[d];
    });
  }

  /// counts_[block][d] = where the block puts its first rank of digit d. False if all ranks have
  /// one digit and may stay.
  bool make_offsets() {
    index_t offset = 0;
    for (index_t d = 0; d < digits; ++d) {
      const index_t before = offset;
      for (index_t block = 0; block < blocks_; ++block) {
        const index_t own = counts_[block * digits + d];
        counts_[block * digits + d] = offset;
        offset += own;
      }
      if (offset - before == size_) return false;
    }
    return true;
  }

  void move(int bit) {
    for_blocks(blocks_, size_, [&](index_t block, share part) {
      index_t next[digits];
      for (index_t d = 0; d < digits; ++d) next[d] = counts_[block * digits + d];
      for (index_t i = part.begin; i < part.end; ++i) {
        const index_t at = next[digit(from_.rank[i], bit)]++;
        to_.rank[at] = from_.rank[i];
        if constexpr (has_index) to_.index[at] = from_.index[i];
      }
    });
  }

  int blocks_;
  index_t size_;
  workspace<Word> words_;
  workspace<Index> positions_;
  workspace<index_t> counts_;
  line from_;
  line to_;
};

}  // namespace tandem::openmp_impl
