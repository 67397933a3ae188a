// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

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
