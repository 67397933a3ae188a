// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Tuning of the OpenMP backend: what counts as beyond the caches. None of it changes a result.
namespace tandem::openmp_impl {

/// A thread of a reduction whose share is larger does not find it in its L2 (1 to 2 MiB).
inline constexpr std::size_t l2_bytes = std::size_t{1} << 20;

/// What a core's share of the last caches can be: reports of less or more are not believed. Server
/// parts of 2017 to 2025 have 2 to 4 MiB of L2 and L3 a core, those with stacked caches up to 12.
inline constexpr std::size_t least_cache_per_core = std::size_t{4} << 20;
inline constexpr std::size_t most_cache_per_core = std::size_t{16} << 20;

/// From so many halves of the caches on, where their size is known, a copy or fill goes past them.
/// 2 cores with 32 MiB, in units of that, memcpy and past: copies of 1 in 0.21 and 0.39 ms, of 1.25
/// in 0.37 and 0.50, of 1.5 in 0.64 and 0.63; fills of 1 in 0.20 and 0.42, of 1.5 in 0.54 and
/// 0.64, of 2 in 0.87. 16 cores of a Xeon that share 300 MiB with others: copies of 128 MiB in 0.42
/// and 0.38.
inline constexpr std::size_t nontemporal_copy_halves = 3;

}  // namespace tandem::openmp_impl
