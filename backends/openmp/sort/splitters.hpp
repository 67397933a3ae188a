// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/sort/policy.hpp>
#include <tandem/backends/openmp/sort/radix.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>

namespace tandem::openmp_impl {

/// Samples one rank from each of equal stretches, at pseudo-random positions.
template <class Source, class Rank>
void sample_ranks(const Source& line, index_t n, Rank* sample, index_t samples) {
  const index_t stretch = n / samples;
  for (index_t i = 0; i < samples; ++i) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 32;
    const auto offset = static_cast<index_t>(mixed % static_cast<std::uint64_t>(stretch));
    sample[i] = line.rank(i * stretch + offset);
  }
}

/// The tables of splitters, which would take too much of a thread's stack.
struct splitter_tables {
  static constexpr int entry_bits = 11;
  static constexpr index_t most_cells = 1 << 13;

  // The index of an entry's first cell, times 256, plus the shift of the bits that select its cell.
  std::uint32_t entry[std::size_t{1} << entry_bits];
  std::uint16_t bucket[most_cells];
  std::uint32_t counts[most_cells];  ///< of the sample in each entry, and then in each cell
};

/// Splitters that divide ranks into ascending buckets of similar size, by their highest varying
/// bits, through tables built from a sample. If ranks crowd in one entry of the first table, as
/// floats do within an exponent, a second table separates them by the next bits. An entry that is
/// still crowded becomes a separate bucket.
class splitters {
 public:
  /// @param varying  the bits in which the n ranks differ, two or more
  /// @param wanted   the number of buckets, 2 to most_buckets
  /// @param sample   room for samples_per_bucket ranks per bucket, or n if that is less
  /// @param tables   uninitialised; the splitters refer to them
  template <class Source>
  splitters(const Source& line, index_t n, std::uint64_t varying, index_t wanted,
            std::uint64_t* sample, splitter_tables& tables)
      : tables_(tables) {
    const int length = bit_length(varying);
    // The ranks of the two zeros differ in the lowest bit, which must therefore not divide.
    const int enough = bit_length(static_cast<std::uint64_t>(wanted)) + 3;
    const int finest = tandem::min(enough, splitter_tables::entry_bits);
    const int bits = length - 1 < finest ? length - 1 : finest;
    shift_ = length - bits;
    entries_ = index_t{1} << bits;
    const index_t samples = samples_per_bucket * wanted < n ? samples_per_bucket * wanted : n;
    sample_ranks(line, n, sample, samples);
    refine_entries(sample, samples, samples_per_bucket);
    number_buckets(sample, samples, samples_per_bucket);
  }

  int buckets() const { return buckets_; }

  /// Maps ranks to buckets. Held by value in a loop, so that the compiler need not assume that the
  /// loop's stores change the tables' pointers.
  struct lookup {
    int shift;
    std::uint64_t mask;
    std::uint64_t below;
    const std::uint32_t* entries;
    const std::uint16_t* buckets;

    std::size_t operator()(std::uint64_t rank) const {
      const std::uint32_t entry = entries[(rank >> shift) & mask];
      return buckets[(entry >> 8) + ((rank & below) >> (entry & 0xff))];
    }
  };
  /// Maps ranks to buckets if every entry of the first table has one cell.
  struct flat_lookup {
    int shift;
    std::uint64_t mask;
    const std::uint16_t* buckets;

    std::size_t operator()(std::uint64_t rank) const { return buckets[(rank >> shift) & mask]; }
  };

  /// Calls run(lookup) with the faster lookup that applies.
  template <class Run>
  void with_lookup(const Run& run) const {
    if (cells_ == entries_) return run(flat_lookup{shift_, mask(), tables_.bucket});
    run(two_tables());
  }

 private:
  std::uint64_t mask() const { return static_cast<std::uint64_t>(entries_ - 1); }
  lookup two_tables() const {
    return {shift_, mask(), (std::uint64_t{1} << shift_) - 1, tables_.entry, tables_.bucket};
  }

  /// Gives each entry one cell, or several if it has more than a bucket's part of the sample.
  void refine_entries(const std::uint64_t* sample, index_t samples, index_t part) {
    std::uint32_t* const counts = tables_.counts;
    for (index_t e = 0; e < entries_; ++e) counts[e] = 0;
    for (index_t i = 0; i < samples; ++i) ++counts[(sample[i] >> shift_) & mask()];
    index_t next = 0;
    for (index_t e = 0; e < entries_; ++e) {
      int bits = 0;
      while (bits < shift_ - 1 && (part << bits) < 4 * index_t{counts[e]} &&
             next + (index_t{2} << bits) + entries_ - e <= splitter_tables::most_cells) {
        ++bits;
      }
      if (index_t{counts[e]} < part) bits = 0;
      tables_.entry[e] = static_cast<std::uint32_t>(next << 8 | (shift_ - bits));
      next += index_t{1} << bits;
    }
    cells_ = next;
  }

  /// Numbers the buckets: neighbouring cells share one until they have a bucket's part of the
  /// sample; a cell that has as much alone becomes a separate bucket.
  void number_buckets(const std::uint64_t* sample, index_t samples, index_t part) {
    std::uint32_t* const counts = tables_.counts;
    for (index_t c = 0; c < cells_; ++c) {
      counts[c] = 0;
      tables_.bucket[c] = static_cast<std::uint16_t>(c);
    }
    const lookup cell = two_tables();
    for (index_t i = 0; i < samples; ++i) ++counts[cell(sample[i])];
    index_t filled = 0;
    int bucket = 0;
    for (index_t c = 0; c < cells_; ++c) {
      if (c > 0 && (filled >= part || counts[c] >= part)) {
        ++bucket;
        filled = 0;
      }
      tables_.bucket[c] = static_cast<std::uint16_t>(bucket);
      filled += counts[c];
    }
    buckets_ = bucket + 1;
  }

  int shift_ = 0;
  index_t entries_ = 0;
  index_t cells_ = 0;
  int buckets_ = 0;
  splitter_tables& tables_;
};

}  // namespace tandem::openmp_impl
