// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <sched.h>

#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>

using tandem::index_t;
using tandem::openmp_impl::allows_placement;
using tandem::openmp_impl::core_placement;
using tandem::openmp_impl::is_placement_allowed;
using tandem::openmp_impl::matmul_team;
using tandem::openmp_impl::placement_environment;
using tandem::openmp_impl::plan_region;
using tandem::openmp_impl::read_placement_environment;
using tandem::openmp_impl::run_parallel;

namespace {

/// Runs f on a thread that has not forked yet.
template <class Function>
void on_new_thread(const Function& f) {
  std::thread(f).join();
}

cpu_set_t allowed_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
  return cores;
}

constexpr const char* binding_variables[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                             "KMP_AFFINITY"};

/// Sets an environment variable during the object's lifetime.
class set_variable {
 public:
  set_variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  set_variable(const set_variable&) = delete;
  set_variable& operator=(const set_variable&) = delete;
  ~set_variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Counts the threads that have run it.
struct thread_number {
  static inline std::atomic<int> last{0};
  int value = ++last;
};

}  // namespace

TEST_CASE(
    "openmp regions: a thread whose core is taken moves to a free one, and "
    "may use all as before") {
  const cpu_set_t before = allowed_cores();
  const int cores = CPU_COUNT(&before);
  std::vector<int> seen;
  on_new_thread([&] {
    core_placement placement;
    for (int i = 0; i < cores + 2; ++i) {
      placement.enter();
      if (i < cores) seen.push_back(sched_getcpu());
      const cpu_set_t after = allowed_cores();
      CHECK(CPU_EQUAL(&after, &before));
    }
  });
  // The system may move a thread too, but hardly each time.
  std::sort(seen.begin(), seen.end());
  const auto distinct = std::unique(seen.begin(), seen.end()) - seen.begin();
  CHECK(distinct >= (cores + 1) / 2);
}

TEST_CASE("openmp regions: a thread that is bound to a core stays there") {
  on_new_thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    core_placement placement;
    for (int i = 0; i < 3; ++i) placement.enter();
    const cpu_set_t after = allowed_cores();
    CHECK(CPU_EQUAL(&after, &one));
  });
}

