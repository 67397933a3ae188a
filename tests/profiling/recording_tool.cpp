// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with the C interface of Kokkos Tools that prints every call; tests/profiling runs it.

#include <cstdint>
#include <cstdio>

namespace {

std::uint64_t next_id = 7;

void begin(const char* kind, const char* name, std::uint64_t* id) {
  *id = next_id++;
  std::printf("%s %s %llu, ", kind, name, static_cast<unsigned long long>(*id));
}

void end(std::uint64_t id) { std::printf("end %llu, ", static_cast<unsigned long long>(id)); }

}  // namespace

extern "C" {

void kokkosp_init_library(int sequence, std::uint64_t version, std::uint32_t, void*) {
  std::printf("init %d %llu, ", sequence, static_cast<unsigned long long>(version));
}
void kokkosp_finalize_library() { std::printf("finalise\n"); }

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* id) {
  begin("for", name, id);
}
void kokkosp_end_parallel_for(std::uint64_t id) { end(id); }
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t, std::uint64_t* id) {
  begin("reduce", name, id);
}
void kokkosp_end_parallel_reduce(std::uint64_t id) { end(id); }
// kokkosp_begin_parallel_scan is missing on purpose: a tool may omit functions.
void kokkosp_push_profile_region(const char* name) { std::printf("push %s, ", name); }
void kokkosp_pop_profile_region() { std::printf("pop, "); }
}
