// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes views share, compared with the sets of bytes that they access.

#include <tandem/core/view/overlap.hpp>

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

using tandem::host_memory;
using tandem::index_t;
using tandem::layout_stride;
using tandem::detail::overlaps;
using tandem::detail::overlaps_itself;
using tandem::detail::same_elements;

namespace {

template <class T, int Rank>
using strided_view = tandem::view<T, Rank, layout_stride, host_memory>;

template <class T, int Rank>
strided_view<T, Rank> view_at(unsigned char* memory, index_t byte,
                              const tandem::extents<Rank>& sizes,
                              const tandem::extents<Rank>& strides) {
  return {reinterpret_cast<T*>(memory + byte), layout_stride::mapping<Rank>(sizes, strides)};
}

/// Calls f(address) for each element of a view, with the address as a number.
template <class View, class Function>
void for_each_address(const View& v, const Function& f) {
  for (index_t i = 0; i < v.size(); ++i) {
    index_t rest = i;
    index_t offset = 0;
    for (int d = View::rank() - 1; d >= 0; --d) {
      offset += rest % v.extent(d) * v.stride(d);
      rest /= v.extent(d);
    }
    f(reinterpret_cast<std::uintptr_t>(v.data_handle()) +
      static_cast<std::uintptr_t>(offset) * sizeof(typename View::value_type));
  }
}

template <class View>
std::set<std::uintptr_t> bytes_touched(const View& v) {
  std::set<std::uintptr_t> bytes;
  for_each_address(v, [&](std::uintptr_t first) {
    for (std::size_t k = 0; k < sizeof(typename View::value_type); ++k) bytes.insert(first + k);
  });
  return bytes;
}

template <class A, class B>
bool really_overlap(const A& a, const B& b) {
  const auto bytes = bytes_touched(a);
  for (const std::uintptr_t byte : bytes_touched(b)) {
    if (bytes.contains(byte)) return true;
  }
  return false;
}

template <class View>
bool really_repeats(const View& v) {
  std::set<std::uintptr_t> addresses;
  bool repeats = false;
  for_each_address(v, [&](std::uintptr_t at) { repeats |= !addresses.insert(at).second; });
  return repeats;
}

struct random_layout {
  std::mt19937 random{18};

  index_t number(index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  }

  /// Draws extents from 0 to 5 and strides of both signs or zero, in the middle of the memory.
  template <class T, int Rank>
  strided_view<T, Rank> view(unsigned char* memory, index_t middle) {
    tandem::extents<Rank> sizes;
    tandem::extents<Rank> strides;
    for (int d = 0; d < Rank; ++d) {
      sizes[d] = number(0, 20) == 0 ? 0 : number(1, 5);
      strides[d] = number(-12, 12);
    }
    return view_at<T, Rank>(memory, middle + number(-60, 60), sizes, strides);
  }
};

/// Compares overlap tests of views of T and U with the sets of their bytes.
template <class T, int RankA, class U, int RankB>
void check_random_pairs(int count) {
  std::vector<unsigned char> memory(8192);
  random_layout any;
  for (int i = 0; i < count; ++i) {
    const auto a = any.view<T, RankA>(memory.data(), 4096);
    const auto b = any.view<U, RankB>(memory.data(), 4096);
    CAPTURE(i);
    CHECK(overlaps(a, b) == really_overlap(a, b));
    CHECK(overlaps(b, a) == really_overlap(a, b));
    CHECK(overlaps_itself(a) == really_repeats(a));
  }
}

struct twelve_bytes {
  int x, y, z;
};

}  // namespace

TEST_CASE("overlap: random views of any strides and element types share a byte or none") {
  check_random_pairs<float, 1, float, 1>(3000);
  check_random_pairs<float, 2, float, 2>(3000);
  check_random_pairs<float, 2, double, 2>(3000);
  check_random_pairs<char, 2, float, 1>(3000);
  check_random_pairs<short, 3, int, 2>(2000);
  check_random_pairs<twelve_bytes, 2, double, 3>(2000);
  check_random_pairs<double, 3, double, 3>(1000);
}

TEST_CASE("overlap: rows with gaps of different element types that interleave in bytes") {
  std::vector<unsigned char> memory(100000);
  const auto a = view_at<std::uint16_t, 2>(memory.data(), 0, {20, 100}, {100, 1});
  const auto c = view_at<float, 2>(memory.data(), 200, {20, 100}, {100, 1});
  CHECK(overlaps(a, c));
  const auto left = view_at<std::uint16_t, 2>(memory.data(), 0, {20, 100}, {300, 1});
  const auto right = view_at<float, 2>(memory.data(), 200, {20, 100}, {150, 1});
  CHECK(!overlaps(left, right));
  CHECK(overlaps(left, view_at<float, 2>(memory.data(), 198, {20, 100}, {150, 1})));
}

TEST_CASE("overlap: three dimensions together name one element twice") {
  std::vector<unsigned char> memory(1000);
  CHECK(overlaps_itself(view_at<float, 3>(memory.data(), 0, {2, 2, 2}, {3, 2, 1})));
  CHECK(!overlaps_itself(view_at<float, 3>(memory.data(), 0, {2, 2, 2}, {4, 2, 1})));
  CHECK(!overlaps_itself(view_at<float, 2>(memory.data(), 0, {4, 4}, {3, 4})));
  CHECK(overlaps_itself(view_at<float, 1>(memory.data(), 0, {2}, {0})));
  CHECK(!overlaps_itself(view_at<float, 1>(memory.data(), 0, {1}, {0})));
}

TEST_CASE("overlap: large strided views are compared in a moment, exactly") {
  // The memory is never read: only the addresses matter.
  auto* const memory = reinterpret_cast<unsigned char*>(std::uintptr_t{1} << 30);
  const index_t n = index_t{1} << 30;
  const auto even = view_at<float, 2>(memory, 0, {n / 1024, 512}, {1024, 2});
  const auto odd = view_at<float, 2>(memory, 4, {n / 1024, 512}, {1024, 2});
  CHECK(!overlaps(even, odd));
  CHECK(overlaps(even, view_at<float, 2>(memory, 2, {n / 1024, 512}, {1024, 2})));
  const auto upper = view_at<double, 3>(memory, 0, {1000, 500, 1000}, {1000000, 1000, 1});
  const auto lower = view_at<double, 3>(memory, 4000000, {1000, 500, 1000}, {1000000, 1000, 1});
  CHECK(!overlaps(upper, lower));
}

TEST_CASE("overlap: elements of different size are never the same elements") {
  std::vector<unsigned char> memory(1000);
  const auto floats = view_at<float, 1>(memory.data(), 0, {10}, {1});
  CHECK(same_elements(floats, view_at<int, 1>(memory.data(), 0, {10}, {1})));
  CHECK(!same_elements(floats, view_at<double, 1>(memory.data(), 0, {10}, {1})));
  CHECK(!same_elements(floats, view_at<float, 1>(memory.data(), 0, {10}, {2})));
  CHECK(!same_elements(floats, view_at<float, 1>(memory.data(), 4, {10}, {1})));
  const auto row = view_at<float, 2>(memory.data(), 0, {1, 10}, {10, 1});
  CHECK(same_elements(row, view_at<float, 2>(memory.data(), 0, {1, 10}, {77, 1})));
}
