// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool with the C interface of Kokkos Tools, a library that counts operations by their names. Any
// program of tandem, or of Kokkos, runs under it unchanged:
//
//   KOKKOS_TOOLS_LIBS=libkernel_counter.so example.softmax
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace {

/// Constructed in kokkosp_init_library, so that it outlives the program's own static objects.
std::map<std::string, long long>& counts() {
  static std::map<std::string, long long> of_process;
  return of_process;
}

/// Several threads of the program may begin operations at the same time.
std::mutex counts_mutex;

void add(const char* name) {
  const std::lock_guard lock(counts_mutex);
  ++counts()[name];
}

void begin(const char* name, std::uint64_t* id) {
  *id = 0;  // passed back when the operation ends, for tools that measure times
  add(name);
}

}  // namespace

// Only callbacks that a tool defines are called; this one does not need the end of operations.
extern "C" {

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) { counts().clear(); }

void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t* id) {
  begin(name, id);
}
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t, std::uint64_t* id) {
  begin(name, id);
}
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t, std::uint64_t* id) {
  begin(name, id);
}
// Copies, fills, sorts, histograms and matrix products.
void kokkosp_push_profile_region(const char* name) { add(name); }

void kokkosp_finalize_library() {
  for (const auto& [name, count] : counts()) std::printf("%6lld %s\n", count, name.c_str());
}
}
