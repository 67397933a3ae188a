// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/scan/kernels/table.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::openmp_impl::scan_kernels;
using tandem::openmp_impl::scan_table;
using tandem::openmp_impl::tile_output;
using tandem::openmp_impl::usable_kernels;

namespace {

/// Scans at most one tile by the specification.
template <class T, class R>
std::vector<T> specified(const std::vector<T>& values, const R& reducer, const T* init) {
  const tandem::serial space;
  tandem::array<T, 1, tandem::serial> x(tandem::extents<1>(values.size()), space);
  tandem::array<T, 1, tandem::serial> y(tandem::extents<1>(values.size()), space);
  tandem::copy(space, values, x);
  if (init == nullptr) {
    tandem::parallel_scan(space, x.const_view(), y.view(), reducer);
  } else {
    tandem::parallel_scan(space, x.const_view(), y.view(), reducer, tandem::exclusive<T>{*init});
  }
  return {y.data_handle(), y.data_handle() + values.size()};
}

/// Totals at most a tile by the specification: segments, a Kogge-Stone row of 32 of them at a time,
/// and the left fold of the rows.
template <class T, class R>
T specified_total(const std::vector<T>& values, const R& reducer) {
  std::vector<T> row;
  std::vector<T> rows;
  for (std::size_t first = 0; first < values.size(); first += 16) {
    T folded = values[first];
    for (std::size_t i = first + 1; i < first + 16 && i < values.size(); ++i)
      folded = reducer.combine(folded, values[i]);
    row.push_back(folded);
    if (row.size() < 32 && first + 16 < values.size()) continue;
    for (std::size_t d = 1; d < row.size(); d *= 2) {
      for (std::size_t i = row.size() - 1; i >= d; --i)
        row[i] = reducer.combine(row[i - d], row[i]);
    }
    rows.push_back(row.back());
    row.clear();
  }
  T total = rows.front();
  for (std::size_t i = 1; i < rows.size(); ++i) total = reducer.combine(total, rows[i]);
  return total;
}

/// Scans a tile with one kernel: out of place, in place, and with non-temporal stores.
template <class T, class R>
void check_tile(const scan_kernels<T>& kernels, const R& reducer, const std::vector<T>& values,
                bool exclusive) {
  const auto count = static_cast<int>(values.size());
  const T init = static_cast<T>(3);
  const auto wanted = specified(values, reducer, exclusive ? &init : nullptr);
  const T total = specified_total(values, reducer);
  alignas(64) static T x[4096];
  alignas(64) static T y[4096 + 1];
  for (const int shift : {0, 1, -1}) {  // shift of y by an element; -1 is in place
    for (int i = 0; i < count; ++i) x[i] = values[static_cast<std::size_t>(i)];
    tile_output<T> out;
    out.x = x;
    out.y = shift < 0 ? x : y + shift;
    out.count = count;
    out.prefix = init;
    out.has_prefix = out.exclusive = exclusive;
    out.nontemporal = shift >= 0;
    CHECK(same_bits(kernels.total(x, count), total));
    CHECK(same_bits(kernels.write(out), total));
    CHECK(first_difference(std::vector<T>(out.y, out.y + count), wanted) == -1);
  }
}

template <class T>
void check_kernels(const scan_kernels<T>& sum, const scan_kernels<T>& minimum,
                   const scan_kernels<T>& maximum) {
  for (const int count : {1, 2, 15, 16, 17, 33, 255, 256, 257, 511, 512, 513, 769, 4095, 4096}) {
    INFO("count = " << count);
    const auto values = random_values<T>(static_cast<std::size_t>(count), 31);
    for (const bool exclusive : {false, true}) {
      check_tile(sum, tandem::sum<T>{}, values, exclusive);
      check_tile(minimum, tandem::minimum<T>{}, values, exclusive);
      check_tile(maximum, tandem::maximum<T>{}, values, exclusive);
    }
  }
}

/// Extremes of signed integers; their sums are those of unsigned ones.
template <class T>
void check_extremes(const scan_kernels<T>& minimum, const scan_kernels<T>& maximum) {
  for (const std::size_t count : {1u, 17u, 257u, 769u, 4096u}) {
    INFO("count = " << count);
    const auto values = random_values<T>(count, 33);
    for (const bool exclusive : {false, true}) {
      check_tile(minimum, tandem::minimum<T>{}, values, exclusive);
      check_tile(maximum, tandem::maximum<T>{}, values, exclusive);
    }
  }
}

/// Extremes of zeros of both signs, of which the first one wins, with and without a NaN after them.
template <class T>
void check_zeros(const scan_kernels<T>& minimum, const scan_kernels<T>& maximum) {
  for (const int count : {2, 17, 33, 513, 4096}) {
    INFO("count = " << count);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = mix(i) % 2 == 0 ? T(0.0) : T(-0.0);
    for (const bool has_nan : {false, true}) {
      if (has_nan) values[values.size() - 2] = std::numeric_limits<T>::quiet_NaN();
      check_tile(minimum, tandem::minimum<T>{}, values, false);
      check_tile(maximum, tandem::maximum<T>{}, values, false);
    }
  }
}

/// Scans a tile in two parts; the second one continues after some rows.
template <class T, class R>
void check_parts(const scan_kernels<T>& kernels, const R& reducer, int count, int rows,
                 const T* init) {
  const auto values = random_values<T>(static_cast<std::size_t>(count), 32);
  const auto wanted = specified(values, reducer, init);
  const int first = rows * 512;
  const std::vector<T> before(values.begin(), values.begin() + first);
  std::vector<T> y(values.size());
  tile_output<T> out;
  out.x = values.data();
  out.y = y.data();
  out.count = first;
  if (init != nullptr) out.prefix = *init;
  out.has_prefix = out.exclusive = init != nullptr;
  kernels.write(out);
  out.x += first;
  out.y += first;
  out.count = count - first;
  out.rows = specified_total(before, reducer);
  out.has_rows = true;
  CHECK(same_bits(kernels.write(out), specified_total(values, reducer)));
  CHECK(first_difference(y, wanted) == -1);
}

template <class T>
void check_kernel_parts(const scan_kernels<T>& sum, const scan_kernels<T>& maximum) {
  const T init = static_cast<T>(0.1);
  for (const int rows : {1, 2, 7}) {
    for (const int more : {1, 16, 33, 511, 512}) {
      INFO("rows = " << rows << ", more = " << more);
      for (const T* start : {static_cast<const T*>(nullptr), &init}) {
        check_parts(sum, tandem::sum<T>{}, rows * 512 + more, rows, start);
        check_parts(maximum, tandem::maximum<T>{}, rows * 512 + more, rows, start);
      }
    }
  }
}

/// Compares inclusive and exclusive scans on that many threads, in place and not, with serial.
template <class T, class R>
void check_blocks(const tandem::openmp& space, std::size_t n, const R& reducer) {
  const auto values = random_values<T>(n, n);
  const T init = static_cast<T>(0.1);
  tandem::array<T, 1, tandem::openmp> x(tandem::extents<1>(n), space);
  tandem::array<T, 1, tandem::openmp> y(tandem::extents<1>(n), space);
  const auto result = [&](const auto& of) {
    return std::vector<T>(of.data_handle(), of.data_handle() + n);
  };
  tandem::copy(space, values, x);
  tandem::parallel_scan(space, x.const_view(), y.view(), reducer);
  CHECK(first_difference(result(y), specified<T>(values, reducer, nullptr)) == -1);
  const auto wanted = specified<T>(values, reducer, &init);
  tandem::parallel_scan(space, x.const_view(), y.view(), reducer, tandem::exclusive<T>{init});
  CHECK(first_difference(result(y), wanted) == -1);
  tandem::parallel_scan(space, x.const_view(), x.view(), reducer, tandem::exclusive<T>{init});
  CHECK(first_difference(result(x), wanted) == -1);
}

}  // namespace

