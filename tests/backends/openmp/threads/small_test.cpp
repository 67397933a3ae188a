// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on few elements run on the calling thread: a fork would cost more than their work.
// Tested from outside: called by a host thread that has no workers yet, they start none. (Loops and
// the caller's functions, whose cost is unknown, are in loop_test.cpp.)

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/data.hpp"
#include "support/threads.hpp"

#include <omp.h>

#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr index_t count = index_t{1} << 12;

template <class T>
using array = tandem::array<T, 1, tandem::openmp>;

template <class T>
array<T> filled(const tandem::openmp& space) {
  array<T> x(tandem::extents<1>(count), space);
  tandem::copy(space, random_values<T>(static_cast<std::size_t>(count), 1), x);
  return x;
}

/// Counts the threads that f() has started by its end, on a separate host thread. (Identified by
/// thread id: threads of the previous call may still be ending.)
template <class Function>
index_t threads_started_by(const Function& f) {
  index_t started = 0;
  std::thread caller([&] {
    const std::set<std::string> before = thread_ids();
    f();
    for (const std::string& id : thread_ids()) started += !before.contains(id);
  });
  caller.join();
  return started;
}

template <class T>
void check_vectors(const tandem::openmp& space) {
  const auto x = filled<T>(space);
  auto y = filled<T>(space);
  CHECK(threads_started_by([&] { tandem::copy(space, x, y); }) == 0);
  CHECK(threads_started_by([&] { tandem::fill(space, y, T{3}); }) == 0);
  CHECK(threads_started_by([&] { tandem::parallel_reduce(space, x.const_view()); }) == 0);
  const auto extremes = [&] {
    tandem::parallel_reduce(space, x.const_view(), tandem::minmax<T>{});
    tandem::parallel_reduce(space, x.const_view(), tandem::minloc<T>{});
  };
  CHECK(threads_started_by(extremes) == 0);
  CHECK(threads_started_by([&] { tandem::parallel_scan(space, x.const_view(), y.view()); }) == 0);
  CHECK(threads_started_by([&] { tandem::sort(space, y.view()); }) == 0);
  CHECK(threads_started_by([&] { tandem::unique(space, x.const_view(), y.view()); }) == 0);
  const auto select = [&] {
    tandem::copy_if(space, x.const_view(), y.view(), [](T v) { return v > 0; });
  };
  CHECK(threads_started_by(select) == 0);
}

}  // namespace

TEST_CASE("openmp small: what reads or writes 2^12 elements starts no thread") {
  const tandem::openmp space(4);
  check_vectors<float>(space);
  check_vectors<double>(space);
  check_vectors<std::int32_t>(space);
  check_vectors<std::int64_t>(space);
}

TEST_CASE("openmp small: histograms of 2^12 elements start no thread") {
  const tandem::openmp space(4);
  const auto x = filled<float>(space);
  const auto k = filled<std::int32_t>(space);
  for (const index_t bins : {10, 256, 4096}) {
    array<std::int32_t> counts(tandem::extents<1>(bins), space);
    CAPTURE(bins);
    CHECK(threads_started_by([&] {
            tandem::histogram(space, x.const_view(), {.lo = -4.0f, .hi = 4.0f}, counts.view());
          }) == 0);
    CHECK(threads_started_by([&] { tandem::histogram(space, k.const_view(), counts.view()); }) ==
          0);
  }
}

TEST_CASE("openmp small: products of 16^3 start no thread") {
  const tandem::openmp space(4);
  const auto check = [&]<class T>(T) {
    const auto x = filled<T>(space);
    auto y = filled<T>(space);
    const auto a = tandem::as_view<tandem::host_memory>(x.data_handle(), 16, 16);
    const auto c = tandem::as_view<tandem::host_memory>(y.data_handle(), 16, 16);
    CHECK(threads_started_by([&] { tandem::matmul(space, a, a, c); }) == 0);
  };
  check(float{});
  check(double{});
}

// LLVM's runtime gives a new caller the workers of one that has ended.
#ifndef __clang__
TEST_CASE("openmp small: what reads 2^22 elements does start threads") {
  if (omp_get_thread_limit() < 4 || omp_get_dynamic() != 0) return;
  const std::vector<float> x(std::size_t{1} << 22, 1.0f);
  const auto v = tandem::as_view<tandem::host_memory>(x.data(), static_cast<index_t>(x.size()));
  CHECK(threads_started_by([&] { tandem::parallel_reduce(tandem::openmp(4), v); }) == 3);
}
#endif
