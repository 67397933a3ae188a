// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/cpu/policy.hpp>

namespace tandem::openmp_impl {

/// Where the terms of a reduction come from, as far as their number tells: the caches of a thread's
/// core, those that cores share, or memory.
enum class data_location { l2, shared_cache, dram };

/// Whether a thread's share of so many bytes is more than its own caches hold.
inline bool exceeds_l2(std::size_t bytes, int threads) {
  return bytes / static_cast<std::size_t>(threads) >= l2_bytes;
}

/// Where so many bytes of terms that `threads` threads share come from.
inline data_location location_of(std::size_t bytes, int threads) {
  if (!exceeds_l2(bytes, threads)) return data_location::l2;
  return prefers_nontemporal_stores(bytes) ? data_location::dram : data_location::shared_cache;
}

}  // namespace tandem::openmp_impl
