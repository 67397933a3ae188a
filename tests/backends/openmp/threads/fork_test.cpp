// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of fork() has one thread, whatever the OpenMP runtime remembers of the parent's team.
// Each case forks; a signal ends a child that hangs, and the parent sees that.

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "support/data.hpp"
#include "support/threads.hpp"

#include <omp.h>

#include <tandem/tandem.hpp>

using tandem::index_t;
using tandem::test::count_threads;

namespace {

// ThreadSanitizer ends the child of a process with threads when that child starts one.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TANDEM_TEST_UNDER_TSAN
#endif
#endif
#if defined(TANDEM_TEST_UNDER_TSAN) || defined(__SANITIZE_THREAD__)
constexpr bool may_child_start_threads = false;
#else
constexpr bool may_child_start_threads = true;
#endif

constexpr unsigned seconds_to_live = 120;
constexpr index_t size = index_t{1} << 21;

/// Whether f() returns true in a child of this process. The child exits without cleanup.
template <class Function>
bool holds_in_child(const Function& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds_to_live);
    bool holds = false;
    try {
      holds = f();
    } catch (...) {
    }
    _exit(holds ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Returns results of operations that divide their work among threads.
std::vector<double> results(const tandem::openmp& space) {
  tandem::array<double, 1, tandem::openmp> x(tandem::extents<1>(size), space);
  tandem::copy(space, tandem::test::random_values<double>(std::size_t{size}, 1), x);
  std::vector<double> all;
  all.push_back(tandem::parallel_reduce(space, x.const_view()));
  tandem::parallel_scan(space, x.const_view(), x.view());
  all.push_back(x(size - 1));
  tandem::sort(space, x.view());
  all.push_back(x(size / 2));
  tandem::array<float, 2, tandem::openmp> a(tandem::extents<2>(300, 300), 0.1f, space);
  tandem::array<float, 2, tandem::openmp> c(tandem::extents<2>(300, 300), space);
  tandem::matmul(space, a.const_view(), a.const_view(), c.view());
  all.push_back(static_cast<double>(c(17, 4)));
  return all;
}

bool may_have_team() { return omp_get_thread_limit() >= 3 && omp_get_dynamic() == 0; }

}  // namespace

TEST_CASE("openmp fork: the child of a process with one thread has a team") {
  if (count_threads() > 1 || !may_have_team()) {
    MESSAGE("this process has threads already, or may have none");
    return;
  }
  const tandem::openmp space(3);
  CHECK(holds_in_child([&] {
    results(space);
    return space.threads() == 3 && count_threads() >= 3;
  }));
}

TEST_CASE("openmp fork: after a parallel operation, the child computes the same on one thread") {
  const tandem::openmp space(3);
  const std::vector<double> wanted = results(space);
  CHECK(holds_in_child([&] { return results(space) == wanted && count_threads() == 1; }));
  CHECK(holds_in_child([&] { return tandem::openmp{}.threads() == 1; }));
  CHECK(results(space) == wanted);
  if (may_have_team()) CHECK(space.threads() == 3);
}

TEST_CASE("openmp fork: a child's child computes on one thread, too") {
  const tandem::openmp space(3);
  const std::vector<double> wanted = results(space);
  const auto compute = [&] { return results(space) == wanted && space.threads() == 1; };
  CHECK(holds_in_child([&] { return holds_in_child(compute); }));
}

TEST_CASE("openmp fork: a thread that the child starts has a team of its own") {
  const tandem::openmp space(3);
  const std::vector<double> wanted = results(space);
  if (!may_have_team() || !may_child_start_threads) return;
  CHECK(holds_in_child([&] {
    bool holds = false;
    std::thread worker([&] { holds = space.threads() == 3 && results(space) == wanted; });
    worker.join();
    return holds;
  }));
}
