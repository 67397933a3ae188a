// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

/// Tuning of random numbers on a GPU as data. Changes no result. Plain C++, so that a machine
/// without a GPU can test it.
namespace tandem::cuda_impl {

struct random_policy {
  int block = 128;  ///< threads per block
  /// Philox counters per thread for a long view; they share the keys of all rounds.
  int counters = 4;
  /// A view is long from this many blocks per multiprocessor.
  index_t long_blocks = 8;
};
inline constexpr random_policy random_tuning{};

/// Counters per thread for a view with the given number of counters.
constexpr int counters_per_thread(index_t counters, int multiprocessors) {
  const index_t each_block = index_t{random_tuning.block} * random_tuning.counters;
  return counters >= each_block * random_tuning.long_blocks * multiprocessors
             ? random_tuning.counters
             : 1;
}

}  // namespace tandem::cuda_impl
