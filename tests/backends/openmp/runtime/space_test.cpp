// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/data.hpp"

#include <omp.h>

#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

float sum_of(const tandem::openmp& space, const std::vector<float>& values) {
  const float* x = values.data();
  return tandem::parallel_reduce(space, values.size(), [=](std::size_t i) { return x[i]; });
}

}  // namespace

TEST_CASE("openmp: a negative number of threads is refused, zero takes OpenMP's own") {
  CHECK_THROWS_AS(tandem::openmp(-1), tandem::argument_error);
  CHECK(tandem::openmp(0).threads() >= 1);
  CHECK(tandem::openmp(5).threads() == 5);
  CHECK(tandem::openmp::with_threads(5).threads() == 5);
  CHECK_THROWS_WITH_AS(
      tandem::openmp::with_threads(0),
      "openmp::with_threads: threads (0) < 1; openmp() leaves the number to OpenMP",
      tandem::argument_error);
}

TEST_CASE("openmp: the machine has one processor, with the threads of cpu_info()") {
  const auto list = tandem::openmp::processors();
  REQUIRE(list.size() == 1);
  CHECK(list[0].units == tandem::openmp::cpu_info().threads);
  CHECK(list[0].name == tandem::openmp::cpu_info().name);
}

TEST_CASE("openmp: more threads than a system can start are not asked for") {
  const tandem::openmp space(2'000'000'000);
  CHECK(space.threads() ==
        std::min(std::max(64, 16 * omp_get_num_procs()), omp_get_thread_limit()));
  CHECK(tandem::parallel_reduce(space, 200000, [](int) { return 1; }) == 200000);
}

TEST_CASE("openmp: exceptions of a user's function reach the caller, and the library works on") {
  const tandem::openmp space(4);
  const auto bad = [](int i) {
    if (i == 77777) throw std::runtime_error("bad element");
  };
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, 200000, bad), "bad element", std::runtime_error);
  const auto bad_term = [](int i) {
    if (i == 77777) throw std::runtime_error("bad term");
    return 1.0;
  };
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce(space, 200000, bad_term), "bad term",
                       std::runtime_error);
  CHECK(tandem::parallel_reduce(space, 200000, [](int) { return 1; }) == 200000);
}

TEST_CASE("openmp: an exception leaves loops of few and of many indices, wherever it comes from") {
  for (const int threads : {1, 2, 8}) {
    const tandem::openmp space(threads);
    for (const int n : {1, 2, 100, 5000, 100000}) {
      for (const int at : {0, n / 2, n - 1}) {
        const auto bad = [=](int i) {
          if (i == at) throw std::out_of_range("at");
        };
        CHECK_THROWS_AS(tandem::parallel_for(space, n, bad), std::out_of_range);
        CHECK_THROWS_AS(
            tandem::parallel_for(space, tandem::grid{2, n}, [=](int, int i) { bad(i); }),
            std::out_of_range);
      }
    }
  }
}

TEST_CASE("openmp: loops of a few long and of many short indices run each once") {
  const tandem::openmp space(4);
  for (const int rounds : {1, 20000, 3}) {  // rounds of one function: short, long, short again
    for (const int n : {1, 2, 5, 16, 100, 3000}) {
      std::vector<int> calls(static_cast<std::size_t>(n));
      std::atomic<std::int64_t> total{0};
      int* const call = calls.data();
      for (int repetition = 0; repetition < 3; ++repetition) {
        tandem::parallel_for(space, n, [&total, call, rounds = n > 100 ? 1 : rounds](int i) {
          float busy = 1;
          for (int r = 0; r < rounds; ++r) busy = busy * 0.5f + 1;
          call[i] += busy < 3 ? 1 : 2;
          total += i;
        });
      }
      CHECK(calls == std::vector<int>(static_cast<std::size_t>(n), 3));
      CHECK(total == std::int64_t{3} * n * (n - 1) / 2);
    }
  }
}

TEST_CASE("openmp: a loop inside a loop stays on its thread") {
  const tandem::openmp space(4);
  std::atomic<int> inner{0};
  std::atomic<int> nested{0};
  tandem::parallel_for(space, 1 << 16, [&](int i) {
    if (i % 4096 != 0) return;
    if (omp_in_parallel() && space.threads() != 1) ++nested;
    tandem::parallel_for(space, 1 << 16, [&](int) { inner.fetch_add(1); });
  });
  CHECK(inner == 16 << 16);
  CHECK(nested == 0);
}

TEST_CASE("openmp: neighbours of an index of any type, up to the type's last value") {
  const tandem::openmp space(3);
  const auto check = [&]<class Index>(Index, tandem::index_t first, tandem::index_t end) {
    std::vector<int> hits(static_cast<std::size_t>(end - first + 2));
    int* const hit = hits.data();
    tandem::parallel_for(space, tandem::range{first, end},
                         [=](Index i) { ++hit[static_cast<tandem::index_t>(i) - first + 1]; });
    int wrong = hits.front() + hits.back();
    for (std::size_t i = 1; i + 1 < hits.size(); ++i) wrong += hits[i] != 1;
    CHECK(wrong == 0);
  };
  constexpr tandem::index_t half = tandem::index_t{1} << 30;
  check(std::int8_t{}, -128, 128);
  check(std::uint8_t{}, 0, 256);
  check(std::int16_t{}, -32768, 32768);
  check(std::uint16_t{}, 3, 65536);
  check(int{}, -2 * half, -2 * half + 70000);
  check(int{}, 2 * half - 70000, 2 * half);
  check(unsigned{}, half - 70000, half);
  check(unsigned{}, half - 35000, half + 35000);
  check(unsigned{}, 4 * half - 70000, 4 * half);
  check(std::size_t{}, 4 * half - 5, 4 * half + 70000);
  check(tandem::index_t{}, -35000, 35000);
}

TEST_CASE("openmp: the same bits for every number of threads, more than cores too") {
  const auto values = random_values<float>(large_size, 1);
  const float wanted = sum_of(tandem::openmp(1), values);
  for (const int threads : {2, 3, 5, 8, 17, 33})
    CHECK(same_bits(sum_of(tandem::openmp(threads), values), wanted));
}

TEST_CASE("openmp: inside a caller's own parallel region") {
  const auto values = random_values<float>(300000, 2);
  const float wanted = sum_of(tandem::openmp(1), values);
  int right = 0;
#pragma omp parallel num_threads(3) reduction(+ : right)
  right += same_bits(sum_of(tandem::openmp(2), values), wanted) ? 1 : 100;
  CHECK(right == 3);
}

TEST_CASE("openmp: from several host threads at once") {
  const auto values = random_values<float>(300000, 3);
  const float wanted = sum_of(tandem::openmp(1), values);
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const tandem::openmp space(2);
      for (int round = 0; round < 5; ++round)
        right[t] += same_bits(sum_of(space, values), wanted) ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 5));
}
