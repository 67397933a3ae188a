// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large copies of ordinary host memory, which go through a ring of page-locked buffers.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <tandem/backends/cuda/memory/policy.hpp>
#include <tandem/backends/cuda/memory/staging_ring.hpp>

#include <cstdint>
#include <thread>
#include <vector>

using namespace tandem::test;
using tandem::cuda_impl::pageable_staging;

namespace {

using bytes = std::vector<std::uint8_t>;
using device_bytes = tandem::array<std::uint8_t, 1, tandem::cuda>;

/// Keeps its stream busy for about 10 ms.
__global__ void hold_stream() {
  const long long start = clock64();
  while (clock64() - start < 20'000'000) {
  }
}

/// Sends values to the device and back; returns whether they arrived unchanged.
bool returns(const tandem::cuda& space, const bytes& values) {
  device_bytes x(tandem::extents<1>(static_cast<tandem::index_t>(values.size())), space);
  bytes back(values.size(), 0);
  tandem::copy(space, values, x);
  tandem::copy(space, x, back);
  space.fence();
  return back == values;
}

}  // namespace

TEST_CASE("cuda: copies of ordinary memory of every size about the ring's arrive whole") {
  const tandem::cuda space(0);
  const std::size_t ring = pageable_staging.buffer_bytes * pageable_staging.buffers;
  for (const std::size_t whole :
       {pageable_staging.least_bytes, pageable_staging.least_bytes + pageable_staging.buffer_bytes,
        ring, ring + pageable_staging.buffer_bytes, 5 * ring}) {
    for (const std::size_t size : {whole - 1, whole, whole + 1}) {
      INFO("bytes " << size);
      CHECK(returns(space, random_values<std::uint8_t>(size, size)));
    }
  }
}

TEST_CASE("cuda: rows of ordinary memory that are apart arrive whole, and nothing between them") {
  const tandem::cuda space(0);
  using tandem::index_t;
  for (const index_t width : {512, 1000, 4096, 100003, 3000001}) {
    const index_t rows = static_cast<index_t>(3 * pageable_staging.least_bytes) / width + 1;
    const tandem::extents<2> whole(rows, width + 37);
    bytes values = random_values<std::uint8_t>(static_cast<std::size_t>(whole.size()), 1);
    const bytes before = values;
    const tandem::view<std::uint8_t, 2, tandem::layout_right, tandem::host_memory> all(
        values.data(), whole);
    const auto part = tandem::subview(all, tandem::all, tandem::slice{11, 11 + width});
    tandem::array<std::uint8_t, 2, tandem::cuda> x({rows, width}, space);
    tandem::copy(space, part, x);
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < width; ++j) part(i, j) = 0;
    tandem::copy(space, x, part);
    space.fence();
    INFO("bytes of a row " << width);
    CHECK(values == before);
    tandem::fill(space, x, std::uint8_t{7});
    tandem::copy(space, x, part);
    space.fence();
    index_t wrong = 0;
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < width + 37; ++j) {
        const bool inside = j >= 11 && j < 11 + width;
        const auto at = static_cast<std::size_t>(i * (width + 37) + j);
        wrong += values[at] != (inside ? 7 : before[at]) ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("cuda: ordinary memory may be overwritten once a large copy of it has returned") {
  const tandem::cuda space(0);
  const std::size_t size = 3 * pageable_staging.buffer_bytes * pageable_staging.buffers + 77;
  const bytes first = random_values<std::uint8_t>(size, 1);
  bytes source = first;
  device_bytes x(tandem::extents<1>(static_cast<tandem::index_t>(size)), space);
  tandem::copy(space, source, x);
  source.assign(size, 0);
  CHECK(to_host(space, x) == first);
}

TEST_CASE("cuda: large copies keep the stream's order with kernels before and after") {
  const tandem::cuda space(0);
  const std::size_t size = 2 * pageable_staging.least_bytes + 5;
  const bytes values(size, 3);
  device_bytes x(tandem::extents<1>(static_cast<tandem::index_t>(size)), std::uint8_t{9}, space);
  const auto xv = x.view();
  const auto add = [&] {
    tandem::parallel_for(
        space, static_cast<int>(size),
        TANDEM_LAMBDA(int i) { xv(i) = static_cast<std::uint8_t>(xv(i) + 1); });
  };
  bytes before(size);
  bytes after(size);
  add();
  tandem::copy(space, x, before);
  tandem::copy(space, values, x);
  add();
  tandem::copy(space, x, after);
  space.fence();
  CHECK(before == bytes(size, 10));
  CHECK(after == bytes(size, 4));
}

TEST_CASE("cuda: a large copy leaves the buffers that one on another stream still reads") {
  const tandem::cuda busy(0);
  const tandem::cuda other(0);
  const bytes sent = random_values<std::uint8_t>(pageable_staging.least_bytes, 1);
  const bytes received =  // uses all buffers
      random_values<std::uint8_t>(pageable_staging.buffer_bytes * pageable_staging.buffers, 2);
  device_bytes x(tandem::extents<1>(static_cast<tandem::index_t>(sent.size())), busy);
  device_bytes y(tandem::extents<1>(static_cast<tandem::index_t>(received.size())), other);
  tandem::copy(other, received, y);
  busy.fence();
  other.fence();

  hold_stream<<<1, 1, 0, busy.native_stream()>>>();
  tandem::copy(busy, sent, x);  // returns while its copies wait for the kernel
  bytes back(received.size(), 0);
  tandem::copy(other, y, back);
  CHECK(back == received);
  CHECK(to_host(busy, x) == sent);
}

TEST_CASE("cuda: host threads copy ordinary memory on streams of their own at the same time") {
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const tandem::cuda space(0);
      const bytes values =
          random_values<std::uint8_t>(3 * pageable_staging.least_bytes + 11 * t, t);
      for (int round = 0; round < 4; ++round) right[t] += returns(space, values) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(right.size(), 4));
}

