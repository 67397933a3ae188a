// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool with the C interface of Kokkos Tools that adds up how long a program's operations take.
// While a tool is loaded, tandem ends an operation when its work is complete, so the time covers
// the work, on a GPU too.
//
//   KOKKOS_TOOLS_LIBS=liboperation_timer.so example.n_body
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

using steady = std::chrono::steady_clock;

// One thread of these programs calls operations; an operation may call others.
int depth = 0;
long long operations = 0;
steady::time_point begun;
steady::duration spent{};

void begin() {
  if (depth++ > 0) return;
  ++operations;
  begun = steady::now();
}

void end() {
  if (--depth == 0) spent += steady::now() - begun;
}

void begin_kernel(std::uint64_t* id) {
  *id = 0;
  begin();
}

}  // namespace

extern "C" {

void kokkosp_begin_parallel_for(const char*, std::uint32_t, std::uint64_t* id) { begin_kernel(id); }
void kokkosp_begin_parallel_reduce(const char*, std::uint32_t, std::uint64_t* id) {
  begin_kernel(id);
}
void kokkosp_begin_parallel_scan(const char*, std::uint32_t, std::uint64_t* id) {
  begin_kernel(id);
}
void kokkosp_end_parallel_for(std::uint64_t) { end(); }
void kokkosp_end_parallel_reduce(std::uint64_t) { end(); }
void kokkosp_end_parallel_scan(std::uint64_t) { end(); }
// Copies, fills, sorts, histograms and matrix products.
void kokkosp_push_profile_region(const char*) { begin(); }
void kokkosp_pop_profile_region() { end(); }

void kokkosp_finalize_library() {
  const double seconds = std::chrono::duration<double>(spent).count();
  std::printf("%.6f seconds in %lld operations\n", seconds, operations);
}
}
