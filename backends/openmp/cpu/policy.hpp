// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Tuning of the OpenMP backend: cache sizes. None of it changes a result.
namespace tandem::openmp_impl {

/// If a thread's partition of a reduction is larger, it does not fit the thread's L2 (1 to 2 MiB).
inline constexpr std::size_t l2_bytes = std::size_t{1} << 20;

/// The plausible range of a core's part of the last-level caches. A report outside it is rejected:
/// virtual machines report the caches of whole sockets, of one core, or none.
inline constexpr std::size_t min_cache_per_core = std::size_t{4} << 20;
inline constexpr std::size_t max_cache_per_core = std::size_t{16} << 20;

/// A copy or fill uses non-temporal stores above this many halves of the last-level caches, if
/// their size is known: below, the caches still hold a good part of the data.
inline constexpr std::size_t nontemporal_copy_halves = 3;

/// The prefetch distance of a loop. Hardware prefetches too late for loops of many instructions per
/// cache line.
inline constexpr std::size_t prefetch_distance_bytes = 8192;

}  // namespace tandem::openmp_impl