TEST_CASE("cuda: only large, ordinary memory goes through the ring") {
  const tandem::cuda space(0);
  bytes ordinary(2 * pageable_staging.least_bytes);
  CHECK(tandem::cuda_impl::is_staged(space, ordinary.data(), ordinary.size()));
  CHECK_FALSE(
      tandem::cuda_impl::is_staged(space, ordinary.data(), pageable_staging.least_bytes - 1));
  tandem::array<std::uint8_t, 1, tandem::cuda_pinned> pinned(
      tandem::extents<1>(static_cast<tandem::index_t>(ordinary.size())));
  CHECK_FALSE(tandem::cuda_impl::is_staged(space, pinned.data_handle(), ordinary.size()));
  REQUIRE(cudaHostRegister(ordinary.data(), ordinary.size(), cudaHostRegisterDefault) ==
          cudaSuccess);
  CHECK_FALSE(tandem::cuda_impl::is_staged(space, ordinary.data(), ordinary.size()));
  CHECK(returns(space, ordinary));
  CHECK(cudaHostUnregister(ordinary.data()) == cudaSuccess);
}

TEST_CASE("cuda: strided ordinary memory crosses in both directions when it is large") {
  const tandem::cuda space(0);
  const auto rows = static_cast<tandem::index_t>(2 * pageable_staging.least_bytes / 64);
  const bytes values = random_values<std::uint8_t>(static_cast<std::size_t>(rows) * 64, 8);
  const tandem::view<const std::uint8_t, 2, tandem::layout_right, tandem::host_memory> source(
      values.data(), {rows, tandem::index_t{64}});
  bytes back(values.size(), 0);
  const tandem::view<std::uint8_t, 2, tandem::layout_right, tandem::host_memory> target(
      back.data(), {rows, tandem::index_t{64}});
  tandem::array<std::uint8_t, 2, tandem::cuda> x(tandem::extents<2>(tandem::index_t{64}, rows),
                                                 space);
  tandem::copy(space, tandem::transposed(source), x);
  tandem::copy(space, x, tandem::transposed(target));
  space.fence();
  CHECK(back == values);
}
