// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>

#include <omp.h>
#include <sched.h>

#include <tandem/tandem.hpp>

namespace {

/// Returns the highest number of a thread that ran indices of a long loop.
int highest_thread(const tandem::openmp& space) {
  std::atomic<int> highest{0};
  tandem::parallel_for(space, 1 << 22, [&](int i) {
    if (i % 1024 != 0) return;
    const int mine = omp_get_thread_num();
    int seen = highest.load();
    while (mine > seen && !highest.compare_exchange_weak(seen, mine)) {
    }
  });
  return highest;
}

}  // namespace

TEST_CASE("openmp threads: zero stands for what OpenMP has been told, at each call") {
  const tandem::openmp space;
  const int before = omp_get_max_threads();
  for (const int told : {3, 1, 2}) {
    omp_set_num_threads(told);
    CHECK(space.threads() == told);
    CHECK(highest_thread(space) < told);
  }
  omp_set_num_threads(before);
  CHECK(space.threads() == before);
}

TEST_CASE("openmp threads: a number that was asked for does not depend on OpenMP's") {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  CHECK(tandem::openmp(3).threads() == 3);
  CHECK(highest_thread(tandem::openmp(3)) < 3);
  omp_set_num_threads(before);
  CHECK(omp_get_max_threads() == before);  // a space does not change the caller's setting
}

TEST_CASE("openmp threads: a call from a parallel region has the thread that makes it") {
  std::atomic<int> alone{0};
  std::atomic<int> team{0};
#pragma omp parallel num_threads(3)
  {
    ++team;
    if (tandem::openmp(4).threads() == 1 && tandem::openmp().threads() == 1) ++alone;
  }
  if (team > 1) CHECK(alone == team);
  CHECK(tandem::openmp(4).threads() == 4);
}

TEST_CASE("openmp threads: the listing counts the processors that may be used") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(tandem::openmp::cpu_info().threads == CPU_COUNT(&before));
  CHECK(tandem::openmp::cpu_info().cores <= CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const tandem::cpu_description cpu = tandem::openmp::cpu_info();
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(cpu.threads == 1);
  CHECK(cpu.cores == 1);
}
