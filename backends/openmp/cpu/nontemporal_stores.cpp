// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>

#include <cstdint>
#include <cstring>
#include <new>

#include <omp.h>
#include <unistd.h>

#include <tandem/backends/openmp/cpu/policy.hpp>
#include <tandem/backends/openmp/cpu/topology.hpp>

namespace tandem::openmp_impl {

namespace {

/// Bytes of the third-level caches according to Linux' files; 0 also if there is no memory to read
/// them.
std::size_t cache_bytes_by_files() {
  try {
    return third_level_cache_bytes();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

/// Bytes of the last-level caches as Linux reports them, otherwise as glibc does. glibc reports the
/// caches of an AMD processor's whole socket, of which a guest's cores may share only a small part.
std::size_t reported_cache_bytes() {
  const std::size_t by_files = cache_bytes_by_files();
  if (by_files > 0) return by_files;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
#else
  return 0;
#endif
}

struct cache_estimate {
  std::size_t bytes;
  bool is_reported;  ///< false if the report is implausible
};

/// The reported size, clamped to what is plausible per core.
cache_estimate plausible_caches() {
  const auto cores = static_cast<std::size_t>(omp_get_num_procs());
  const std::size_t reported = reported_cache_bytes();
  if (reported < cores * min_cache_per_core) return {cores * min_cache_per_core, false};
  if (reported > cores * max_cache_per_core) return {cores * max_cache_per_core, false};
  return {reported, true};
}

const cache_estimate& last_level_caches() {
  static const cache_estimate caches = plausible_caches();  // reads files of /sys
  return caches;
}

}  // namespace

std::size_t last_level_cache_bytes() { return last_level_caches().bytes; }

bool prefers_nontemporal_stores(std::size_t bytes) {
  return has_nontemporal_stores && bytes >= min_cache_per_core && bytes >= last_level_cache_bytes();
}

bool prefers_nontemporal_copy(std::size_t bytes) {
  if (!prefers_nontemporal_stores(bytes)) return false;
  const cache_estimate& caches = last_level_caches();
  return !caches.is_reported || bytes >= caches.bytes / 2 * nontemporal_copy_halves;
}

std::size_t bytes_to_line(const void* to, std::size_t count) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % cache_line_bytes;
  const std::size_t head = past == 0 ? 0 : cache_line_bytes - past;
  return head < count ? head : count;
}

void copy_nontemporal(unsigned char* to, const unsigned char* from, std::size_t count) {
  std::size_t at = bytes_to_line(to, count);
  std::memcpy(to, from, at);
  for (; count - at >= cache_line_bytes; at += cache_line_bytes)
    store_line_nontemporal(to + at, from + at);
  store_fence();
  std::memcpy(to + at, from + at, count - at);
}

}  // namespace tandem::openmp_impl
