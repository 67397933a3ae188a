// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that only a GPU can report. After each of them the stream remains usable.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <string>

#include <cuda_runtime_api.h>

using namespace tandem::test;
using tandem::index_t;

namespace {

void check_works(const tandem::cuda& space) {
  tandem::array<int, 1, tandem::cuda> x(tandem::extents<1>(1000), 1, space);
  auto v = x.view();
  tandem::parallel_for(
      space, 1000, TANDEM_LAMBDA(int i) { v(i) += i; });
  CHECK(tandem::parallel_reduce(space, x.const_view()) == 1000 + 499500);
}

std::string message_of(void (*provoke)()) {
  try {
    provoke();
  } catch (const tandem::error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("cuda: devices are listed with their limits") {
  const auto devices = tandem::cuda::devices();
  REQUIRE(!devices.empty());
  for (const auto& device : devices) {
    CHECK(!device.name.empty());
    CHECK(device.compute_capability >= 75);
    CHECK(device.total_memory >= device.free_memory);
    CHECK(device.free_memory > 0);
    CHECK(device.multiprocessors > 0);
    CHECK(device.block_threads >= 1024);
    CHECK(device.block_shared >= 48 * 1024);
  }
}

TEST_CASE("cuda: an error of an earlier call of the program is not an operation's") {
  const tandem::cuda space(0);
  auto keys = to_space(space, random_values<float>(100'000, 1));
  auto values = to_space(space, random_values<int>(100'000, 2));
  const auto after_an_error = [&](const auto& operation) {
    REQUIRE(cudaSetDevice(1000) == cudaErrorInvalidDevice);
    CHECK_NOTHROW(operation());
    CHECK_NOTHROW(space.fence());
  };
  after_an_error([&] { tandem::sort(space, keys); });
  after_an_error([&] { tandem::sort_by_key(space, keys, values); });
  after_an_error([&] { tandem::parallel_scan(space, values, values); });
  after_an_error([&] { (void)tandem::parallel_reduce(space, keys); });
  // Enough integers for CUB's reduction.
  const tandem::array<int, 1, tandem::cuda> many({index_t{1} << 27}, 1, space);
  after_an_error([&] { CHECK(tandem::parallel_reduce(space, many) == index_t{1} << 27); });
  after_an_error([&] { check_works(space); });
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("cuda: a device that does not exist is refused") {
  CHECK_THROWS_AS(tandem::cuda(1000), tandem::no_device_error);
  CHECK_THROWS_AS(tandem::cuda(-1), tandem::no_device_error);
  check_works(tandem::cuda(0));
}

TEST_CASE("cuda: a block of 2048 threads is refused with both numbers") {
  const tandem::cuda space(0);
  const std::string message = message_of([] {
    const tandem::cuda stream(0);
    tandem::parallel_for(stream, tandem::range{0, 10}.with_block(2048), TANDEM_LAMBDA(int){});
  });
  CHECK(message.find("parallel_for: block of 2048 threads > 1024") != std::string::npos);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::grid{64, 64}.with_block(64, 32),
                                       TANDEM_LAMBDA(int, int){}),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::parallel_teams(space, {1, 2048, 0}, TANDEM_LAMBDA(tandem::team&){}),
                  tandem::argument_error);
  check_works(space);
}

TEST_CASE("cuda: more shared memory than a block may have is refused with both numbers") {
  const tandem::cuda space(0);
  const std::size_t limit = tandem::cuda::devices()[0].block_shared;
  const auto nothing = TANDEM_LAMBDA(tandem::team&){};
  try {
    tandem::parallel_teams(space, {1, 32, limit + 1}, nothing);
    FAIL("launched");
  } catch (const tandem::argument_error& e) {
    const std::string message = e.what();
    CHECK(message.find(std::to_string(limit + 1)) != std::string::npos);
    CHECK(message.find(std::to_string(limit)) != std::string::npos);
  }
  tandem::parallel_teams(space, {1, 32, limit}, nothing);
  space.fence();
  check_works(space);
}

TEST_CASE("cuda: host memory handed to the GPU is refused") {
  const tandem::cuda space(0);
  std::vector<float> values(100, 1.0f);
  const auto wrong = tandem::as_view<tandem::device_memory>(values.data(), 100);
  CHECK_THROWS_AS(tandem::parallel_reduce(space, wrong), tandem::argument_error);
  tandem::array<float, 0, tandem::cuda> total(tandem::extents<0>{}, 0.0f, space);
  CHECK_THROWS_AS(tandem::parallel_reduce_into(space, wrong, tandem::sum<float>{}, total.view()),
                  tandem::argument_error);
  tandem::array<int, 1, tandem::cuda> counts(tandem::extents<1>(10), 4, space);
  CHECK_THROWS_AS(tandem::histogram(space, wrong, {.lo = 0.0f, .hi = 1.0f}, counts.view()),
                  tandem::argument_error);
  tandem::array<float, 2, tandem::cuda> a(tandem::extents<2>(10, 10), 1.0f, space);
  const auto matrix = tandem::as_view<tandem::device_memory>(values.data(), 10, 10);
  CHECK_THROWS_AS(tandem::matmul(space, matrix, a.view(), a.view()), tandem::argument_error);
  tandem::array<float, 2, tandem::cuda> c(tandem::extents<2>(10, 10), 1.0f, space);
  const auto bias = tandem::bias(tandem::subview(wrong, tandem::slice{0, 10}));
  CHECK_THROWS_AS(tandem::matmul(space, a.view(), a.view(), c.view(), {.epilogue = bias}),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::parallel_scan(space, wrong, wrong), tandem::argument_error);
  CHECK_THROWS_AS(tandem::fill(space, wrong, 1.0f), tandem::argument_error);
  CHECK(to_host(space, counts) == std::vector<int>(10, 4));
  check_works(space);
}

TEST_CASE("cuda: out of memory says what was requested and what was free") {
  const tandem::cuda space(0);
  const auto device = tandem::cuda::devices()[0];
  const auto asked = static_cast<tandem::index_t>(device.total_memory) * 2;
  using bytes = tandem::array<char, 1, tandem::cuda>;
  try {
    const bytes x(tandem::extents<1>(asked), space);
    FAIL("allocated");
  } catch (const tandem::out_of_memory_error& e) {
    CHECK(e.asked() == static_cast<std::size_t>(asked));
    CHECK(e.free() <= device.total_memory);
    CHECK(e.free() > 0);
  }
  check_works(space);
  // Allocates nearly all of the memory twice in succession: the pool must release what it holds.
  const auto most = static_cast<tandem::index_t>(device.free_memory / 10 * 6);
  { const bytes x(tandem::extents<1>(most), space); }
  { const bytes x(tandem::extents<1>(most + (1 << 20)), space); }
  check_works(space);
}

TEST_CASE("cuda: work goes to the device of its space, whatever device is current") {
  if (tandem::cuda::devices().size() < 2) {
    MESSAGE("skipped: this machine has one device");
    return;
  }
  const tandem::cuda first(0);
  const tandem::cuda second(1);
  for (int current = 0; current < 2; ++current) {
    REQUIRE(cudaSetDevice(current) == cudaSuccess);
    check_works(first);
    check_works(second);
    int now = -1;
    REQUIRE(cudaGetDevice(&now) == cudaSuccess);
    CHECK(now == current);
  }
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
}

TEST_CASE("cuda: pinned arrays are filled, copied both ways and reused") {
  const tandem::cuda space(0);
  using pinned = tandem::array<int, 2, tandem::cuda_pinned>;
  pinned staging(tandem::extents<2>(30, 50), 7);
  staging(3, 4) = 100;
  tandem::array<int, 2, tandem::cuda> x(tandem::extents<2>(30, 50), space);
  tandem::copy(space, staging, x);
  auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{30, 50}, TANDEM_LAMBDA(int j, int i) { v(j, i) += 1; });
  tandem::copy(space, x, staging);
  space.fence();
  CHECK(staging(3, 4) == 101);
  CHECK(staging(29, 49) == 8);
  const int* const used = staging.data_handle();
  staging = pinned();
  const pinned again(tandem::extents<2>(29, 50), 0);
  CHECK(again.data_handle() == used);
  CHECK_THROWS_AS(pinned(tandem::extents<2>(1 << 24, 1 << 24)), tandem::out_of_memory_error);
  check_works(space);
}

TEST_CASE("cuda: concurrent streams have scratch of their own") {
  std::vector<tandem::cuda> streams;
  std::vector<tandem::array<float, 1, tandem::cuda>> inputs;
  std::vector<tandem::array<float, 0, tandem::cuda>> results;
  const auto values = random_values<float>(large_size, 1);
  for (int s = 0; s < 8; ++s) {
    streams.emplace_back(0);
    inputs.push_back(to_space(streams.back(), values));
    results.emplace_back(tandem::extents<0>{}, 0.0f, streams.back());
  }
  for (int round = 0; round < 20; ++round) {
    for (std::size_t s = 0; s < streams.size(); ++s) {
      tandem::parallel_reduce_into(streams[s], inputs[s].const_view(), tandem::sum<float>{},
                                   results[s].view());
    }
  }
  const float wanted = tandem::parallel_reduce(streams[0], inputs[0].const_view());
  for (std::size_t s = 0; s < streams.size(); ++s)
    CHECK(same_bits(to_host(streams[s], results[s])[0], wanted));
}

TEST_CASE("cuda: a call repeated a hundred times returns the same bits") {
  const tandem::cuda space(0);
  auto x = to_space(space, random_values<float>(large_size, 2));
  const float wanted = tandem::parallel_reduce(space, x.const_view());
  tandem::array<float, 1, tandem::cuda> y(tandem::extents<1>(large_size), space);
  tandem::parallel_scan(space, x.const_view(), y.view());
  const auto scanned = to_host(space, y);
  for (int round = 0; round < 100; ++round)
    CHECK(same_bits(tandem::parallel_reduce(space, x.const_view()), wanted));
  for (int round = 0; round < 20; ++round) {
    tandem::parallel_scan(space, x.const_view(), y.view());
    CHECK(first_difference(to_host(space, y), scanned) == -1);
  }
}
