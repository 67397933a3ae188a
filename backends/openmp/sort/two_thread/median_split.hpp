// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/splitters.hpp>
#include <tandem/backends/openmp/sort/two_thread/partition.hpp>
#include <tandem/backends/openmp/sort/two_thread/zeros.hpp>
#include <tandem/backends/openmp/sort/vector_sort.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/backends/openmp/threads/static_blocks.hpp>

#include <cstring>

namespace tandem::openmp_impl {

/// A sort of keys alone on two threads, which takes no memory beside theirs: each divides its half
/// of the line at a median that a sample told, the parts that lie on the wrong side change places,
/// and each sorts what is then its half. Less is moved than by buckets, but it is one thread that
/// sorts half of the keys, however many there are.
template <class Order, class Word>
class halves_sorter {
 public:
  static constexpr int threads = 2;

  /// @param keys  n words, or memory of another type of this size; may be `out`
  halves_sorter(const Order& order, const void* keys, Word* out, index_t n)
      : order_(order), form_(order.form()), keys_(keys), out_(out), n_(n) {}

  /// Whether this way is for so many threads and this processor.
  static bool is_usable(int wanted) {
    return wanted == threads && has_vector_sort() &&
           usable_partition(sizeof(Word)).partition != nullptr;
  }

  void sort() const {
    const Word median = find_median();
    if constexpr (Order::has_equals) {
      const zeros_in_order<Word> zeros(threads, keys_, n_, usable_partition(sizeof(Word)).zeros);
      sort_at(median);
      if (zeros.have_order()) zeros.put(out_ + first_zero());
    } else {
      sort_at(median);
    }
  }

  /// What a sample is taken of.
  Word rank(index_t i) const {
    Word word;
    std::memcpy(&word, static_cast<const char*>(keys_) + i * index_t{sizeof(Word)}, sizeof(Word));
    return order_.ordered_bits(word);
  }

 private:
  /// Position of the first of n sorted ranks that is not below one.
  template <class Ranks>
  static index_t first_from(const Ranks& ranks, index_t n, Word least) {
    index_t begin = 0;
    for (index_t left = n; left > 0;) {
      const index_t half = left / 2;
      const bool is_below = ranks(begin + half) < least;
      if (is_below) begin += half + 1;
      left = is_below ? left - half - 1 : half;
    }
    return begin;
  }

  /// A rank below which stands about half of a sample: its median, or the next where that is
  /// nearer, because many are equal. Where a sample misleads or most keys are equal, one thread
  /// sorts more than half of the keys, at worst all.
  Word find_median() const {
    const index_t wanted = n_ / keys_per_sample;
    const index_t count = wanted < least_sample  ? least_sample
                          : wanted > most_sample ? most_sample
                                                 : wanted;
    const small_scratch<Word> sample(count);
    sample_ranks(*this, n_, sample.data(), count);
    vector_sort(sample.data(), count);
    const auto ranks = [&](index_t i) { return sample.data()[i]; };
    const Word lower = ranks(count / 2);
    const auto upper = static_cast<Word>(lower + 1);
    const index_t below_lower = first_from(ranks, count, lower);
    const index_t below_upper = first_from(ranks, count, upper);
    return below_lower + below_upper < count && lower < upper ? upper : lower;
  }

  void sort_at(Word pivot) const {
    const partition_kernels kernels = usable_partition(sizeof(Word));
    index_t below[threads];
    for_static_blocks(threads, n_, [&](index_t block, share part) {
      below[block] =
          kernels.partition(static_cast<const char*>(keys_) + part.begin * index_t{sizeof(Word)},
                            part.end - part.begin, form_, pivot, out_ + part.begin);
    });
    const index_t middle = share_of(n_, 1, threads).begin;
    exchange(out_ + below[0], out_ + middle + below[1], middle - below[0], below[1]);
    const index_t first = below[0] + below[1];
    for_static_blocks(threads, threads, [&](index_t half, share) {
      const index_t begin = half == 0 ? 0 : first;
      const index_t size = half == 0 ? first : n_ - first;
      vector_sort(out_ + begin, size);
      if (!order_.is_identity()) kernels.restore(out_ + begin, size, form_);
    });
  }

  /// Lets the words of two neighbouring lines change places where that brings the second one's to
  /// the front: a line of `others` words from `first` on, and one of `own` words that ends at
  /// `last`.
  void exchange(Word* first, Word* last, index_t others, index_t own) const {
    const index_t count = others < own ? others : own;
    Word* const from = last - count;
    for_static_blocks(threads, count, [&](index_t, share part) {
      for (index_t i = part.begin; i < part.end; ++i) {
        const Word word = first[i];
        first[i] = from[i];
        from[i] = word;
      }
    });
  }

  /// Where the zeros stand among the sorted keys.
  index_t first_zero() const {
    const auto ranks = [&](index_t i) { return order_.ordered_bits(out_[i]); };
    return first_from(ranks, n_,
                      static_cast<Word>(order_.ordered_bits(0) & static_cast<Word>(~Word{1})));
  }

  // A sample of n misses the median by n / (2 sqrt(sample)): 1.6 % of 1024.
  static constexpr index_t keys_per_sample = 64;
  static constexpr index_t least_sample = 1024;
  static constexpr index_t most_sample = 4096;

  Order order_;
  rank_form form_;
  const void* keys_;
  Word* out_;
  index_t n_;
};

}  // namespace tandem::openmp_impl
