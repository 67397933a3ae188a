// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of random numbers on a GPU as data, which changes no result. Plain C++, so that it is
/// tested on a machine without a GPU.
namespace tandem::cuda_impl {

struct random_policy {
  int block = 128;  ///< threads per block
  /// Counters of Philox per thread of a long line, which share the keys of all rounds.
  int counters = 4;
  /// Blocks per multiprocessor from which on a line is long.
  index_t long_blocks = 8;
};
inline constexpr random_policy random_tuning{};

/// Counters per thread for a line of so many.
constexpr int counters_per_thread(index_t counters, int multiprocessors) {
  const index_t each_block = index_t{random_tuning.block} * random_tuning.counters;
  return counters >= each_block * random_tuning.long_blocks * multiprocessors
             ? random_tuning.counters
             : 1;
}

}  // namespace tandem::cuda_impl
