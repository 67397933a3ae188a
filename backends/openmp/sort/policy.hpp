// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: sorts. None of it changes a result.
namespace tandem::openmp_impl {

/// A sort forks from this many keys on: 2^14 keys take one thread 40 us.
inline constexpr index_t sort_fork_keys = index_t{1} << 14;

/// So many are sorted by insertion, in less time than counters take to clear.
inline constexpr index_t insertion_keys = 32;

/// From here on digits of 11 bits beat those of 8, if fewer are enough.
inline constexpr index_t wide_digit_keys = index_t{1} << 12;

/// Lines of more bytes, with the room for their digits, are divided into buckets by one thread too:
/// they leave an L2.
inline constexpr std::size_t sort_cache_bytes = std::size_t{1} << 20;

/// Keys that a bucket should have: for digits, and for Highway's sort, whose time grows with the
/// logarithm.
inline constexpr index_t bucket_keys = index_t{1} << 14;
inline constexpr index_t vector_bucket_keys = index_t{1} << 12;

/// Buckets that a division aims at, at most: their runs of a chunk of 2^15 keys are two cache lines
/// then. Uneven samples can make twice as many.
inline constexpr index_t most_buckets = 1000;
inline constexpr int sort_buckets = 2048;

}  // namespace tandem::openmp_impl
