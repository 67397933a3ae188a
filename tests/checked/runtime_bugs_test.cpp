// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

/// Bugs outside views and phases: raw pointers, atomics of a team, terms and predicates with side
/// effects, and host code.

using namespace zoo;
using tandem::array;
using tandem::parallel_for;
using tandem::parallel_teams;
using tandem::team;

namespace {

constexpr int n = 64;
constexpr tandem::team_shape shape{4, 32, 4096};

/// Returns what a child prints that calls f, after which it ends unless a signal has ended it.
template <class Function>
std::string text_of_child(const Function& f, int& status) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  waitpid(child, &status, 0);
  return text;
}

}  // namespace

TEST_CASE("zoo: a race is printed after a benign one of the same lines") {
  const char* const report = std::getenv("TANDEM_CHECKED_REPORT");
  if (report != nullptr) return;  // prints nothing, or JSON
  array<int> values({1}, 0);
  const auto x = values.view();
  // Half of the items write one value, the others each its own: some order has two of the first.
  const auto store = [=](int i) { x(0) = i < n / 2 ? 1 : i; };
  int status = 0;
  const std::string text = text_of_child(
      [&] {
        try {
          parallel_for(n, store);
        } catch (const tandem::kernel_error&) {
        }
      },
      status);
  CAPTURE(text);
  CHECK(text.find("tandem: race: ") != std::string::npos);
}

TEST_CASE("zoo of pointers: no index of scratch reaches a neighbour") {
  array<float> values({n}, 1.0f);
  const auto x = values.view();
  for (const int index : {8, 136, 160, 167, 1000, 16384, 50000}) {
    CAPTURE(index);
    const auto overrun = [=](team& t) {
      float* const s = t.scratch<float>(8);
      float* const neighbour = t.scratch<float>(64);
      t.for_each(64, [&](int i) { neighbour[i] = 1; });
      t.for_each_lane([&](int lane) {
        if (lane == 0) s[index] = 2;  // far behind scratch
        if (lane == 0) x(t.index()) = neighbour[0];
      });
    };
    expect(
        __FILE__, "far behind scratch", "out of range", [&] { parallel_teams(shape, overrun); },
        is_one);
  }
}

TEST_CASE("zoo of pointers: far behind an array, and outside of all memory") {
  array<float> values({n}, 1.0f);
  float* const raw = values.view().data_handle();
  const auto behind = [=] {
    parallel_for(n, [=](int i) {
      raw[16320 + i] = 2;  // far behind an array
    });
  };
  expect(__FILE__, "far behind an array", "out of range", behind, is_one);
  constexpr int many = 1 << 16;
  array<float> table({many}, 1.0f);
  float* const elements = table.view().data_handle();
  const auto twice = [=] {
    parallel_for(n, [=](int i) {
      elements[2 * many - n + i] = 2;  // twice the index
    });
  };
  expect(__FILE__, "twice the index", "out of range", twice, is_one);
  const auto negative = [=] {
    parallel_for(n, [=](int i) {
      elements[i - many] = 2;  // the index less the size
    });
  };
  expect(__FILE__, "the index less the size", "out of range", negative, is_one);
  // The limit: memory further away from all arrays belongs to the program.
  std::vector<float> outside(many);
  const auto distance = outside.data() - elements;
  const auto into_others = [=] { parallel_for(n, [=](int i) { elements[distance + i] = 2; }); };
  CHECK_NOTHROW(into_others());
  int status = 0;
  const auto nowhere = [=] {
    float* const far = reinterpret_cast<float*>(std::uintptr_t{64});
    parallel_for(n, [=](int i) {
      if (i == 7) far[i] = 2;  // outside of all memory
    });
  };
  const std::string text = text_of_child(nowhere, status);
  CAPTURE(text);
  CHECK(WIFSIGNALED(status));
  CHECK(text.find("segmentation fault in parallel_for") != std::string::npos);
  CHECK(text.find("i = 7 ") != std::string::npos);
  const int line = line_with(__FILE__, "outside of all memory");
  CHECK(text.find(place(__FILE__, line)) != std::string::npos);
}

