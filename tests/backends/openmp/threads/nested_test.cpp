// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call inside a call, or inside the caller's parallel region, stays on the calling thread and
// starts no thread, even if OpenMP is set to nest regions.

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "support/threads.hpp"

#include <omp.h>

#include <tandem/tandem.hpp>

using tandem::index_t;
using tandem::test::count_threads;

namespace {

constexpr int enough = 1 << 16;  // enough indices for a fork, if any are

/// Lets regions nest during the object's lifetime, as OMP_MAX_ACTIVE_LEVELS=3 does.
class nested_regions {
 public:
  nested_regions() : before_(omp_get_max_active_levels()) { omp_set_max_active_levels(3); }
  nested_regions(const nested_regions&) = delete;
  nested_regions& operator=(const nested_regions&) = delete;
  ~nested_regions() { omp_set_max_active_levels(before_); }

 private:
  int before_;
};

/// Counts the indices of a loop that ran on other threads than the calling one.
int indices_elsewhere(const tandem::openmp& space) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  tandem::parallel_for(space, enough, [&](int) {
    if (std::this_thread::get_id() != caller) ++elsewhere;
  });
  return elsewhere;
}

}  // namespace

TEST_CASE("openmp nested: a loop inside a loop has the thread that calls it") {
  const nested_regions allowed;
  const tandem::openmp space(3);
  std::atomic<int> elsewhere{0};
  tandem::parallel_for(space, enough, [&](int i) {
    if (omp_in_parallel() && i % 4096 == 0) elsewhere += indices_elsewhere(space);
  });
  CHECK(elsewhere == 0);
}

TEST_CASE("openmp nested: a loop in a caller's region has the thread that calls it") {
  const nested_regions allowed;
  std::atomic<int> elsewhere{0};
#pragma omp parallel num_threads(3)
  if (omp_get_num_threads() > 1) elsewhere += indices_elsewhere(tandem::openmp(4));
  CHECK(elsewhere == 0);
}

TEST_CASE("openmp nested: no threads are started for calls inside calls") {
  const nested_regions allowed;
  const tandem::openmp space(3);
  indices_elsewhere(space);  // starts the outer call's team
  const index_t before = count_threads();
  std::atomic<int> grown{0};
  tandem::parallel_for(space, enough, [&](int i) {
    if (!omp_in_parallel() || i % 4096 != 0) return;
    tandem::parallel_for(space, enough, [&](int j) {
      if (j == enough / 2 && count_threads() > before) ++grown;
    });
  });
  CHECK(grown == 0);
}

TEST_CASE("openmp nested: what an inner function throws leaves the outer call") {
  const tandem::openmp space(3);
  for (const int at : {0, enough / 2, enough - 1}) {
    const auto outer = [&](int i) {
      if (i != at) return;
      tandem::parallel_for(space, enough, [=](int j) {
        if (j == at) throw std::out_of_range("inner");
      });
    };
    CHECK_THROWS_WITH_AS(tandem::parallel_for(space, enough, outer), "inner", std::out_of_range);
  }
}

TEST_CASE("openmp nested: what a function throws in a caller's region reaches the thread's call") {
  std::atomic<int> caught{0};
  std::atomic<int> team{0};
#pragma omp parallel num_threads(3)
  {
    ++team;
    try {
      tandem::parallel_for(tandem::openmp(2), enough, [](int i) {
        if (i == enough - 1) throw std::out_of_range("in a region");
      });
    } catch (const std::out_of_range&) {
      ++caught;
    }
  }
  CHECK(caught == team);
}

TEST_CASE("openmp nested: a caller's region of one thread leaves a call its threads") {
  int threads = 0;
#pragma omp parallel num_threads(1)
  threads = tandem::openmp(3).threads();
  CHECK(threads == tandem::openmp(3).threads());
}
