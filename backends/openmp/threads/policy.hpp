// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: regions, partitions and work stealing. None of it changes a
/// result.
namespace tandem::openmp_impl {

/// Time of a fork and join per thread, while the runtime's threads still spin.
inline constexpr double fork_seconds_per_thread = 0.3e-6;

/// Most regions in a row that run on the whole team although they request fewer threads; the other
/// threads have no part. g++'s runtime ends the threads that a region leaves out and has to start
/// new ones for the next region that requests them, which takes the time of a hundred regions.
inline constexpr int most_smaller_regions = 100;

/// Partitions of at least this many indices begin at multiples of share_step, which are whole cache
/// lines in every type: the vectors of every partition are then aligned like those of the first.
/// The longest partition grows by 1/32 at most.
inline constexpr index_t share_step = 64;
inline constexpr index_t least_stepped_share = 2048;

/// Longer partitions begin at multiples of tile_share_step or more, 1/64 to 1/32 of their length,
/// or 1/16 of the shortest. A reduction is divided into tiles of 1024 numbers of 8 bytes; aligned
/// with them, loops and reductions over the same arrays use the same core's cache.
inline constexpr index_t tile_share_step = 1024;
inline constexpr index_t least_tiled_share = 16 * tile_share_step;

/// In loops of at least this many indices, threads steal work from the start. The data of a shorter
/// loop is better left in the cache of the core that has it, unless a piece takes so long that
/// moving its data hardly matters.
inline constexpr index_t stealing_indices = index_t{1} << 21;
inline constexpr double seconds_worth_stealing = 20e-6;

/// Grain of stealing: each partition is taken in this many pieces, of a bounded size. The smallest
/// piece takes about a microsecond, compared with which the cost of taking it is negligible.
inline constexpr index_t pieces_per_thread = 16;
inline constexpr index_t min_grain = index_t{1} << 13;
inline constexpr index_t max_grain = index_t{1} << 17;

/// A waiting thread yields its core after this many polls, since the thread that it waits for may
/// need it.
inline constexpr int spins_before_yield = 256;

/// Polls after which a thread that waits to steal yields its core: they take about as long as the
/// pieces that are worth stealing.
inline constexpr int rounds_before_yield = 1024;

/// If OpenMP is to wait passively, a waiting thread polls for some microseconds and then sleeps,
/// each time a little longer: waking up too often would cost more than sleeping saves.
inline constexpr int passive_spins = 256;
inline constexpr long passive_sleep_nanoseconds = 20'000;
inline constexpr int passive_most_sleeps = 50;  ///< the longest sleep in units of the first

}  // namespace tandem::openmp_impl
