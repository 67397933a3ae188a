// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: selections. None of it changes a result.
namespace tandem::openmp_impl {

/// Elements from which a selection wakes other threads.
inline constexpr index_t select_fork_elements = index_t{1} << 15;

/// Bytes of elements that a thread selects at a time; they stay in its cache until their turn.
inline constexpr std::size_t select_batch_bytes = std::size_t{64} << 10;

}  // namespace tandem::openmp_impl
