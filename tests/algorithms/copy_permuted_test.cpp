// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between layouts whose dimensions lie in different orders in memory.
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// Elements that may lie at any address.
template <std::size_t Size>
struct bytes_of {
  unsigned char byte[Size];
};

template <int Rank>
using order = std::array<int, static_cast<std::size_t>(Rank)>;

/// Placement of a side's elements in a buffer of bytes.
template <int Rank>
struct side {
  tandem::extents<Rank> sizes;
  tandem::extents<Rank> strides;
  index_t first = 0;     ///< bytes before the element at index zero
  std::size_t used = 0;  ///< bytes of the buffer

  template <class T, class Memory>
  auto in(unsigned char* buffer) const {
    using mapping = typename tandem::layout_stride::template mapping<Rank>;
    return tandem::view<T, Rank, tandem::layout_stride, Memory>(
        reinterpret_cast<T*>(buffer + first), mapping(sizes, strides));
  }

  /// Returns the first byte of element i, row-major.
  std::size_t operator()(index_t i, std::size_t element_bytes) const {
    index_t at = 0;
    for (int d = Rank - 1; d >= 0; --d) {
      at += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return static_cast<std::size_t>(first + at * static_cast<index_t>(element_bytes));
  }
};

/// How a side departs from elements without gaps at an aligned address.
struct departure {
  index_t gap = 0;         ///< elements after each dimension
  unsigned reversed = 0;   ///< bit d: dimension d runs backwards
  index_t misaligned = 0;  ///< bytes
};

/// Places dimensions from the innermost, which is inner_first[0], to the outermost.
template <int Rank>
side<Rank> place(const tandem::extents<Rank>& sizes, const order<Rank>& inner_first,
                 std::size_t element_bytes, const departure& by) {
  side<Rank> result;
  result.sizes = sizes;
  index_t step = 1;
  index_t lowest = 0;
  for (const int d : inner_first) {
    const bool is_reversed = (by.reversed >> d & 1) != 0;
    result.strides[d] = is_reversed ? -step : step;
    if (is_reversed) lowest += step * (sizes[d] - 1);
    step = step * sizes[d] + by.gap;
  }
  const auto bytes = static_cast<index_t>(element_bytes);
  result.first = 64 + by.misaligned + lowest * bytes;
  result.used = static_cast<std::size_t>(128 + by.misaligned + step * bytes);
  return result;
}

/// Copies and compares the whole buffer of the destination, whose other bytes must not change.
template <std::size_t Size, int Rank, class Space>
bool copies_right(const Space& space, const side<Rank>& from, const side<Rank>& to) {
  const auto before = random_values<unsigned char>(from.used, 1);
  auto expected = random_values<unsigned char>(to.used, 2);
  auto source = to_space(space, before);
  auto destination = to_space(space, expected);
  using memory = typename Space::memory_type;
  tandem::copy(space, from.template in<bytes_of<Size>, memory>(source.data_handle()),
               to.template in<bytes_of<Size>, memory>(destination.data_handle()));
  for (index_t i = 0; i < to.sizes.size(); ++i)
    std::copy_n(&before[from(i, Size)], Size, &expected[to(i, Size)]);
  return to_host(space, destination) == expected;
}

template <int Rank>
order<Rank> row_major() {
  order<Rank> inner_first;
  for (int d = 0; d < Rank; ++d) inner_first[static_cast<std::size_t>(d)] = Rank - 1 - d;
  return inner_first;
}

/// Checks a copy of each kind of departure from the given order into row-major order, and back.
template <std::size_t Size, int Rank, class Space>
void check_order(const Space& space, const tandem::extents<Rank>& sizes,
                 const order<Rank>& inner_first) {
  constexpr departure departures[] = {
      {}, {.gap = 4}, {.reversed = 2}, {.gap = 3, .reversed = 5, .misaligned = 5}};
  CAPTURE(Size);
  CAPTURE(sizes[0]);
  CAPTURE(sizes[Rank - 1]);
  for (const departure& by : departures) {
    CAPTURE(by.gap);
    CAPTURE(by.reversed);
    const auto turned = place(sizes, inner_first, Size, by);
    const auto straight = place(sizes, row_major<Rank>(), Size, {.misaligned = by.misaligned / 2});
    CHECK(copies_right<Size>(space, turned, straight));
    CHECK(copies_right<Size>(space, straight, turned));
  }
}

/// Calls check(inner_first) for every `step`-th order of dimensions.
template <int Rank, class Check>
void for_each_order(int step, const Check& check) {
  order<Rank> inner_first;
  std::iota(inner_first.begin(), inner_first.end(), 0);
  int count = 0;
  do {
    if (count++ % step == 0) check(inner_first);
  } while (std::next_permutation(inner_first.begin(), inner_first.end()));
}

}  // namespace