TEST_CASE("openmp scan: the kernels of every instruction set have the bits of the specification") {
  for (const scan_table* const usable : usable_kernels<scan_table>()) {
    const scan_table& table = *usable;
    check_kernels(table.f32[0], table.f32[1], table.f32[2]);
    check_kernels(table.f64[0], table.f64[1], table.f64[2]);
    check_kernels(table.u32[0], table.u32[1], table.u32[2]);
    check_kernels(table.u64[0], table.u64[1], table.u64[2]);
    check_extremes(table.i32[0], table.i32[1]);
    check_extremes(table.i64[0], table.i64[1]);
  }
}

TEST_CASE("openmp scan: of zeros of both signs the first is the extreme, and NaN is before all") {
  for (const scan_table* const table : usable_kernels<scan_table>()) {
    check_zeros(table->f32[1], table->f32[2]);
    check_zeros(table->f64[1], table->f64[2]);
  }
}

TEST_CASE("openmp scan: a tile written in parts has the bits of a whole one") {
  for (const scan_table* const table : usable_kernels<scan_table>()) {
    check_kernel_parts(table->f32[0], table->f32[2]);
    check_kernel_parts(table->f64[0], table->f64[2]);
  }
}

TEST_CASE("openmp scan: blocks that are no whole tiles give the same bits for any threads") {
  for (const int threads : {2, 3, 5, 7, 14, 90}) {
    const tandem::openmp space(threads);
    INFO("threads = " << threads);
    for (const std::size_t n : {28673u, 32768u, 36001u, 65536u, 70001u}) {
      INFO("n = " << n);
      check_blocks<float>(space, n, tandem::sum<float>{});
      check_blocks<double>(space, n, tandem::sum<double>{});
      check_blocks<std::int64_t>(space, n, tandem::sum<std::int64_t>{});
      check_blocks<std::uint32_t>(space, n, tandem::minimum<std::uint32_t>{});
      check_blocks<float>(space, n, tandem::maximum<float>{});
    }
  }
}

TEST_CASE(
    "openmp scan: what a user's function throws reaches the caller, from batches and shares") {
  for (const int threads : {1, 2, 5}) {
    const tandem::openmp space(threads);
    for (const int n : {100000, 3000000}) {
      tandem::array<double, 1, tandem::openmp> y(tandem::extents<1>(n), space);
      const auto bad = [](int i) {
        if (i == 77777) throw std::runtime_error("bad term");
        return 1.0;
      };
      CHECK_THROWS_WITH_AS(tandem::parallel_scan(space, n, bad, y.view()), "bad term",
                           std::runtime_error);
      tandem::parallel_scan(
          space, n, [](int) { return 1.0; }, y.view());
      CHECK(y.data_handle()[n - 1] == n);
    }
  }
}

TEST_CASE("openmp scan: an operation that throws ends the scan for all threads") {
  const tandem::openmp space(4);
  tandem::array<int, 1, tandem::openmp> y(tandem::extents<1>(500000), space);
  const auto bad = [](int a, int b) {
    if (b == 333333) throw std::runtime_error("bad operation");
    return a > b ? a : b;
  };
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(
                           space, 500000, [](int i) { return i; }, y.view(), bad),
                       "bad operation", std::runtime_error);
}
