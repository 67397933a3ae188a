// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of the OpenMP backend: random numbers. None of it changes a result.
namespace tandem::openmp_impl {

/// Fewest random numbers that threads share: one core generates fewer in about the time of a fork.
inline constexpr index_t random_fork_elements = index_t{1} << 14;

/// Words that are computed before any becomes a value: 4 KiB, which fit the L1.
inline constexpr int random_tile_words = 1024;

}  // namespace tandem::openmp_impl
