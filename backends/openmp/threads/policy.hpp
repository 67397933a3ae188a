// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: regions, shares and work stealing. None of it changes a result.
namespace tandem::openmp_impl {

/// A fork and join takes about this much for each thread: 0.5 us on 2 cores of a Zen 5, 3.6 us on
/// 16 of a Xeon, with g++'s runtime while its threads still spin.
inline constexpr double fork_seconds_per_thread = 0.3e-6;

/// So many regions in a row that ask for fewer threads than the team has are run by the whole team,
/// the others without a part: g++'s runtime ends the threads that a region leaves out and starts
/// new ones for the next that wants them. Of 16 threads, each such change takes 300 us, and a
/// region of all in place of 3 threads 3 us more.
inline constexpr int most_smaller_regions = 100;

/// Shares of so many indices and more begin at multiples of share_step, which are whole lines in
/// every type: 14 threads, 2^16 to 2^18 floats, 3 to 6 % sooner than by vectors across lines. The
/// longest share grows by 3 % at most.
inline constexpr index_t share_step = 64;
inline constexpr index_t least_stepped_share = 2048;

/// Threads that have finished their share of a loop help the others from this many indices on; one
/// that the system holds up holds up all of a shorter loop, whose data is better left in its core's
/// cache. Triad of 2^28 floats, 14 threads of a Xeon: 32.5 ms, 41.8 without help; 2^24 doubles
/// copied 2.2 and 3.3 ms, 2^21 0.11 and 0.16, but 2^20 floats 15.8 and 13.5 us.
inline constexpr index_t stealing_indices = index_t{1} << 21;

/// They take this many pieces each, of so many indices: 2^13 floats are 32 KiB, work of a
/// microsecond, beside which a claim of 20 ns does not show. 2^26 doubles, 14 threads: increment
/// 7.9, 8.4, 7.25 and 7.2 ms by pieces of 2^13, 2^15, 2^17 and 2^19 at most, copy 13.6, 14.2, 13.4
/// and 13.5, triad of floats 8.6, 8.4, 8.5 and 9.3.
inline constexpr index_t pieces_per_thread = 16;
inline constexpr index_t min_grain = index_t{1} << 13;
inline constexpr index_t max_grain = index_t{1} << 17;

/// A waiting thread gives its core away after this many looks (15 to 60 ns each: 4 to 15 us), since
/// the one it waits for may need it.
inline constexpr int spins_before_yield = 256;

}  // namespace tandem::openmp_impl
