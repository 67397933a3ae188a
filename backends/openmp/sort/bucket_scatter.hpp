// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/division_scratch.hpp>
#include <tandem/backends/openmp/sort/policy.hpp>
#include <tandem/backends/openmp/sort/splitters.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>

#include <cstdint>

namespace tandem::openmp_impl {

/// Scatters elements to buckets within chunks that fit a core's cache, stably, and then gathers
/// each bucket from all chunks in contiguous runs. Memory only sees runs, never single elements,
/// and an element is written twice in all: to its chunk, and sorted.
template <class Line>
class bucket_scatter {
 public:
  /// Scatters all chunks, on several threads.
  ///
  /// @param chunks  room for n elements, used until the last gather
  /// @param room    used until the last gather as well
  /// @param begins  room for sort_buckets + 1 indices, in use as long as the object
  template <class Source>
  bucket_scatter(int threads, const Source& from, const Line& chunks, index_t n,
                 const splitters& split, const division_room<Line>& room, index_t* begins)
      : lines_(chunks),
        n_(n),
        buckets_(split.buckets()),
        count_(room.chunks(threads, n)),
        each_((n - 1) / count_ + 1),
        starts_(room.starts()),
        begin_(begins) {
    for_static_blocks(threads, count_, [&](index_t block, share part) {
      index_t* const own = room.sizes(block);
      for (index_t b = 0; b < buckets_; ++b) own[b] = 0;
      for (index_t c = part.begin; c < part.end; ++c) {
        fill_chunk(from, split, c, room.buckets(block), room.ordered(block));
        for (index_t b = 0; b < buckets_; ++b) own[b] += run(c, b + 1) - run(c, b);
      }
    });
    index_t before = 0;
    for (index_t b = 0; b < buckets_; ++b) {
      begin_[b] = before;
      for (index_t block = 0; block < threads; ++block) before += room.sizes(block)[b];
    }
    begin_[buckets_] = before;
  }

  index_t buckets() const { return buckets_; }
  /// Returns the begin of a bucket among all elements; for buckets(), n.
  index_t begin(index_t bucket) const { return begin_[bucket]; }
  index_t size(index_t bucket) const { return begin_[bucket + 1] - begin_[bucket]; }

  /// Copies the elements of a bucket to `to`.
  void gather(index_t bucket, const Line& to) const {
    index_t at = 0;
    for (index_t c = 0; c < count_; ++c) {
      if (c + ahead < count_) prefetch(c + ahead, bucket);
      const index_t size = run(c, bucket + 1) - run(c, bucket);
      to.from(at).copy(lines_.from(c * each_ + run(c, bucket)), size);
      at += size;
    }
  }

 private:
  using Word = typename Line::word;
  using Payload = typename Line::payload_type;
  /// Prefetch distance in runs.
  static constexpr index_t ahead = 8;

  bool leaves_cache() const { return division_room<Line>::leaves_cache(n_); }

  /// Returns the begin of a bucket's run in a chunk.
  index_t run(index_t chunk, index_t bucket) const {
    return starts_[chunk * (buckets_ + 1) + bucket];
  }

  void prefetch(index_t chunk, index_t bucket) const {
    const Line line = lines_.from(chunk * each_ + run(chunk, bucket));
    const index_t end = run(chunk, bucket + 1) - run(chunk, bucket);
    constexpr index_t per_line = 64 / index_t{sizeof(Word)};
    for (index_t i = 0; i < end; i += per_line) __builtin_prefetch(line.ranks + i);
    if constexpr (Line::has_payload) {
      constexpr index_t payloads = 64 / index_t{sizeof(Payload)};
      for (index_t i = 0; i < end; i += payloads) __builtin_prefetch(line.payloads + i);
    }
  }

  /// Writes and counts the buckets of some elements. Takes its operands by value, so that they stay
  /// in registers.
  template <class Lookup, class Source>
  static void look_up(Lookup bucket_of, Source from, index_t begin, index_t size,
                      std::uint16_t* bucket, std::uint32_t* counts) {
    for (index_t i = 0; i < size; ++i) {
      const std::size_t own = bucket_of(from.rank(begin + i));
      bucket[i] = static_cast<std::uint16_t>(own);
      ++counts[own];
    }
  }
  template <class Source>
  static void move(Line to, Source from, index_t begin, index_t size, const std::uint16_t* bucket,
                   std::uint32_t* next) {
    for (index_t i = 0; i < size; ++i) to.take(next[bucket[i]]++, from, begin + i);
  }

  /// @param bucket   room for the bucket of each element, which is looked up once
  /// @param ordered  room for the chunk in order, which stays in the cache when the spans do not:
  ///                 single elements written to memory would wait for a cache line each
  template <class Source>
  void fill_chunk(const Source& from, const splitters& split, index_t chunk, std::uint16_t* bucket,
                  Line ordered) const {
    const index_t begin = chunk * each_ < n_ ? chunk * each_ : n_;
    const index_t size = n_ - begin < each_ ? n_ - begin : each_;
    std::uint32_t next[sort_buckets];
    for (index_t b = 0; b < buckets_; ++b) next[b] = 0;
    split.with_lookup([&](auto bucket_of) { look_up(bucket_of, from, begin, size, bucket, next); });
    std::uint32_t before = 0;
    std::uint16_t* const starts = starts_ + chunk * (buckets_ + 1);
    for (index_t b = 0; b < buckets_; ++b) {
      const std::uint32_t own = next[b];
      starts[b] = static_cast<std::uint16_t>(before);
      next[b] = before;
      before += own;
    }
    starts[buckets_] = static_cast<std::uint16_t>(before);
    const Line to = lines_.from(begin);
    move(leaves_cache() ? ordered : to, from, begin, size, bucket, next);
    if (leaves_cache()) to.copy(ordered, size);
  }

  Line lines_;
  index_t n_;
  index_t buckets_;
  index_t count_;          // of chunks
  index_t each_;           // elements of a chunk
  std::uint16_t* starts_;  // [chunk][bucket], and each chunk's end
  index_t* begin_;         // of each bucket, and the end
};

}  // namespace tandem::openmp_impl
