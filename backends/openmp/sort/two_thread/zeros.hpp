// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/two_thread/partition.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>

#include <cstring>

namespace tandem::openmp_impl {

/// The order in which zeros of both signs stand among floating point keys, for a sort that is not
/// stable: equal keys of different bits are nothing else.
template <class Word>
class zeros_in_order {
 public:
  /// Looks at all n keys on several threads. Nothing is kept where all zeros have one sign.
  ///
  /// @param look  what tells the zeros of keys in memory
  zeros_in_order(int threads, const void* keys, index_t n, zeros_function* look)
      : keys_(static_cast<const char*>(keys)),
        n_(n),
        blocks_(threads),
        count_(are_of_both_signs(look) ? count() : 0),
        zeros_(count_) {
    if (count_ == 0) return;
    index_t at = 0;
    for (index_t i = 0; at < count_; ++i) {
      if (is_zero(i)) zeros_[at++] = key(i);
    }
  }

  /// Whether there is an order to keep.
  bool have_order() const { return count_ > 0; }

  /// Writes the zeros where they stand among sorted keys, from `first` on.
  void put(Word* first) const {
    std::memcpy(first, zeros_.data(), static_cast<std::size_t>(count_) * sizeof(Word));
  }

 private:
  Word key(index_t i) const {
    Word word;
    std::memcpy(&word, keys_ + i * index_t{sizeof(Word)}, sizeof(Word));
    return word;
  }
  bool is_zero(index_t i) const { return static_cast<Word>(key(i) << 1) == 0; }

  bool are_of_both_signs(zeros_function* look) const {
    unsigned found = 0;
    for_static_blocks(blocks_, n_, [&](index_t, share part) {
      const unsigned own = look(keys_ + part.begin * index_t{sizeof(Word)}, part.end - part.begin);
      __atomic_fetch_or(&found, own, __ATOMIC_RELAXED);
    });
    return found == (has_zero | has_negative_zero);
  }

  index_t count() const {
    index_t all = 0;
    for_static_blocks(blocks_, n_, [&](index_t, share part) {
      index_t own = 0;
      for (index_t i = part.begin; i < part.end; ++i) own += is_zero(i) ? 1 : 0;
      __atomic_fetch_add(&all, own, __ATOMIC_RELAXED);
    });
    return all;
  }

  const char* keys_;
  index_t n_;
  int blocks_;
  index_t count_;
  scratch<Word> zeros_;
};

}  // namespace tandem::openmp_impl
