// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: segmented reductions and scans. None of it changes a result.
namespace tandem::openmp_impl {

/// What a segment costs beside its terms, in terms.
inline constexpr index_t segment_cost = 16;
/// Terms and costs of segments from which on threads share them.
inline constexpr index_t shared_segments_cost = index_t{1} << 15;
/// Pieces per thread: a thread that the system preempts leaves a small part of its share.
inline constexpr int segment_pieces_per_thread = 8;
/// Most pieces. Their bounds stay on the stack, so that sharing takes no memory that could be
/// missing.
inline constexpr int most_segment_pieces = 2000;
/// Terms from which on all threads share one segment, where they exceed a piece as well.
inline constexpr index_t min_shared_segment = index_t{1} << 15;

}  // namespace tandem::openmp_impl
