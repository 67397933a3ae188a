// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that several host threads, or the threads of a caller's parallel region, call at once
// do not disturb each other: all return the results of a call alone.

#include <doctest/doctest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/data.hpp"

#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr index_t count = 300007;

template <class T, int Rank = 1>
using array = tandem::array<T, Rank, tandem::openmp>;

template <class T>
array<T> filled(const tandem::openmp& space, const std::vector<T>& values) {
  array<T> x(tandem::extents<1>(values.size()), space);
  tandem::copy(space, values, x);
  return x;
}

/// Runs every operation on the same random values; keeps one number for the bits of each result.
class everything {
 public:
  explicit everything(const tandem::openmp& space) : space_(space) {
    vectors();
    counts();
    products();
  }
  bool operator==(const everything& other) const { return hashes_ == other.hashes_; }

 private:
  void vectors() {
    const auto x = filled(space_, random_values<float>(count, 1));
    array<float> y(tandem::extents<1>(count), space_);
    tandem::parallel_scan(space_, x.const_view(), y.view());
    keep(y.const_view());
    tandem::transform(space_, x.const_view(), y.view(), [](float v) { return 3 * v; });
    keep(y.const_view());
    tandem::sort(space_, y.view());
    keep(y.const_view());
    tandem::fill(space_, y, 0.0f);
    tandem::copy_if(space_, x.const_view(), y.view(), [](float v) { return v > 0; });
    keep(y.const_view());
    hashes_.push_back(std::bit_cast<std::uint32_t>(tandem::dot(space_, x.view(), x.view())));
  }

  void counts() {
    const auto x = filled(space_, random_values<float>(count, 2));
    const auto k = filled(space_, random_below<int>(count, 5000, 3));
    array<int> bins(tandem::extents<1>(5000), space_);
    array<float> sums(tandem::extents<1>(100), space_);
    tandem::histogram(space_, k.const_view(), bins.view());
    keep(bins.const_view());
    tandem::histogram(space_, x.const_view(), {.lo = -4.0f, .hi = 4.0f}, x.const_view(),
                      sums.view());
    keep(sums.const_view());
  }

  void products() {
    const auto x = filled(space_, random_values<float>(200 * 200, 4));
    const auto bytes = filled(space_, random_values<std::int8_t>(200 * 200, 5));
    const auto matrix = [](const auto& v) {
      return tandem::as_view<tandem::host_memory>(v.data_handle(), 200, 200);
    };
    array<float> c(tandem::extents<1>(200 * 200), space_);
    array<std::int32_t> d(tandem::extents<1>(200 * 200), space_);
    tandem::matmul(space_, matrix(x), matrix(x), matrix(c.view()));
    keep(c.const_view());
    tandem::matmul(space_, matrix(bytes), matrix(bytes), matrix(d.view()));
    keep(d.const_view());
    array<float> sums(tandem::extents<1>(200), space_);
    for (const int along : {0, 1}) {
      tandem::parallel_reduce_into(space_, matrix(x), tandem::axis{along}, tandem::sum<float>{},
                                   sums.view());
      keep(sums.const_view());
    }
  }

  template <class View>
  void keep(const View& v) {
    std::uint64_t hash = 0;
    for (index_t i = 0; i < v.size(); ++i) hash = mix(hash ^ std::bit_cast<std::uint32_t>(v(i)));
    hashes_.push_back(hash);
  }

  tandem::openmp space_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

TEST_CASE("openmp side by side: operations of several host threads") {
  const everything wanted(tandem::openmp(1));
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const tandem::openmp space(static_cast<int>(t % 3) + 1);
      for (int round = 0; round < 3; ++round) right[t] += everything(space) == wanted ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 3));
}

TEST_CASE("openmp side by side: operations of the threads of a parallel region") {
  const everything wanted(tandem::openmp(1));
  std::atomic<int> right{0};
  std::atomic<int> team{0};
#pragma omp parallel num_threads(3)
  {
    ++team;
    if (everything(tandem::openmp(2)) == wanted) ++right;
  }
  CHECK(right == team);
}

TEST_CASE("openmp side by side: operations inside a loop of the same space") {
  const everything wanted(tandem::openmp(1));
  const tandem::openmp space(3);
  std::atomic<int> right{0};
  tandem::parallel_for(space, 6, [&](int) {
    if (everything(space) == wanted) ++right;
  });
  CHECK(right == 6);
}

TEST_CASE("openmp side by side: a call that does not end holds up no other host thread") {
  using clock = std::chrono::steady_clock;
  const everything wanted(tandem::openmp(1));
  std::atomic<bool> has_begun{false};
  std::atomic<bool> is_done{false};
  std::atomic<bool> has_waited_in_vain{false};
  std::thread blocker([&] {
    tandem::parallel_for(tandem::openmp(2), 1 << 16, [&](int i) {
      if (i != 0) return;
      has_begun = true;
      const auto last = clock::now() + std::chrono::seconds(60);
      while (!is_done && clock::now() < last) std::this_thread::yield();
      has_waited_in_vain = !is_done;
    });
  });
  while (!has_begun) std::this_thread::yield();
  CHECK((everything(tandem::openmp(2)) == wanted));
  is_done = true;
  blocker.join();
  CHECK_FALSE(has_waited_in_vain);
}

TEST_CASE("openmp side by side: each host thread gets what its own function threw") {
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const tandem::openmp space(2);
      for (int round = 0; round < 20; ++round) {
        try {
          tandem::parallel_for(space, 100000, [t](int i) {
            if (i == 77777) throw t;
          });
        } catch (const std::size_t& thrown) {
          right[t] += thrown == t ? 1 : 0;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 20));
}
