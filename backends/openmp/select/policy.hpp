// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: selections. None of it changes a result.
namespace tandem::openmp_impl {

/// A selection forks from this many elements on. Estimate: one core tests them in 10 to 20 us.
inline constexpr index_t select_fork_elements = index_t{1} << 15;

/// Elements of this size a thread selects at a time. They wait in its cache for their turn.
inline constexpr std::size_t select_batch_bytes = std::size_t{64} << 10;

}  // namespace tandem::openmp_impl
