// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// Counts how many times each index is visited; the thread that takes the first one is delayed.
struct counted {
  unsigned char* met;

  void operator()(index_t i) const {
    if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    __atomic_fetch_add(&met[i], 1, __ATOMIC_RELAXED);
  }
};

index_t not_met_once(const std::vector<unsigned char>& met) {
  index_t wrong = 0;
  for (const unsigned char times : met) wrong += times != 1;
  return wrong;
}

constexpr index_t helped = tandem::openmp_impl::stealing_indices;

}  // namespace

TEST_CASE("openmp work stealing: pieces are disjoint, at most a grain, and cover the range") {
  for (const int threads : {1, 2, 5}) {
    for (const index_t n : {0, 1, 4, 5, 1000, 1001}) {
      for (const index_t piece : {1, 7, 5000}) {
        std::vector<unsigned char> met(static_cast<std::size_t>(n));
        unsigned char* const at = met.data();
        std::atomic<int> too_large{0};
        const index_t first = n / 3;
        tandem::openmp_impl::run_stealing(threads, first, n, piece,
                                          [&](index_t begin, index_t end) {
                                            too_large += begin >= end || end - begin > piece;
                                            for (index_t i = begin; i < end; ++i)
                                              __atomic_fetch_add(&at[i], 1, __ATOMIC_RELAXED);
                                          });
        for (index_t i = 0; i < first; ++i) met[static_cast<std::size_t>(i)] += 1;
        CAPTURE(threads);
        CAPTURE(n);
        CAPTURE(piece);
        CHECK(too_large == 0);
        CHECK(not_met_once(met) == 0);
      }
    }
  }
}

TEST_CASE("openmp work stealing: more threads than the stack has queues for have queues, too") {
  using namespace tandem::openmp_impl;
  for (const int threads : {1, 64, 65, 1000}) {
    CAPTURE(threads);
    const work_queues queues(threads);
    REQUIRE(queues.threads() == threads);
    const auto* const object = reinterpret_cast<const unsigned char*>(&queues);
    const auto* const first = reinterpret_cast<const unsigned char*>(queues.data());
    CHECK((first >= object && first < object + sizeof queues) == (threads <= 64));
    fill_queues(queues.data(), threads, 0, 10 * index_t{threads}, 1);
    for (int t = 0; t < threads; ++t) {
      CHECK(queues.data()[t].next == 10 * t);
      CHECK(queues.data()[t].end == 10 * t + 10);
    }
  }
}

TEST_CASE(
    "openmp work stealing: the share of a thread that is held up is stolen, each index once") {
  for (const int threads : {2, 3, 7}) {
    const tandem::openmp space(threads);
    for (const index_t n : {helped - 1, helped, helped + 1, 3 * helped + 7}) {
      std::vector<unsigned char> met(static_cast<std::size_t>(n));
      tandem::parallel_for(space, n, counted{met.data()});
      CHECK(not_met_once(met) == 0);
    }
  }
}

