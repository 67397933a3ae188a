// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/cpu/policy.hpp>

#include <cstdint>

namespace tandem::openmp_impl {

/// The level of the memory hierarchy from which the terms of a reduction are read, judged by their
/// number: a core's L2, a cache that cores share, or memory.
enum class data_location { l2, shared_cache, dram };

/// Whether a thread's partition of `bytes` bytes exceeds its L2.
inline bool exceeds_l2(std::size_t bytes, int threads) {
  return bytes / static_cast<std::size_t>(threads) >= l2_bytes;
}

/// Returns the level that holds `bytes` bytes of terms, partitioned among `threads` threads.
inline data_location location_of(std::size_t bytes, int threads) {
  if (!exceeds_l2(bytes, threads)) return data_location::l2;
  return prefers_nontemporal_stores(bytes) ? data_location::dram : data_location::shared_cache;
}

/// Prefetches `bytes` bytes at the prefetch distance after x. The address is computed as a number,
/// since it may lie beyond the end of the array, and a pointer must not.
[[gnu::always_inline]] inline void prefetch_ahead(const void* x, std::size_t bytes) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(x) + prefetch_distance_bytes;
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + at));
}

}  // namespace tandem::openmp_impl
