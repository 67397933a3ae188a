// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend. None of it changes a result.
///
/// Measured with g++ 12 on 2 cores of a Zen 5 (a fork and join takes 0.5 us) and read off the
/// figures of 16 cores of a Xeon (3.6 us).
namespace tandem::openmp_impl {

/// A fork and join takes about this much for each thread: 0.5 us on 2 cores of a Zen 5, 3.6 us on
/// 16 of a Xeon, with g++'s runtime while its threads still spin.
inline constexpr double fork_seconds_per_thread = 0.3e-6;

/// So many regions in a row that ask for fewer threads than the team has are run by the whole team,
/// the others without a part: g++'s runtime ends the threads that a region leaves out and starts
/// new ones for the next that wants them. Of 16 threads, each such change takes 300 us, and a
/// region of all in place of 3 threads 3 us more.
inline constexpr int most_smaller_regions = 100;

/// A loop of fewer indices first runs on the calling thread, in pieces that end at 1, 8, 64, ..
/// indices, and forks when the last piece says that the rest is done sooner by all threads. From
/// here on even a triad gains by forking: 2^15 floats take one core 3 us.
inline constexpr index_t probed_indices = index_t{1} << 15;
inline constexpr index_t probe_growth = 8;
/// That is believed of a piece that took this share of a fork's time: a look at the clock and a
/// call are a fifth of it on two cores. Pieces take little more where that is in question. The
/// first indices meet cold caches, and are believed only after the time of a whole fork.
inline constexpr double probe_share = 0.25;
inline constexpr double probe_piece_share = 0.3;
inline constexpr index_t cold_indices = 64;

/// Shares of so many indices and more begin at multiples of share_step, which are whole lines in
/// every type: 14 threads, 2^16 to 2^18 floats, 3 to 6 % sooner than by vectors across lines. The
/// longest share grows by 3 % at most.
inline constexpr index_t share_step = 64;
inline constexpr index_t least_stepped_share = 2048;

/// Threads that have finished their share of a loop help the others from this many indices on; one
/// that the system holds up holds up all of a shorter loop, whose data is better left in its core's
/// cache. Triad of 2^28 floats, 14 threads of a Xeon: 32.5 ms, 41.8 without help; 2^24 doubles
/// copied 2.2 and 3.3 ms, 2^21 0.11 and 0.16, but 2^20 floats 15.8 and 13.5 us.
inline constexpr index_t helped_indices = index_t{1} << 21;
/// They take this many pieces each, of so many indices: 2^13 floats are 32 KiB, work of a
/// microsecond, beside which a claim of 20 ns does not show. 2^26 doubles, 14 threads: increment
/// 7.9, 8.4, 7.25 and 7.2 ms by pieces of 2^13, 2^15, 2^17 and 2^19 at most, copy 13.6, 14.2, 13.4
/// and 13.5, triad of floats 8.6, 8.4, 8.5 and 9.3.
inline constexpr index_t pieces_per_thread = 16;
inline constexpr index_t least_piece = index_t{1} << 13;
inline constexpr index_t most_piece = index_t{1} << 17;

/// A reduction over memory forks from here on; one core reads 256 KiB from its L2 in 2 us.
inline constexpr std::size_t reduce_fork_bytes = std::size_t{256} << 10;

/// A reduction over a function of fewer indices is probed tile by tile.
inline constexpr index_t probed_terms = index_t{1} << 16;
/// Of still fewer, a tile is too coarse to share out expensive terms: those of the first tile are
/// timed, and where they are expensive all are computed by a loop and folded then.
inline constexpr index_t buffered_terms = index_t{1} << 13;

/// Subtrees of a reduction for each thread. The last thread gets up to one more or less than the
/// others: 6 %.
inline constexpr index_t subtrees_per_thread = 16;

/// A thread of a reduction whose share is larger does not find it in its L2 (1 to 2 MiB).
inline constexpr std::size_t streamed_bytes = std::size_t{1} << 20;

/// From here on threads of a reduction that have finished help the others, subtree by subtree.
/// Memory is then beyond the caches, where it does not matter who reads what.
inline constexpr index_t balanced_terms = index_t{1} << 22;

/// A scan forks from this many tiles of 4096 elements on.
inline constexpr index_t scan_fork_tiles = 8;
/// A scan of at most this many bytes of results a thread gives each thread one share; two cores
/// with L2s of 1 MiB then take 160 us for 2^20 integers of 8 bytes, where batches take 190.
inline constexpr std::size_t scan_share_bytes = std::size_t{4} << 20;
/// Else threads take batches of at most this, which stay in an L2 until they are written.
inline constexpr std::size_t scan_batch_bytes = std::size_t{64} << 10;
/// Batches that each thread gets at least before they grow beyond one tile.
inline constexpr index_t scan_batches_per_thread = 4;

/// Terms that a thread writes at a time, where any order is right. 14 threads, 2^21 integers of 8
/// bytes: 107 us, 117 in one piece each; two cores write whole shares as fast.
inline constexpr index_t scan_piece = index_t{1} << 14;

/// Up to so many tiles, what threads tell each other of one has a line of its own. 14 threads, 2^16
/// integers: 6.7 us, 8.5 with neighbours in one line; 2^20, 256 tiles: 49.8, 49.2.
inline constexpr index_t scan_spaced_tiles = 32;

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

/// A selection forks from this many elements on. Estimate: one core tests them in 10 to 20 us.
inline constexpr index_t select_fork_elements = index_t{1} << 15;
/// Elements of this size a thread selects at a time. They wait in its cache for their turn.
inline constexpr std::size_t select_batch_bytes = std::size_t{64} << 10;

/// A copy or fill forks from here on: one core moves 256 KiB in its caches in 5 us.
inline constexpr std::size_t copy_fork_bytes = std::size_t{256} << 10;
/// Its threads help each other from so many bytes a thread on, by pieces of copy_piece_bytes: what
/// one has in its own L2 is better left there. Copy of 2^20 and 2^21 floats, 16 threads of a Xeon:
/// 13.5 and 23.8 us with help, 12.6 and 21.7 without; 2^22 61 to 62 and 62 to 128.
inline constexpr index_t copy_helped_bytes = index_t{1} << 20;
inline constexpr index_t copy_piece_bytes = index_t{128} << 10;
/// What a core's share of the last caches can be: reports of less or more are not believed. Server
/// parts of 2017 to 2025 have 2 to 4 MiB of L2 and L3 a core, those with stacked caches up to 12.
inline constexpr std::size_t least_cache_per_core = std::size_t{4} << 20;
inline constexpr std::size_t most_cache_per_core = std::size_t{16} << 20;
/// From so many halves of the caches on, where their size is known, a copy or fill goes past them.
/// 2 cores with 32 MiB, in units of that, memcpy and past: copies of 1 in 0.21 and 0.39 ms, of 1.25
/// in 0.37 and 0.50, of 1.5 in 0.64 and 0.63; fills of 1 in 0.20 and 0.42, of 1.5 in 0.54 and
/// 0.64, of 2 in 0.87. 16 cores of a Xeon that share 300 MiB with others: copies of 128 MiB in 0.42
/// and 0.38.
inline constexpr std::size_t streamed_copy_halves = 3;
/// Lines of 64 bytes that a transform computes before it moves them past the caches. Triad of 2^24
/// floats, 2 threads, against the plain loop: 4 lines 1.28, 8 1.22, 16 1.30, 32 1.20, 16 without
/// prefetches 1.08.
inline constexpr index_t stream_block_lines = 16;

/// Blocks from here on are advised into huge pages and touched in parallel.
inline constexpr std::size_t huge_page_bytes = std::size_t{8} << 20;

/// A waiting thread gives its core away after this many looks (15 to 60 ns each: 4 to 15 us), since
/// the one it waits for may need it.
inline constexpr int spins_before_yield = 256;

}  // namespace tandem::openmp_impl
