// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: sorts. None of it changes a result.
namespace tandem::openmp_impl {

/// Keys above which a sort wakes other threads.
inline constexpr index_t sort_fork_keys = index_t{1} << 14;

/// Most keys for which insertion sort takes less time than clearing a radix sort's counters.
inline constexpr index_t insertion_keys = 32;

/// Fewest keys for which digits of 11 bits beat those of 8 bits if they save a pass.
inline constexpr index_t wide_digit_keys = index_t{1} << 12;

/// Bytes, scratch included, above which even one thread divides the elements into buckets: they
/// exceed an L2.
inline constexpr std::size_t sort_cache_bytes = std::size_t{1} << 20;

/// Keys per bucket: for radix sort, and for Highway's sort, whose time grows with the logarithm.
inline constexpr index_t bucket_keys = index_t{1} << 14;
inline constexpr index_t vector_bucket_keys = index_t{1} << 12;

/// Most buckets that a division aims for: their runs in a chunk of 2^15 keys are two cache lines
/// each. Uneven samples can make twice as many.
inline constexpr index_t most_buckets = 1000;
inline constexpr int sort_buckets = 2048;

/// Ranks per bucket in the sample for a division.
inline constexpr index_t samples_per_bucket = 8;
inline constexpr index_t most_samples = samples_per_bucket * most_buckets;

}  // namespace tandem::openmp_impl
