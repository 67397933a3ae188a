// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/threads/parallel_region.hpp>

#include <pthread.h>
#include <sys/stat.h>

namespace tandem::openmp_impl {

bool is_forked_process = false;

namespace {

bool had_threads = false;     // when fork() was called
pthread_t forked_thread = 0;  // the child's first thread

/// Whether this process has other threads than the calling one; true if the system does not say.
bool has_threads() {
  struct stat tasks {};
  constexpr unsigned own_entries = 2;  // "." and ".."
  return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > own_entries + 1;
}

void before_fork() { had_threads = has_threads(); }

void in_child() {
  if (!had_threads) return;
  forked_thread = pthread_self();
  is_forked_process = true;
}

const bool are_handlers_set = pthread_atfork(before_fork, nullptr, in_child) == 0;

}  // namespace

bool has_lost_team() noexcept { return pthread_equal(pthread_self(), forked_thread) != 0; }

}  // namespace tandem::openmp_impl
