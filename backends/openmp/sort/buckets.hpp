// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/bucket_scatter.hpp>
#include <tandem/backends/openmp/sort/division_scratch.hpp>
#include <tandem/backends/openmp/sort/policy.hpp>
#include <tandem/backends/openmp/sort/radix.hpp>
#include <tandem/backends/openmp/sort/vectorised.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

#include <cstring>

namespace tandem::openmp_impl {

/// The larger rank of the two zeros, which differ in the lowest bit.
template <class Order, class Word>
inline constexpr auto highest_zero =
    static_cast<Word>(Order::comparable_bits(Order::ordered_bits(0)) | Word{1});

/// Counts the zeros of either sign if they compare equal; otherwise 0.
template <class Order, class Word, class Source>
index_t count_zeros(const Source& line, index_t n) {
  index_t count = 0;
  if constexpr (Order::has_equals) {
    for (index_t i = 0; i < n; ++i)
      count += (line.rank(i) | Word{1}) == highest_zero<Order, Word> ? 1 : 0;
  }
  return count;
}

/// Sorts ranks with an unstable sort, which suffices if equal ranks have equal bits. Only the two
/// zeros differ in bits: their original order is restored afterwards.
///
/// @param count  what count_zeros() returns
/// @param zeros  room for as many words
template <class Order, class Word>
void sort_ranks(Word* ranks, index_t n, index_t count, Word* zeros) {
  if (count < 2) return vector_sort(ranks, n);
  if constexpr (Order::has_equals) {
    constexpr auto zero = highest_zero<Order, Word>;
    index_t at = 0;
    for (index_t i = 0; i < n; ++i) {
      if ((ranks[i] | Word{1}) == zero) zeros[at++] = ranks[i];
    }
    vector_sort(ranks, n);
    index_t begin = 0;  // the first zero: a binary search
    for (index_t left = n; left > 0;) {
      const index_t half = left / 2;
      const bool is_below = ranks[begin + half] < static_cast<Word>(zero - 1);
      if (is_below) begin += half + 1;
      left = is_below ? left - half - 1 : half;
    }
    std::memcpy(ranks + begin, zeros, static_cast<std::size_t>(count) * sizeof(Word));
  }
}

/// Sorts on several threads: the elements are divided into buckets that fit a core's cache, and one
/// thread sorts each bucket. All threads divide a bucket that is oversized because its keys share
/// high bits. All memory is allocated before the first element is written.
template <class Order, class Word, class Payload>
class bucket_sorter {
 public:
  using line = key_value_span<Word, Payload>;

  /// Stands for the varying bits if they are unknown, which the vectorised sort does not need.
  static constexpr std::uint64_t any_bits = ~std::uint64_t{0};

  /// Whether keys of this kind are sorted by Highway.
  static bool is_vector() { return !line::has_payload && sizeof(Word) >= 4 && has_vector_sort(); }

  bucket_sorter(int threads, const Order& order) : threads_(threads), order_(order) {}

  /// Sorts n elements of a source, whose ranks differ in two or more bits, `varying`, to `out`,
  /// which may be the source's memory. `spare` is room for as many.
  template <class Source>
  void sort(const Source& from, const line& out, const line& spare, index_t n,
            std::uint64_t varying) const {
    const division_room<line> room(threads_, n);
    const division parts(*this, from, spare, n, varying, 0, room);
    const bool needs_room = !is_vector() || Order::has_equals;
    const bucket_room<line> buckets(threads_, needs_room ? largest_bucket(parts, n) : 0);
    sort_buckets_of(parts, out, spare, 0, room, buckets);
  }

  /// Sorts n ranks in `from` to keys in `out` on the calling thread; `spare` is room for as many.
  /// One of the two is `out`.
  void sort_on_one_thread(const line& from, const line& spare, const line& out, index_t n,
                          std::uint64_t varying) const {
    if constexpr (!line::has_payload && sizeof(Word) >= 4) {
      if (n > insertion_keys && has_vector_sort()) {
        if (out.ranks != from.ranks) out.copy(from, n);
        sort_ranks<Order>(out.ranks, n, count_zeros<Order, Word>(out, n), spare.ranks);
        return put_keys(out, out, n);
      }
    }
    put_keys(radix_sort<Order>(from, spare, n, varying), out, n);
  }

