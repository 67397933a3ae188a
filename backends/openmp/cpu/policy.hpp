// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Tuning of the OpenMP backend: what exceeds the caches. None of it changes a result.
namespace tandem::openmp_impl {

/// A thread whose share of a reduction is larger does not find it in its L2 (1 to 2 MiB).
inline constexpr std::size_t l2_bytes = std::size_t{1} << 20;

/// Range of what a core's share of the last-level caches can be. A report outside of it is not
/// believed: virtual machines report the caches of whole sockets, of one core, or none.
inline constexpr std::size_t min_cache_per_core = std::size_t{4} << 20;
inline constexpr std::size_t max_cache_per_core = std::size_t{16} << 20;

/// A copy or fill uses non-temporal stores from so many halves of the last-level caches on, where
/// their size is known: up to there, a good part of the data is found in the caches.
inline constexpr std::size_t nontemporal_copy_halves = 3;

/// How far ahead of its reads a loop prefetches: further than the hardware does for loops of many
/// instructions per cache line.
inline constexpr std::size_t prefetch_distance_bytes = 8192;

}  // namespace tandem::openmp_impl
