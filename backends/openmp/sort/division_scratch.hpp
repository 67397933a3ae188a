// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/key_value_span.hpp>
#include <tandem/backends/openmp/sort/policy.hpp>
#include <tandem/backends/openmp/sort/splitters.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>

namespace tandem::openmp_impl {

/// What a division of keys into buckets needs besides the keys and their spare memory. It is
/// allocated for the whole sort before the first key is overwritten: buckets that are divided again
/// have fewer keys and reuse the memory.
template <class Line>
class division_room {
 public:
  using word = typename Line::word;
  using payload = typename Line::payload_type;
  static constexpr std::size_t element_bytes =
      sizeof(word) + (Line::has_payload ? sizeof(payload) : 0);
  /// The most elements of a chunk: 256 KiB, and few enough for 16-bit counters.
  static constexpr index_t largest_chunk = element_bytes <= 4 ? 65'472 : 32'736;
  /// Divisions within each other. Each removes 11 bits, or the rest of the varying ones, unless the
  /// sample misled.
  static constexpr int most_divisions = 9;

  /// For n elements and fewer.
  division_room(int threads, index_t n)
      : chunk_(tandem::min(ceil_div<index_t>(n, threads), largest_chunk)),
        sample_(tandem::min(n, most_samples)),
        tables_(1),
        begins_(most_divisions * (sort_buckets + 1)),
        starts_(chunks(threads, n) * (sort_buckets + 1)),
        sizes_(index_t{threads} * sort_buckets),
        buckets_(threads * chunk_),
        ranks_(leaves_cache(n) ? threads * chunk_ : 0),
        payloads_(Line::has_payload && leaves_cache(n) ? threads * chunk_ : 0) {}

  /// Chunks into which n elements are divided.
  static index_t chunks(int threads, index_t n) {
    return (n - 1) / (largest_chunk * threads) * threads + threads;
  }
  /// Whether n elements are so many that chunks are ordered in separate memory.
  static bool leaves_cache(index_t n) {
    return static_cast<std::size_t>(n) * element_bytes > sort_cache_bytes;
  }

  std::uint64_t* sample() const { return sample_.data(); }
  splitter_tables& tables() const { return *tables_.data(); }
  /// The begin of each bucket of a division, and the end, until all its buckets are sorted.
  index_t* begins(int depth) const { return begins_.data() + depth * (sort_buckets + 1); }
  /// [chunk][bucket], and each chunk's end.
  std::uint16_t* starts() const { return starts_.data(); }
  /// Elements of the buckets in the chunks of one thread.
  index_t* sizes(index_t thread) const { return sizes_.data() + thread * sort_buckets; }
  /// The bucket of each element of a thread's chunk.
  std::uint16_t* buckets(index_t thread) const { return buckets_.data() + thread * chunk_; }
  /// A thread's chunk in order.
  Line ordered(index_t thread) const {
    return Line{ranks_.data(), payloads_.data()}.from(ranks_.data() ? thread * chunk_ : 0);
  }

 private:
  index_t chunk_;
  scratch<std::uint64_t> sample_;
  scratch<splitter_tables> tables_;
  scratch<index_t> begins_;
  scratch<std::uint16_t> starts_;
  scratch<index_t> sizes_;
  scratch<std::uint16_t> buckets_;
  scratch<word> ranks_;
  scratch<payload> payloads_;
};

/// Memory in which each thread sorts one bucket at a time.
template <class Line>
class bucket_room {
 public:
  /// @param each  the most elements of a bucket that one thread sorts
  bucket_room(int threads, index_t each)
      : each_(each), ranks_(threads * each), payloads_(Line::has_payload ? threads * each : 0) {}

  Line of(int thread) const { return Line{ranks_.data(), payloads_.data()}.from(thread * each_); }

 private:
  index_t each_;
  scratch<typename Line::word> ranks_;
  scratch<typename Line::payload_type> payloads_;
};

}  // namespace tandem::openmp_impl