TEST_CASE("openmp work stealing: a short loop's share is stolen where its pieces take long") {
  constexpr int threads = 4;
  constexpr index_t share = tandem::openmp_impl::adaptive_indices;  // if a loop forks at once
  const tandem::openmp space(threads);
  for (const index_t slow_from : {index_t{0}, share / 2}) {
    std::vector<int> thread_of(static_cast<std::size_t>(threads * share), -1);
    int* const at = thread_of.data();
    tandem::parallel_for(space, threads * share, [=](index_t i) {
      if (i % share == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (i < share && i >= slow_from && i % 256 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      at[i] = omp_get_thread_num();
    });
    const auto first = thread_of.begin();
    CHECK(std::count(first, thread_of.end(), -1) == 0);
    // A thread that is to wait passively has left when the rest is offered.
    if (!tandem::openmp_impl::waits_passively()) CHECK(std::count(first, first + share, 0) < share);
    CHECK(std::count(first, first + share, 0) > 0);
  }
}

TEST_CASE("openmp work stealing: short loops of any length and cost meet each index once") {
  for (const int threads : {2, 3, 8, 300}) {
    const tandem::openmp space(threads);
    for (const index_t n : {2, 17, 1000, 100'003}) {
      for (const index_t slow : {index_t{0}, n / 2, n - 1}) {
        std::vector<unsigned char> met(static_cast<std::size_t>(n));
        unsigned char* const at = met.data();
        tandem::parallel_for(space, n, [=](index_t i) {
          if (i >= slow && i < slow + 5) std::this_thread::sleep_for(std::chrono::microseconds(50));
          __atomic_fetch_add(&at[i], 1, __ATOMIC_RELAXED);
        });
        CHECK(not_met_once(met) == 0);
      }
    }
  }
}

TEST_CASE("openmp work stealing: planes and volumes in pieces that cut rows") {
  const tandem::openmp space(3);
  const index_t rows = 2803;
  const index_t columns = 769;
  REQUIRE(index_t{47} * 59 * columns >= helped);
  std::vector<unsigned char> met(static_cast<std::size_t>(rows * columns));
  const counted count{met.data()};
  tandem::parallel_for(space, tandem::grid(rows, columns),
                       [=](index_t j, index_t i) { count(j * columns + i); });
  CHECK(not_met_once(met) == 0);
  met.assign(static_cast<std::size_t>(47 * 59 * columns), 0);
  tandem::parallel_for(space, tandem::grid(index_t{47}, index_t{59}, columns),
                       [=](index_t k, index_t j, index_t i) { count((k * 59 + j) * columns + i); });
  CHECK(not_met_once(met) == 0);
}

TEST_CASE("openmp work stealing: what a function throws in a stolen piece reaches the caller") {
  const tandem::openmp space(4);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, 400,
                                            [](index_t i) {
                                              std::this_thread::sleep_for(
                                                  std::chrono::microseconds(i < 100 ? 100 : 1));
                                              if (i == 99) throw std::runtime_error("bad element");
                                            }),
                       "bad element", std::runtime_error);
}

TEST_CASE("openmp work stealing: what a function throws in a long loop reaches the caller") {
  const tandem::openmp space(4);
  for (const index_t at : {index_t{0}, helped, 2 * helped - 1}) {
    const auto bad = [=](index_t i) {
      if (i == at) throw std::runtime_error("bad element");
    };
    CHECK_THROWS_WITH_AS(tandem::parallel_for(space, 2 * helped, bad), "bad element",
                         std::runtime_error);
  }
  std::vector<unsigned char> met(static_cast<std::size_t>(2 * helped));
  tandem::parallel_for(space, 2 * helped, counted{met.data()});
  CHECK(not_met_once(met) == 0);
}

TEST_CASE("openmp work stealing: copies and fills in pieces of many bytes, off every boundary") {
  const tandem::openmp space(3);
  const auto values = random_values<std::uint8_t>(6'000'000, 5);
  for (const std::size_t first : {0u, 1u, 63u}) {
    for (const std::size_t count : {2'097'151u, 2'097'152u, 5'000'003u}) {
      std::vector<std::uint8_t> to(count + 2 * first, std::uint8_t{77});
      const auto part = [first, count](auto* data) {
        return tandem::as_view<tandem::host_memory>(data + first, static_cast<index_t>(count));
      };
      tandem::copy(space, part(values.data()), part(to.data()));
      std::vector<std::uint8_t> wanted(to.size(), std::uint8_t{77});
      for (std::size_t i = 0; i < count; ++i) wanted[first + i] = values[first + i];
      CHECK((to == wanted));
      tandem::fill(space, part(to.data()), std::uint8_t{9});
      for (std::size_t i = 0; i < count; ++i) wanted[first + i] = 9;
      CHECK((to == wanted));
    }
  }
}
