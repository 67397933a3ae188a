// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads as a process's environment configures them. These cases hold in any environment, and
// environments.cmake runs them in several.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <omp.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "support/data.hpp"

#include <tandem/backends/openmp/threads/core_placement.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

/// Returns how many processors this thread may run on.
int usable_processors() {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

/// Returns the canonical sum of the same values; its bits reveal a wrong reduction order.
float sum_of(const tandem::openmp& space) {
  const auto values = random_values<float>(300000, 3);
  const float* const x = values.data();
  return tandem::parallel_reduce(space, values.size(), [=](std::size_t i) { return x[i]; });
}

/// Confines this thread to one processor during the object's lifetime.
class confined {
 public:
  confined() {
    REQUIRE(sched_getaffinity(0, sizeof before_, &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  }
  confined(const confined&) = delete;
  confined& operator=(const confined&) = delete;
  ~confined() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

}  // namespace

TEST_CASE("openmp environment: OMP_NUM_THREADS is what zero threads stand for") {
  if (!is_set("OMP_NUM_THREADS") || is_set("OMP_THREAD_LIMIT")) return;
  // For a list, with one number for each level of nested regions, the first number counts.
  CHECK(tandem::openmp().threads() == std::stoi(std::getenv("OMP_NUM_THREADS")));
}

TEST_CASE("openmp environment: without it, zero threads are the processors that may be used") {
  // If OpenMP binds threads, this one has a place.
  for (const char* const variable :
       {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_PROC_BIND", "OMP_PLACES"}) {
    if (is_set(variable)) return;
  }
  CHECK(tandem::openmp().threads() == usable_processors());
}

TEST_CASE("openmp environment: a space has the threads that OMP_THREAD_LIMIT lets a region have") {
  if (!is_set("OMP_THREAD_LIMIT") || omp_get_dynamic() != 0) return;
  const int most = std::stoi(std::getenv("OMP_THREAD_LIMIT"));
  CHECK(tandem::openmp().threads() <= most);
  for (const int asked : {1, 2, 3, 40}) {
    int team = 0;
#pragma omp parallel num_threads(asked)
#pragma omp single
    team = omp_get_num_threads();
    CHECK(tandem::openmp(asked).threads() == team);
    CHECK(team == std::min(asked, most));
  }
}

TEST_CASE("openmp environment: the same bits for each number of threads that may be had") {
  const float wanted = sum_of(tandem::openmp(1));
  for (const int threads : {0, 2, 3, 5, 40})
    CHECK(same_bits(sum_of(tandem::openmp(threads)), wanted));
}

TEST_CASE("openmp environment: a caller that is confined to one processor gets the same bits") {
  const float wanted = sum_of(tandem::openmp(1));
  const confined here;
  for (const int threads : {0, 2, 5}) CHECK(same_bits(sum_of(tandem::openmp(threads)), wanted));
}

TEST_CASE(
    "openmp environment: threads are placed only if the user asks for it and has not bound them") {
  using namespace tandem::openmp_impl;
  const bool is_on =
      is_set("TANDEM_PLACEMENT") && std::string_view(std::getenv("TANDEM_PLACEMENT")) == "on";
  const bool is_bound = is_set("OMP_PROC_BIND") || is_set("OMP_PLACES") ||
                        is_set("GOMP_CPU_AFFINITY") || is_set("KMP_AFFINITY");
  const placement_environment here = read_placement_environment();
  CHECK(here.is_on == is_on);
  CHECK(here.binds_threads == is_bound);
  // A new thread plans its first region, for which its team may have been asleep.
  std::thread([&] {
    const bool is_placed = plan_region(3).is_placed;
    if (!is_on || is_bound) CHECK_FALSE(is_placed);
    CHECK(is_placed == is_placement_allowed());
  }).join();
}

TEST_CASE(
    "openmp environment: a process that is confined to one processor keeps its threads there") {
  using namespace tandem::openmp_impl;
  if (sysconf(_SC_NPROCESSORS_ONLN) == 1) return;
  cpu_set_t before;
  REQUIRE(sched_getaffinity(getpid(), sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t i = 0; CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  REQUIRE(sched_setaffinity(getpid(), sizeof one, &one) == 0);
  const placement_environment here = read_placement_environment();
  CHECK(here.is_confined);
  CHECK_FALSE(allows_placement(here));
  sched_setaffinity(getpid(), sizeof before, &before);
}

TEST_CASE("openmp environment: where OpenMP may give fewer threads, the same bits") {
  const float wanted = sum_of(tandem::openmp(1));
  const int before = omp_get_dynamic();
  omp_set_dynamic(1);
  for (const int threads : {0, 2, 5}) CHECK(same_bits(sum_of(tandem::openmp(threads)), wanted));
  omp_set_dynamic(before);
}

TEST_CASE("openmp environment: a thread that waits passively for another one uses no processor") {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  if (policy == nullptr || std::string_view(policy) != "passive") return;
  CHECK(tandem::openmp_impl::waits_passively());
  constexpr int n = 1 << 17;
  const auto seconds = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  // The last index of one thread takes long. A thread that spins uses 0.3 seconds each time; the
  // least of several loops is not disturbed by what else the process does.
  double least = 1;
  for (int loop = 0; loop < 5 && least >= 0.15; ++loop) {
    const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    tandem::parallel_for(tandem::openmp(2), n, [](int i) {
      if (i == n - 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    });
    least = std::min(least, seconds(CLOCK_PROCESS_CPUTIME_ID) - before);
  }
  CHECK(least < 0.15);
}
