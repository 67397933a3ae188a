// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Non-temporal stores. A plain store first reads the cache line that it changes and evicts another
/// one. A line that non-temporal stores write as a whole only costs its own transfer to memory.
namespace tandem::openmp_impl {

/// Whether this compiler has non-temporal stores for this processor.
#if defined(__x86_64__)
inline constexpr bool has_nontemporal_stores = true;
#else
inline constexpr bool has_nontemporal_stores = false;
#endif

/// Bytes of the caches that this process's cores share, as far as the system reports them. If a
/// loop writes more, its first results have been evicted by the time it ends.
std::size_t last_level_cache_bytes();

/// Whether a loop that moves `bytes` bytes, reads and writes together, should use non-temporal
/// stores.
bool prefers_nontemporal_stores(std::size_t bytes);

/// Whether a copy or fill that moves `bytes` bytes should use non-temporal stores. The threshold is
/// higher than for a loop: a copy computes nothing meanwhile, and if the data is only slightly
/// larger than the caches, much of it is still there.
bool prefers_nontemporal_copy(std::size_t bytes);

/// Bytes of a cache line: the alignment and the grain of non-temporal stores.
inline constexpr std::size_t cache_line_bytes = 64;

/// Copies a cache line to `to`, which is aligned to one, by non-temporal stores. store_fence() must
/// follow before another thread may read it. This uses builtins of the compilers: the headers of
/// intrinsics take longer to compile than all of tandem's loops.
[[gnu::always_inline]] inline void store_line_nontemporal(unsigned char* to,
                                                          const unsigned char* from) {
#if defined(__x86_64__)
#if defined(__AVX512F__)
  using vector = long long __attribute__((vector_size(64)));
#elif defined(__AVX__)
  using vector = long long __attribute__((vector_size(32)));
#else
  using vector = long long __attribute__((vector_size(16)));
#endif
  for (std::size_t at = 0; at < cache_line_bytes; at += sizeof(vector)) {
    vector part;
    __builtin_memcpy(&part, from + at, sizeof part);
    auto* const target = reinterpret_cast<vector*>(to + at);
#if defined(__clang__)
    __builtin_nontemporal_store(part, target);
#elif defined(__AVX512F__)
    __builtin_ia32_movntdq512(target, part);
#elif defined(__AVX__)
    __builtin_ia32_movntdq256(target, part);
#else
    __builtin_ia32_movntdq(target, part);
#endif
  }
#else
  __builtin_memcpy(to, from, cache_line_bytes);
#endif
}

/// Orders this thread's non-temporal stores before its later stores.
inline void store_fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

/// Returns the bytes from `to` to the next cache-line boundary, at most `count`.
std::size_t bytes_to_line(const void* to, std::size_t count);

/// Copies `count` bytes between any addresses, whole cache lines by non-temporal stores, and fences
/// them.
void copy_nontemporal(unsigned char* to, const unsigned char* from, std::size_t count);

}  // namespace tandem::openmp_impl
