// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of the OpenMP backend: copies and fills. None of it changes a result.
namespace tandem::openmp_impl {

/// A copy or fill forks from here on: one core moves 256 KiB in its caches in 5 us.
inline constexpr std::size_t copy_fork_bytes = std::size_t{256} << 10;

/// Its threads help each other from so many bytes a thread on, by pieces of copy_piece_bytes: what
/// one has in its own L2 is better left there. Copy of 2^20 and 2^21 floats, 16 threads of a Xeon:
/// 13.5 and 23.8 us with help, 12.6 and 21.7 without; 2^22 61 to 62 and 62 to 128.
inline constexpr index_t copy_stealing_bytes = index_t{1} << 20;
inline constexpr index_t copy_piece_bytes = index_t{128} << 10;

}  // namespace tandem::openmp_impl
