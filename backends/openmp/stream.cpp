// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/stream.hpp>

#include <cstdint>
#include <cstring>

#include <omp.h>
#include <unistd.h>

#include <tandem/backends/openmp/policy.hpp>

namespace tandem::openmp_impl {

namespace {

std::size_t reported_cache_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
#else
  return 0;
#endif
}

/// What is reported, as far as it can be true: virtual machines tell of the caches of whole
/// sockets, of one core, or of none.
std::size_t plausible_cache_bytes() {
  const auto cores = static_cast<std::size_t>(omp_get_num_procs());
  const std::size_t reported = reported_cache_bytes();
  if (reported < cores * least_cache_per_core) return cores * least_cache_per_core;
  return reported < cores * most_cache_per_core ? reported : cores * most_cache_per_core;
}

}  // namespace

std::size_t last_level_cache_bytes() {
  static const std::size_t bytes = plausible_cache_bytes();  // asking takes 20 to 100 us
  return bytes;
}

bool writes_past_caches(std::size_t bytes) {
  return can_stream && bytes >= least_cache_per_core && bytes >= last_level_cache_bytes();
}

std::size_t bytes_to_line(const void* to, std::size_t count) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % stream_line_bytes;
  const std::size_t head = past == 0 ? 0 : stream_line_bytes - past;
  return head < count ? head : count;
}

void stream_copy(unsigned char* to, const unsigned char* from, std::size_t count) {
  std::size_t at = bytes_to_line(to, count);
  std::memcpy(to, from, at);
  for (; count - at >= stream_line_bytes; at += stream_line_bytes) stream_line(to + at, from + at);
  finish_stream();
  std::memcpy(to + at, from + at, count - at);
}

}  // namespace tandem::openmp_impl