TEST_CASE("openmp regions: no thread leaves a placed region before all have arrived") {
  constexpr int count = 5;
  core_placement placement;
  std::atomic<int> come{0};
  std::atomic<int> early{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&] {
      placement.enter();
      ++come;
      placement.leave(count);
      if (come != count) ++early;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(early == 0);
}

TEST_CASE(
    "openmp regions: a first region is placed where the environment allows it, and "
    "those that follow at once are not") {
  on_new_thread([] {
    const bool is_allowed = is_placement_allowed();
    CHECK(plan_region(3).is_placed == is_allowed);
    int placed = 0;
    for (int i = 0; i < 100; ++i) placed += plan_region(3).is_placed ? 1 : 0;
    CHECK(placed < 100);
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    CHECK(plan_region(3).is_placed == is_allowed);
  });
}

TEST_CASE("openmp regions: what the user decides about placement holds") {
  CHECK(allows_placement({.is_on = true, .binds_threads = false, .is_confined = false}));
  CHECK_FALSE(allows_placement({.is_on = false, .binds_threads = false, .is_confined = false}));
  CHECK_FALSE(allows_placement({.is_on = true, .binds_threads = true, .is_confined = false}));
  CHECK_FALSE(allows_placement({.is_on = true, .binds_threads = false, .is_confined = true}));
}

TEST_CASE("openmp regions: the environment is read for what the user decides about placement") {
  {
    const set_variable on("TANDEM_PLACEMENT", "on");
    CHECK(read_placement_environment().is_on);
  }
  for (const char* const value : {"off", ""}) {
    const set_variable other("TANDEM_PLACEMENT", value);
    CHECK_FALSE(read_placement_environment().is_on);
  }
  for (const char* const name : binding_variables) {
    const set_variable bound(name, "true");
    CHECK(read_placement_environment().binds_threads);
  }
}

TEST_CASE("openmp regions: a team stays whole for some smaller regions") {
  on_new_thread([] {
    CHECK(plan_region(2).threads == 2);
    CHECK(plan_region(5).threads == 5);
    for (int i = 0; i < tandem::openmp_impl::most_smaller_regions; ++i)
      CHECK(plan_region(3).threads == 5);
    CHECK(plan_region(3).threads == 3);
    CHECK(plan_region(3).threads == 3);
    CHECK(plan_region(4).threads == 4);
  });
}

TEST_CASE(
    "openmp regions: regions of few threads between larger ones start no "
    "new threads") {
  on_new_thread([] {
    const int before = thread_number::last;
    for (int i = 0; i < 20; ++i) {
      for (const int threads : {4, 2, 3}) {
        std::atomic<int> parts{0};
        std::atomic<bool> right{true};
        run_parallel(threads, [&](int part, int all) {
          thread_local const thread_number mine;
          if (part < 0 || part >= all || all > threads || mine.value == 0) right = false;
          parts += 1 << (8 * part);
        });
        CHECK(right);
        for (int part = 1; part < threads; ++part) CHECK(((parts >> (8 * part)) & 255) <= 1);
        CHECK((parts & 255) == 1);
      }
    }
    CHECK(thread_number::last - before <= 4);
  });
}

TEST_CASE(
    "openmp regions: what threads throw in a placed region of a larger team "
    "reaches the caller") {
  on_new_thread([] {
    run_parallel(4, [](int, int) {});
    for (int round = 0; round < 3; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
      CHECK_THROWS_AS(run_parallel(2, [](int, int) { throw std::runtime_error("part"); }),
                      std::runtime_error);
    }
  });
}

TEST_CASE("openmp regions: a team's phase begins when the one before is done") {
  for (const int threads : {1, 2, 3, 7}) {
    index_t next = 0;
    constexpr index_t items = 23;
    constexpr int phases = 200;
    std::vector<int> done(items * phases);
    std::atomic<int> early{0};
    run_parallel(threads, [&](int rank, int size) {
      matmul_team team(rank, size, &next);
      for (int phase = 0; phase < phases; ++phase) {
        const index_t first = phase * items;
        const auto work = [&](index_t begin, index_t end) {
          for (index_t i = begin; i < end; ++i) {
            ++done[static_cast<std::size_t>(first + i)];
            if (phase > 0) early += done[static_cast<std::size_t>(first - items + i)] != 1;
          }
        };
        if (phase % 2 == 0) {
          team.for_each(items, [&](index_t i) { work(i, i + 1); });
        } else {
          team.for_each_range(items, work);
        }
      }
    });
    CAPTURE(threads);
    CHECK(early == 0);
    CHECK(std::count(done.begin(), done.end(), 1) == items * phases);
  }
}

namespace {

struct counters {
  alignas(64) unsigned long long words[16] = {};
  int arrived = 0;
};

/// A body with a pointer stored after `Bytes` other bytes; counts what it finds there.
template <int Bytes>
struct looking_body {
  unsigned char filler[static_cast<std::size_t>(Bytes)];
  const counters* given;
  std::atomic<int>* wrong;
  void operator()(int part, int) const {
    if (__atomic_load_n(&given->words[part % 16], __ATOMIC_RELAXED) != 0) ++*wrong;
    if (__atomic_load_n(&given->arrived, __ATOMIC_RELAXED) != 0) ++*wrong;
  }
};

/// Leaves ones on the stack where the next call's variables will be.
[[gnu::noinline]] void soil_stack() {
  volatile unsigned char bytes[4096];
  for (volatile unsigned char& byte : bytes) byte = 255;
}

/// Does not read what it passes to the workers.
template <int Bytes>
[[gnu::noinline]] void look_at_own(looking_body<Bytes> body) {
  const counters own;
  body.given = &own;
  run_parallel(2, body);
}

}  // namespace

TEST_CASE_TEMPLATE("openmp regions: workers see what a body points to of its caller's variables",
                   Size, std::integral_constant<int, 8>, std::integral_constant<int, 40>,
                   std::integral_constant<int, 64>, std::integral_constant<int, 80>,
                   std::integral_constant<int, 104>) {
  std::atomic<int> wrong{0};
  const looking_body<Size::value> body{{}, nullptr, &wrong};
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));  // keeps the threads apart
    soil_stack();
    look_at_own(body);
  }
  CHECK(wrong == 0);
}
