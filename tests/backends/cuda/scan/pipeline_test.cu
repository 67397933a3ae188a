// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Totals that the scans of one stream leave in its persistent memory and that later scans must not
// use.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/non_commutative.hpp"

#include <cstdint>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/runtime/device_context.cuh>

using namespace tandem::test;

namespace {

using tandem::index_t;
using tandem::cuda_impl::persistent_buffer;

/// Number of cells in persistent memory without totals; the first counts the stream's scans in its
/// upper half.
constexpr std::size_t head = 32;

std::vector<std::uint64_t> read_cells(const tandem::cuda& space) {
  const persistent_buffer memory = tandem::cuda_impl::persistent_memory(space, 1);
  std::vector<std::uint64_t> cells(memory.bytes / sizeof(std::uint64_t));
  space.fence();
  REQUIRE(cudaMemcpy(cells.data(), memory.data, memory.bytes, cudaMemcpyDefault) == cudaSuccess);
  return cells;
}

/// Waits for the default stream. Spaces' streams do not: small copies to a device and memsets may
/// still be in flight when they return.
void await_default_stream() { REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess); }

/// Clears every total, as 2^32 scans do.
void clear_cells(const tandem::cuda& space) {
  const persistent_buffer memory = tandem::cuda_impl::persistent_memory(space, 1);
  space.fence();
  REQUIRE(cudaMemset(memory.data, 0, memory.bytes) == cudaSuccess);
  await_default_stream();
}

void write_cell(const tandem::cuda& space, std::size_t i, std::uint64_t cell) {
  const persistent_buffer memory = tandem::cuda_impl::persistent_memory(space, 1);
  space.fence();
  REQUIRE(cudaMemcpy(static_cast<std::uint64_t*>(memory.data) + i, &cell, sizeof cell,
                     cudaMemcpyDefault) == cudaSuccess);
  await_default_stream();
}

/// Scans n values on this space and on serial.
template <class T>
void check_scan(const tandem::cuda& space, std::size_t n, std::uint64_t seed) {
  CAPTURE(n);
  const tandem::serial reference;
  auto x = to_space(space, random_values<T>(n, seed));
  auto r = to_space(reference, random_values<T>(n, seed));
  tandem::parallel_scan(space, x.const_view(), x.view(), tandem::sum<T>{});
  tandem::parallel_scan(reference, r.const_view(), r.view(), tandem::sum<T>{});
  CHECK(first_difference(to_host(space, x), to_host(reference, r)) == -1);
}

}  // namespace

TEST_CASE("cuda: scans of different sizes and types in one stream keep their totals apart") {
  const tandem::cuda space(0);
  for (std::uint64_t round = 0; round < 3; ++round) {
    check_scan<float>(space, 4097, round);
    check_scan<double>(space, 3'500'001, round);
    check_scan<std::uint8_t>(space, 2'500'000, round);
    check_scan<std::int64_t>(space, 2'200'000, round);
    check_scan<float>(space, 131'073, round);
    check_scan<std::int16_t>(space, 5'000'011, round);
    check_scan<int>(space, 3, round);
    check_scan<float>(space, 4'400'001, round);
  }
}

TEST_CASE("cuda: a scan is right when the epochs start over") {
  const tandem::cuda space(0);
  check_scan<float>(space, 5000, 1);
  clear_cells(space);
  write_cell(space, 0, std::uint64_t{0xfffffffcu} << 32);
  for (std::uint64_t round = 0; round < 4; ++round) {
    check_scan<float>(space, 70'000, round);
    check_scan<double>(space, 3'300'000, round);
  }
  // 0xfffffffc, d, e are followed by 0, 1, ..
  CHECK(read_cells(space)[0] == std::uint64_t{5} << 32);
}

TEST_CASE("cuda: each scan clears one stale total, another one each time") {
  const tandem::cuda space(0);
  check_scan<float>(space, 5000, 1);
  std::vector<std::uint64_t> before = read_cells(space);
  const std::size_t count = before.size() - head;
  const std::uint64_t number = count - 2;  // number of the next scan, which publishes under number
                                           // + 1
  write_cell(space, 0, number << 32);
  constexpr std::uint64_t old = std::uint64_t{0xabcdefu} << 32 | 17;
  write_cell(space, head + count - 1, old);
  write_cell(space, head + count - 2, old);
  check_scan<float>(space, 5000, 2);
  CHECK(read_cells(space)[head + count - 1] == 0);
  CHECK(read_cells(space)[head + count - 2] == old);
}

TEST_CASE("cuda: scans of elements of every size have the bits of serial") {
  const tandem::cuda space(0);
  const tandem::serial reference;
  const tandem::reduction operation{compose{}, affine{1.0f, -0.0f}};
  for (const index_t n : {index_t{4095}, index_t{140'000}, index_t{2'300'001}}) {
    CAPTURE(n);
    const auto values = random_values<float>(static_cast<std::size_t>(n), 5);
    auto x = to_space(space, values);
    auto r = to_space(reference, values);
    const auto v = x.const_view();
    const auto w = r.const_view();
    tandem::array<affine, 1, tandem::cuda> y(tandem::extents<1>(n), space);
    tandem::array<affine, 1, tandem::serial> wanted(tandem::extents<1>(n), reference);
    const auto on_device = TANDEM_LAMBDA(index_t i) { return affine{0.5f, v(i)}; };
    const auto on_host = TANDEM_LAMBDA(index_t i) { return affine{0.5f, w(i)}; };
    tandem::parallel_scan(space, n, on_device, y.view(), operation);
    tandem::parallel_scan(reference, n, on_host, wanted.view(), operation);
    const auto got = to_host(space, y);
    const auto right = to_host(reference, wanted);
    index_t different = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      different += !same_bits(got[i].a, right[i].a) || !same_bits(got[i].b, right[i].b);
    CHECK(different == 0);
  }
}

TEST_CASE("cuda: a scan of 2^22 elements at addresses that are no multiples of 16") {
  const tandem::cuda space(0);
  const tandem::serial reference;
  const std::size_t n = (std::size_t{1} << 22) + 9;
  auto x = to_space(space, random_values<float>(n, 6));
  auto r = to_space(reference, random_values<float>(n, 6));
  auto y = to_space(space, std::vector<float>(n + 3, 7.0f));
  const auto from = [&](const auto& view, index_t i) {
    return tandem::subview(view, tandem::slice{i, static_cast<index_t>(n - 1) + i});
  };
  tandem::parallel_scan(space, from(x.const_view(), 1), from(y.view(), 3));
  const auto wanted = from(r.view(), 1);
  tandem::parallel_scan(reference, from(r.const_view(), 1), wanted);
  CHECK(first_difference(to_host(space, from(y.view(), 3)), to_host(reference, wanted)) == -1);
  CHECK(to_host(space, y)[2] == 7.0f);
  CHECK(to_host(space, y)[n + 2] == 7.0f);
}
