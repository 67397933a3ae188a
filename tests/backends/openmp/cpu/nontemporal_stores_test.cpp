// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Non-temporal stores at every alignment and length, and loops large enough to use them.

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

/// Two numbers whose alignment is smaller than their size.
struct loose_pair {
  float a;
  float b;
};

constexpr tandem::index_t block = 1024;  // bytes that a transform computes per step

/// Checks that a transform that bypasses the caches writes elements [begin, end) and none beside
/// them.
template <class U, class T>
void check_stream(tandem::index_t begin, tandem::index_t end, tandem::index_t n) {
  const auto xs = random_below<T>(static_cast<std::size_t>(n), 100, 1);
  tandem::array<U, 1, tandem::openmp> y(tandem::extents<1>(n), U(7), tandem::openmp(2));
  const auto twice = [](T x) { return static_cast<U>(x + x); };
  const tandem::openmp_impl::contiguous_transform<decltype(twice), U, T> loop{
      twice, y.data_handle(), tandem::make_tuple(xs.data())};
  tandem::openmp_impl::transform_nontemporal(loop, begin, end);
  tandem::index_t wrong = 0;
  for (tandem::index_t i = 0; i < n; ++i) {
    const U wanted = i >= begin && i < end ? twice(xs[static_cast<std::size_t>(i)]) : U(7);
    wrong += y.data_handle()[i] != wanted;
  }
  INFO("elements of " << sizeof(U) << " bytes, " << begin << " to " << end);
  CHECK(wrong == 0);
}

template <class U, class T>
void check_streams() {
  constexpr auto length = static_cast<tandem::index_t>(block / sizeof(U));
  constexpr tandem::index_t n = 4 * length + 3;
  for (const tandem::index_t begin : {tandem::index_t{0}, tandem::index_t{1}, length - 1}) {
    for (const tandem::index_t count : {tandem::index_t{0}, tandem::index_t{1}, tandem::index_t{31},
                                        length - 1, length, length + 1, 3 * length + 1})
      check_stream<U, T>(begin, begin + count, n);
  }
}

/// More elements than the caches hold, enough for a non-temporal fill, if a test can afford that
/// many.
tandem::index_t beyond_caches() {
  const std::size_t bytes = tandem::openmp_impl::last_level_cache_bytes() / 2 * 3;
  constexpr std::size_t most = std::size_t{256} << 20;
  return static_cast<tandem::index_t>((bytes < most ? bytes : most) / sizeof(float)) + 12345;
}

}  // namespace

TEST_CASE("openmp stream: transforms of every size of element, at every alignment") {
  check_streams<float, float>();
  check_streams<double, double>();
  check_streams<double, float>();
  check_streams<float, double>();
  check_streams<std::uint8_t, std::int64_t>();
  check_streams<std::int16_t, std::uint8_t>();
}

TEST_CASE("openmp stream: copies at every alignment and length") {
  const auto source = random_below<std::uint8_t>(1000, 256, 2);
  for (const std::size_t from : {0u, 1u, 17u}) {
    for (const std::size_t to : {0u, 3u, 63u, 64u}) {
      for (const std::size_t count : {0u, 1u, 60u, 63u, 64u, 65u, 200u, 700u}) {
        std::vector<std::uint8_t> wanted(1000, 9);
        auto got = wanted;
        for (std::size_t i = 0; i < count; ++i) wanted[to + i] = source[from + i];
        tandem::openmp_impl::copy_nontemporal(got.data() + to, source.data() + from, count);
        CHECK(got == wanted);
      }
    }
  }
}

TEST_CASE("openmp stream: what is known of the caches is plausible") {
  const std::size_t bytes = tandem::openmp_impl::last_level_cache_bytes();
  CHECK(bytes >= std::size_t{4} << 20);
  CHECK(!tandem::openmp_impl::prefers_nontemporal_stores(0));
  CHECK(!tandem::openmp_impl::prefers_nontemporal_stores(bytes - 1));
  CHECK(tandem::openmp_impl::prefers_nontemporal_stores(bytes) ==
        tandem::openmp_impl::has_nontemporal_stores);
  CHECK(!tandem::openmp_impl::prefers_nontemporal_copy(bytes - 1));
  CHECK(tandem::openmp_impl::prefers_nontemporal_copy(2 * bytes) ==
        tandem::openmp_impl::has_nontemporal_stores);
}

TEST_CASE("openmp stream: transform, copy and fill of more than the caches hold") {
  const tandem::index_t n = beyond_caches();
  for (const int threads : {1, 2, 3, 8}) {
    const tandem::openmp space(threads);
    tandem::array<float, 1, tandem::openmp> x(tandem::extents<1>(n), space);
    tandem::array<float, 1, tandem::openmp> y(tandem::extents<1>(n), -1.0f, space);
    const auto v = x.view();
    tandem::parallel_for(space, n, [=](tandem::index_t i) { v(i) = static_cast<float>(i % 1001); });
    const auto wrong = [&](float factor, float shift) {
      const auto p = x.const_view();
      const auto q = y.const_view();
      return tandem::parallel_reduce(
          space, n, [=](tandem::index_t i) { return q(i) != p(i) * factor + shift ? 1 : 0; });
    };
    tandem::transform(space, x.const_view(), y.view(), [](float a) { return a * 2 + 1; });
    CHECK(wrong(2, 1) == 0);
    tandem::copy(space, x, y);
    CHECK(wrong(1, 0) == 0);
    tandem::fill(space, tandem::subview(y.view(), tandem::slice{1, n}), 4.0f);
    CHECK(wrong(0, 4) == 1);  // the first element is x's, 0
  }
}

TEST_CASE("openmp stream: elements that lie across the borders of lines") {
  const tandem::openmp space(2);
  const tandem::index_t n = beyond_caches() / 2;
  tandem::array<float, 1, tandem::openmp> memory(tandem::extents<1>(2 * n + 1), 0.0f, space);
  tandem::array<float, 1, tandem::openmp> x(tandem::extents<1>(n), 3.0f, space);
  auto* const pairs = reinterpret_cast<loose_pair*>(memory.data_handle() + 1);
  const auto y = tandem::as_view<tandem::host_memory>(pairs, n);
  tandem::transform(space, x.const_view(), y, [](float a) { return loose_pair{a, -a}; });
  const auto at = [&](tandem::index_t i) { return memory.data_handle()[i]; };
  CHECK(at(0) == 0.0f);
  CHECK(at(1) == 3.0f);
  CHECK(at(2 * n - 1) == 3.0f);
  CHECK(at(2 * n) == -3.0f);
}

TEST_CASE("openmp stream: an exception of a function on a worker reaches the caller") {
  const tandem::openmp space(3);
  const tandem::index_t n = beyond_caches();
  tandem::array<float, 1, tandem::openmp> x(tandem::extents<1>(n), 1.0f, space);
  tandem::array<float, 1, tandem::openmp> y(tandem::extents<1>(n), 0.0f, space);
  x.data_handle()[n - 5] = -1.0f;
  const auto root = [](float a) {
    if (a < 0) throw std::domain_error("negative");
    return a;
  };
  CHECK_THROWS_WITH_AS(tandem::transform(space, x.const_view(), y.view(), root), "negative",
                       std::domain_error);
}
