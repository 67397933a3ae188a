// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/bucket_scatter.hpp>
#include <tandem/backends/openmp/sort/policy.hpp>
#include <tandem/backends/openmp/sort/radix_sort.hpp>
#include <tandem/backends/openmp/sort/vector_sort.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>

#include <cstring>

namespace tandem::openmp_impl {

/// Sorts ranks with an unstable sort, which suffices where equal ranks have equal bits. Only the
/// two zeros differ in bits: their original order is restored afterwards.
template <class Order, class Word>
void sort_ranks(Word* ranks, index_t n) {
  if constexpr (Order::has_equals) {
    // The two ranks differ in the lowest bit.
    constexpr auto zero =
        static_cast<Word>(Order::comparable_bits(Order::ordered_bits(0)) | Word{1});
    index_t count = 0;
    for (index_t i = 0; i < n; ++i) count += (ranks[i] | Word{1}) == zero ? 1 : 0;
    if (count > 1) {
      const scratch<Word> zeros(count);
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
      std::memcpy(ranks + begin, zeros.data(), static_cast<std::size_t>(count) * sizeof(Word));
      return;
    }
  }
  vector_sort(ranks, n);
}

/// Sorts on several threads: the elements are divided into buckets that fit a core's cache, and
/// each bucket is sorted by one thread. A bucket that many equal high bits have made too large is
/// divided in turn, by all threads.
template <class Order, class Word, class Payload>
class bucket_sorter {
 public:
  using line = key_value_span<Word, Payload>;

  /// Stands for the varying bits where they are unknown, which the vectorised sort does not need.
  static constexpr std::uint64_t any_bits = ~std::uint64_t{0};

  /// Whether keys of this kind are sorted by Highway.
  static bool is_vector() { return !line::has_payload && sizeof(Word) >= 4 && has_vector_sort(); }

  bucket_sorter(int threads, const Order& order) : threads_(threads), order_(order) {}

  /// Sorts n elements of a source, whose ranks differ in two or more bits, `varying`, to `out`,
  /// which may be the source's own memory. `spare` is room for as many.
  template <class Source>
  void sort(const Source& from, const line& out, const line& spare, index_t n,
            std::uint64_t varying, int depth = 0) const {
    const index_t wanted = bucket_count(n);
    const splitters split(from, n, varying, wanted);
    const bucket_scatter<line> parts(threads_, from, spare, n, split);
    const index_t large = depth == deepest ? n : 4 * (n / wanted) + sort_fork_keys;
    index_t next = 0;
    run_parallel(threads_, [&](int, int) {
      for (index_t b; (b = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < parts.buckets();) {
        if (parts.size(b) > large) {
          parts.gather(b, out.from(parts.begin(b)));
        } else if (parts.size(b) > 0) {
          sort_bucket(parts, b, out.from(parts.begin(b)));
        }
      }
    });
    for (index_t b = 0; b < parts.buckets(); ++b) {
      const index_t begin = parts.begin(b);
      if (parts.size(b) > large)
        sort_large(out.from(begin), spare.from(begin), parts.size(b), depth + 1);
    }
  }

  /// Sorts n ranks in `from` to keys in `out` on the calling thread; `spare` is room for as many.
  /// One of the two is `out`.
  void sort_on_one_thread(const line& from, const line& spare, const line& out, index_t n,
                          std::uint64_t varying) const {
    if constexpr (!line::has_payload && sizeof(Word) >= 4) {
      if (n > insertion_keys && has_vector_sort()) {
        if (out.ranks != from.ranks) out.copy(from, n);
        sort_ranks<Order>(out.ranks, n);
        return put_keys(out, out, n);
      }
    }
    put_keys(radix_sort<Order>(from, spare, n, varying), out, n);
  }

 private:
  /// Each division takes away 11 bits or the rest of those that vary, unless the sample misled.
  static constexpr int deepest = 8;

  index_t bucket_count(index_t n) const {
    const index_t keys = is_vector() ? vector_bucket_keys : bucket_keys;
    const index_t by_size = n / keys < most_buckets ? n / keys : most_buckets;
    const index_t by_threads = 4 * index_t{threads_} < most_buckets ? 4 * threads_ : most_buckets;
    return by_size < by_threads ? by_threads : by_size;
  }

  void sort_bucket(const bucket_scatter<line>& parts, index_t bucket, const line& out) const {
    const index_t n = parts.size(bucket);
    parts.gather(bucket, out);
    if (is_vector()) return sort_on_one_thread(out, {}, out, n, any_bits);
    const scratch<Word> ranks(n);
    const scratch<Payload> payloads(line::has_payload ? n : 0);
    sort_on_one_thread(out, {ranks.data(), payloads.data()}, out, n, varying_bits(out, 0, n));
  }

  void sort_large(const line& out, const line& spare, index_t n, int depth) const {
    const std::uint64_t varying = varying_bits_of(threads_, out, n);
    if (bit_length(varying) > 1) return sort(out, out, spare, n, varying, depth);
    sort_on_one_thread(out, spare, out, n, varying);
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