  /// Sorts n keys of a source to `out` on the calling thread by Highway, with room for zeros only.
  template <class Source>
  void sort_by_vectors(const Source& from, const line& out, index_t n) const {
    if constexpr (!line::has_payload && sizeof(Word) >= 4) {
      const index_t count = count_zeros<Order, Word>(from, n);
      const scratch<Word> zeros(count > 1 ? count : 0);
      for (index_t i = 0; i < n; ++i) out.take(i, from, i);
      sort_ranks<Order>(out.ranks, n, count, zeros.data());
      put_keys(out, out, n);
    }
  }

 private:
  /// A division of n elements into buckets, which wait in chunks of `spare`.
  struct division {
    bucket_scatter<line> buckets;
    index_t large;  ///< a bucket of more elements is divided again

    template <class Source>
    division(const bucket_sorter& sorter, const Source& from, const line& spare, index_t n,
             std::uint64_t varying, int depth, const division_room<line>& room)
        : buckets(sorter.threads_, from, spare, n,
                  splitters(from, n, varying, sorter.bucket_count(n), room.sample(), room.tables()),
                  room, room.begins(depth)),
          large(sorter.large_bucket(n)) {}
  };

  static index_t keys_per_bucket() { return is_vector() ? vector_bucket_keys : bucket_keys; }
  index_t bucket_count(index_t n) const {
    const index_t by_size = tandem::min(n / keys_per_bucket(), most_buckets);
    return tandem::max(by_size, tandem::min(4 * index_t{threads_}, most_buckets));
  }
  index_t large_bucket(index_t n) const { return 4 * (n / bucket_count(n)) + sort_fork_keys; }

  /// The most elements of a bucket that one thread sorts, in this division or in those of its large
  /// buckets. It may exceed the bound: it is what large_bucket() returns for some number of at most
  /// n elements.
  index_t largest_bucket(const division& parts, index_t n) const {
    index_t most = 0;
    for (index_t b = 0; b < parts.buckets.buckets(); ++b)
      most = tandem::max(most, tandem::min(parts.buckets.size(b), bound_of_large(n)));
    return most;
  }
  /// At least large_bucket(m) for every m <= n: m / bucket_count(m) is less than twice the keys of
  /// a bucket, or m / most_buckets.
  static index_t bound_of_large(index_t n) {
    return 4 * tandem::max(2 * keys_per_bucket(), n / most_buckets) + sort_fork_keys;
  }

  /// Sorts the buckets of a division to `out`.
  void sort_buckets_of(const division& parts, const line& out, const line& spare, int depth,
                       const division_room<line>& room, const bucket_room<line>& own) const {
    const bucket_scatter<line>& buckets = parts.buckets;
    index_t next = 0;
    run_parallel(threads_, [&](int part, int) {
      for (index_t b; (b = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < buckets.buckets();) {
        const line to = out.from(buckets.begin(b));
        buckets.gather(b, to);
        if (buckets.size(b) > 0 && buckets.size(b) <= parts.large)
          sort_bucket(to, own.of(part), buckets.size(b));
      }
    });
    for (index_t b = 0; b < buckets.buckets(); ++b) {
      const index_t begin = buckets.begin(b);
      if (buckets.size(b) > parts.large)
        sort_large(out.from(begin), spare.from(begin), buckets.size(b), depth + 1, room, own);
    }
  }

  void sort_bucket(const line& bucket, const line& spare, index_t n) const {
    sort_on_one_thread(bucket, spare, bucket, n,
                       is_vector() ? any_bits : varying_bits(bucket, 0, n));
  }

  void sort_large(const line& out, const line& spare, index_t n, int depth,
                  const division_room<line>& room, const bucket_room<line>& own) const {
    const std::uint64_t varying = varying_bits_of(threads_, out, n);
    if (bit_length(varying) <= 1 || depth >= division_room<line>::most_divisions)
      return sort_on_one_thread(out, spare, out, n, varying);
    const division parts(*this, out, spare, n, varying, depth, room);
    sort_buckets_of(parts, out, spare, depth, room, own);
  }

  /// Converts ranks to keys in `out`.
  void put_keys(const line& sorted, const line& out, index_t n) const {
    if (order_.is_identity()) {
      if (out.ranks != sorted.ranks) out.copy(sorted, n);
      return;
    }
    for (index_t i = 0; i < n; ++i) out.set(i, order_.key(sorted.rank(i)), sorted.payload(i));
  }

  int threads_;
  Order order_;
};

}  // namespace tandem::openmp_impl
