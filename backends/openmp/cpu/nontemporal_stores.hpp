// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Stores past the caches. A plain store first reads the line that it changes, and pushes another
/// out of the cache; a line that is written whole past the caches costs its own way to memory
/// alone.
namespace tandem::openmp_impl {

/// Whether this compiler can write past this processor's caches.
#if defined(__x86_64__)
inline constexpr bool has_nontemporal_stores = true;
#else
inline constexpr bool has_nontemporal_stores = false;
#endif

/// Bytes of the caches that this process's cores share, as far as the system tells: beyond them,
/// the beginning of what a loop writes has left the caches when the loop ends.
std::size_t last_level_cache_bytes();

/// Whether a loop that moves so many bytes, read and written, should write past the caches.
bool prefers_nontemporal_stores(std::size_t bytes);

/// Whether a copy or fill that moves so many bytes should: it computes nothing meanwhile, and what
/// is a little larger than a cache of one's own is found there in good part.
bool prefers_nontemporal_copy(std::size_t bytes);

/// A cache line: alignment of what is streamed to, and what its bytes are a multiple of.
inline constexpr std::size_t cache_line_bytes = 64;

/// Copies a line past the caches on the side of `to`, which is aligned to one. store_fence() must
/// follow before another thread may read it. Without intrinsics' headers, which take longer to
/// compile than all of tandem's loops.
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

/// Orders this thread's stores past the caches before its later ones.
inline void store_fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

/// Bytes from `to` to the next line, `count` at most.
std::size_t bytes_to_line(const void* to, std::size_t count);

/// Copies any bytes between any addresses, whole lines past the caches, and finishes.
void copy_nontemporal(unsigned char* to, const unsigned char* from, std::size_t count);

}  // namespace tandem::openmp_impl
