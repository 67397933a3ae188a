// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: segmented reductions and scans. None of it changes a result.
namespace tandem::openmp_impl {

/// The overhead of a segment, in terms.
inline constexpr index_t segment_cost = 16;
/// Terms and costs of segments above which threads share them.
inline constexpr index_t shared_segments_cost = index_t{1} << 15;
/// Pieces per thread: a thread that the system preempts leaves a small part of its partition.
inline constexpr int segment_pieces_per_thread = 8;
/// Most pieces. Their bounds stay on the stack, so that sharing allocates nothing.
inline constexpr int most_segment_pieces = 1000;
/// Terms above which all threads share one segment, if it also exceeds a piece.
inline constexpr index_t min_shared_segment = index_t{1} << 15;

}  // namespace tandem::openmp_impl