TEST_CASE("zoo of atomics: those of a team that meet those of another one") {
  array<int> counts({4}, 0);
  const auto x = counts.view().named("x");
  const auto both = [=] {
    parallel_teams(shape, [=](team& t) {
      t.for_each_lane([&](int) {
        tandem::atomic_add(x(0), 1, tandem::scope::team);  // one counter of all teams
      });
    });
  };
  expect(__FILE__, "one counter of all teams", "race", both, any);
  const auto mixed = [=] {
    parallel_teams(shape, [=](team& t) {
      t.for_each_lane([&](int) {
        if (t.index() == 2) {
          tandem::atomic_add(x(1), 1, tandem::scope::team);  // of a team and of the device, other
        } else {
          tandem::atomic_add(x(1), 1);  // of a team and of the device
        }
      });
    });
  };
  expect(__FILE__, "of a team and of the device", "race", mixed, any);
  const auto own = [=] {  // correct: a counter for each team
    parallel_teams(shape, [=](team& t) {
      int* const count = t.scratch<int>(1);
      t.for_each(1, [&](int) { count[0] = 0; });
      t.for_each_lane([&](int) {
        tandem::atomic_add(x(t.index()), 1, tandem::scope::team);
        tandem::atomic_add(count[0], 1, tandem::scope::team);
      });
    });
  };
  CHECK_NOTHROW(own());
}

TEST_CASE("zoo of reductions: terms and predicates with effects") {
  array<int> values({n}, 1);
  array<int> stored({n}, 0);
  const auto x = values.view().named("x");
  const auto y = stored.view();
  const auto update = [=] {
    tandem::parallel_reduce(n, [=](int i) {
      return x(i) += 1;  // term that changes what it reads
    });
  };
  expect(__FILE__, "term that changes what it reads", "side effect", update, is_one);
  const auto store = [=] {  // correct: a term may store
    return tandem::parallel_reduce(n, [=](int i) { return y(i) = x(i); });
  };
  CHECK_NOTHROW(store());
  array<int> kept(n);
  const auto predicate = [&] {
    tandem::copy_if(values, kept, [=](int v) {
      y(0) = v;  // predicate that writes
      return v > 0;
    });
  };
  expect(__FILE__, "predicate that writes", "side effect", predicate, is_one);
  const auto listed = [&] {
    tandem::copy_if(
        n,
        [=](int i) {
          y(1) = 5;  // predicate of indices that writes
          return i > 0;
        },
        kept);
  };
  expect(__FILE__, "predicate of indices that writes", "side effect", listed, is_one);
  CHECK(tandem::copy_if(
            tandem::range{1, n},
            [=](int i, const tandem::view<int>& v) { return v(i) > 0 && i % 2 == 0; }, kept,
            values) == n / 2 - 1 + n % 2);
}

TEST_CASE("zoo of host code: elements that nothing wrote") {
  array<float> values({n});
  const auto y = values.view().named("y");
  const auto reads = [](auto x, int i) { return x(i); };
  const long before = tandem::checked::finding_count();
  const volatile float garbage = reads(y, 3);
  static_cast<void>(garbage);
  CHECK(tandem::checked::finding_count() == before + 1);
  y(3) = 2;
  CHECK(reads(y, 3) == 2);
  parallel_for(n, [=](int i) { y(i) = 1; });
  CHECK(reads(y, 3) + reads(y, n - 1) == 2);
  CHECK(tandem::checked::finding_count() == before + 1);
}

TEST_CASE("zoo of teams: a field of a structure that lanes wrote, read with the whole") {
  struct pair {
    int a;
    int b;
    int c;
  };
  array<pair> values({4}, pair{});
  const auto x = values.view();
  const auto whole = [=] {
    parallel_teams(shape, [=](team& t) {
      pair both{};
      t.for_each_lane([&](int lane) {
        if (lane < 8) both.b = lane;  // field of a local structure, other
      });
      t.for_each_lane([&](int lane) {
        if (lane == 0) x(t.index()) = both;  // field of a local structure
      });
    });
  };
  expect(__FILE__, "field of a local structure", "lane state", whole, any);
}