TEST_CASE_TEMPLATE("copy: transposed matrices of every size of element", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::extents<2> shapes[] = {{1, 33},   {2, 65},  {31, 32}, {33, 33},  {65, 31},
                                       {64, 128}, {3, 257}, {257, 3}, {130, 140}};
  const auto check_sizes = [&]<std::size_t... Size>(std::index_sequence<Size...>) {
    for (const auto& sizes : shapes) (check_order<Size>(space, sizes, order<2>{0, 1}), ...);
  };
  check_sizes(std::index_sequence<1, 2, 3, 4, 8, 12, 16, 24>());
}

TEST_CASE_TEMPLATE("copy: every order of three and four dimensions", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for_each_order<3>(1, [&](const order<3>& inner_first) {
    check_order<1>(space, tandem::extents<3>(8, 36, 12), inner_first);
    check_order<1>(space, tandem::extents<3>(3, 131, 65), inner_first);
    check_order<2>(space, tandem::extents<3>(3, 131, 65), inner_first);
    check_order<2>(space, tandem::extents<3>(2, 33, 31), inner_first);
    check_order<4>(space, tandem::extents<3>(33, 2, 65), inner_first);
    check_order<8>(space, tandem::extents<3>(5, 32, 1), inner_first);
    check_order<12>(space, tandem::extents<3>(7, 11, 13), inner_first);
  });
  for_each_order<4>(1, [&](const order<4>& inner_first) {
    check_order<1>(space, tandem::extents<4>(3, 5, 7, 9), inner_first);
    check_order<4>(space, tandem::extents<4>(2, 1, 33, 31), inner_first);
    check_order<16>(space, tandem::extents<4>(4, 3, 2, 17), inner_first);
  });
}

TEST_CASE_TEMPLATE("copy: orders of five and six dimensions", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for_each_order<5>(11, [&](const order<5>& inner_first) {
    check_order<2>(space, tandem::extents<5>(2, 4, 6, 8, 4), inner_first);
    check_order<8>(space, tandem::extents<5>(3, 2, 5, 7, 3), inner_first);
  });
  for_each_order<6>(71, [&](const order<6>& inner_first) {
    check_order<4>(space, tandem::extents<6>(3, 2, 5, 4, 3, 7), inner_first);
    check_order<3>(space, tandem::extents<6>(2, 3, 2, 3, 5, 2), inner_first);
  });
}

TEST_CASE_TEMPLATE("copy: transposed matrices that exceed caches", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(copies_right<4>(space, place(tandem::extents<2>(2100, 1999), {0, 1}, 4, {}),
                        place(tandem::extents<2>(2100, 1999), {1, 0}, 4, {.misaligned = 4})));
  CHECK(copies_right<8>(space, place(tandem::extents<2>(1024, 1024), {0, 1}, 8, {}),
                        place(tandem::extents<2>(1024, 1024), {1, 0}, 8, {})));
  CHECK(copies_right<1>(space, place(tandem::extents<2>(2099, 2100), {0, 1}, 1, {.gap = 3}),
                        place(tandem::extents<2>(2099, 2100), {1, 0}, 1, {})));
}
