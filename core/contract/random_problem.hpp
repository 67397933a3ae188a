// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/random/samplers.hpp>

#include <cstddef>
#include <cstdint>

namespace tandem {

/// Contiguous random elements as backends receive them: to[i] = sample_element(sampler, seed,
/// first + i) of core/random/samplers.hpp for 0 <= i < size; size is at least 1.
template <class Sampler>
struct random_problem {
  using value_type = typename Sampler::value_type;

  /// Elements that share the four words of one counter: 4, or 2 for 64-bit draws.
  static constexpr int block = 4 / Sampler::words;

  Sampler sampler;
  std::uint64_t seed;
  index_t size;
  value_type* to;
  /// The number of element to[0] in the sequence, a multiple of `block`.
  std::uint64_t first = 0;

  /// A block's elements, stored by one vector instruction if they are aligned.
  struct [[gnu::may_alias]] alignas(sizeof(value_type) *
                                    static_cast<std::size_t>(block)) block_values {
    value_type of[static_cast<std::size_t>(block)];
  };

  /// Returns the values of the elements starting at block * b: the four words of one counter.
  TANDEM_FUNCTION block_values make_block(index_t b) const {
    const philox_words words =
        detail::stream_words(seed, first / block + static_cast<std::uint64_t>(b), 0);
    block_values values;
    for (int k = 0; k < block; ++k) {
      values.of[k] = detail::value_of_words(sampler, words.word + Sampler::words * k, seed,
                                            first + static_cast<std::uint64_t>(block * b + k));
    }
    return values;
  }

  /// Stores the elements starting at block * b, which must all exist, at an aligned address.
  TANDEM_FUNCTION void store_block(index_t b, const block_values& values) const {
    *reinterpret_cast<block_values*>(to + block * b) = values;
  }

  /// Writes the elements starting at block * b that exist. Whole aligned blocks are stored at once.
  TANDEM_FUNCTION void write_block(index_t b, bool is_aligned) const {
    const block_values values = make_block(b);
    const index_t begin = block * b;
    if (is_aligned && size - begin >= block) {
      store_block(b, values);
    } else {
      for (int k = 0; k < block && begin + k < size; ++k) to[begin + k] = values.of[k];
    }
  }

  /// Whether blocks are aligned for store_block().
  bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(to) % sizeof(block_values) == 0;
  }
};

}  // namespace tandem
