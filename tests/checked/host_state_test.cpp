// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

/// What only kernels of the host use: variables of a thread, static variables that they initialise,
/// owners that count, and mutexes.

using namespace zoo;
using tandem::array;
using tandem::parallel_for;
using tandem::parallel_reduce;

namespace {

constexpr int n = 100;

const std::vector<float>& powers() {
  static const std::vector<float> table = [] {
    std::vector<float> values(8, 1.0f);
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = 2 * values[i - 1];
    return values;
  }();
  return table;
}

thread_local std::vector<float> of_the_thread(4);

}  // namespace

TEST_CASE("correct host state: scratch of a thread that is written before it is read") {
  array<float> values({n}, 2.0f);
  array<float> results(n);
  const auto x = values.view();
  const auto y = results.view();
  parallel_for(n, [=](int i) {
    thread_local float scratch[4];
    for (float& s : scratch) s = x(i);
    y(i) = scratch[i % 4] + scratch[(i + 1) % 4];
  });
  for (int round = 0; round < 2; ++round) {  // in the second one, it has its memory
    parallel_for(n, [=](int i) {
      thread_local std::vector<float> scratch;
      scratch.resize(4);
      for (float& s : scratch) s = x(i);
      y(i) = scratch[static_cast<std::size_t>(i) % 4];
    });
    parallel_for(n, [=](int i) {
      thread_local std::vector<float> scratch(4);
      thread_local std::array<double, 2> both{};
      scratch[1] = x(i);
      both[0] = both[1] = scratch[1];
      y(i) = static_cast<float>(both[0]);
    });
    parallel_for(n, [=](int i) {
      of_the_thread.assign(3, x(i));
      y(i) += of_the_thread[2];
    });
  }
  CHECK(y(7) == 4);
  CHECK(parallel_reduce(n, [=](int i) {
          thread_local float scratch[2];
          scratch[0] = x(i);
          scratch[1] = scratch[0] + 1;
          return scratch[1];
        }) == 3 * n);
}

TEST_CASE("correct host state: static variables that a kernel initialises") {
  array<float> results(n);
  const auto y = results.view();
  parallel_for(n, [=](int i) { y(i) = powers()[static_cast<std::size_t>(i) % 8]; });
  CHECK(y(15) == 128);
  parallel_for(n, [=](int i) {
    static const float root = static_cast<float>(std::atoi("3"));
    static const std::string text(40, 'x');  // owns memory
    y(i) = root + static_cast<float>(text.size());
  });
  CHECK(y(15) == 43);
  std::once_flag flag;
  int table[4] = {};
  parallel_for(n, [&](int i) {
    std::call_once(flag, [&] {
      for (int& t : table) t = 5;
    });
    y(i) = static_cast<float>(table[i % 4]);
  });
  CHECK(y(15) == 5);
}

TEST_CASE("correct host state: owners that count themselves") {
  array<int> results(n);
  const auto y = results.view();
  const auto shared = std::make_shared<int>(3);
  parallel_for(n, [=](int i) {
    const std::shared_ptr<int> mine = shared;
    const std::weak_ptr<int> weak = mine;
    y(i) = *weak.lock();
  });
  CHECK(y(5) == 3);
  CHECK(shared.use_count() == 1);
}

TEST_CASE("correct host state: accesses under a mutex") {
  array<int> values({n}, 1);
  const auto x = values.view();
  std::mutex mutex;
  std::recursive_mutex recursive;
  std::shared_mutex readers;
  std::vector<int> seen;
  long total = 0;
  double last = 0;
  parallel_for(n, [&](int i) {
    const std::lock_guard guard(mutex);
    total += x(i);
    last = total > 3 ? static_cast<double>(total) : 0;
  });
  CHECK(total == n);
  parallel_for(n, [&](int i) {
    const std::unique_lock guard(mutex, std::try_to_lock);
    const std::lock_guard again(recursive);
    const std::lock_guard twice(recursive);
    if (guard) seen.push_back(i);
  });
  CHECK(seen.size() == n);
  parallel_for(n, [&](int i) {
    if (i % 2 == 0) {
      const std::unique_lock guard(readers);
      last += 1;
    } else {
      const std::shared_lock guard(readers);
      if (last < 0) x(i) = 2;
    }
  });
  CHECK(last == n + n / 2);
  tandem::parallel_teams({4, 8, 64}, [&](tandem::team& t) {
    t.for_each_lane([&](int) {
      const std::lock_guard guard(mutex);
      ++total;
    });
  });
  CHECK(total == n + 32);
}

TEST_CASE("zoo of host state: what is not protected") {
  array<int> results({n}, 0);
  const auto y = results.view();
  std::mutex mutex;
  int count = 0;
  const auto run = [](const char* name, const auto& f) {
    expect(__FILE__, name, "race", f, differ);
  };
  run("state of a thread", [&] {
    parallel_for(n, [=](int i) {
      thread_local int calls = 0;
      ++calls;  // state of a thread
      y(i) = calls;
    });
  });
  run("read without the mutex", [&] {
    parallel_for(n, [&](int i) {
      {
        const std::lock_guard guard(mutex);
        ++count;  // read without the mutex, other
      }
      y(i) = count;  // read without the mutex
    });
  });
  run("static counter", [&] {
    parallel_for(n, [=](int i) {
      static int calls = std::atoi("3");
      y(i) = calls += i;  // static counter
    });
  });
  run("write without the mutex", [&] {
    parallel_for(n, [&](int i) {
      if (i == 50) {
        count = 7;  // write without the mutex, other
      } else {
        const std::lock_guard guard(mutex);
        count = 8;  // write without the mutex
      }
    });
  });
}
