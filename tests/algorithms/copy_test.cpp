// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

using namespace tandem::test;

namespace {

struct wide {
  double a;
  double b;
};

template <class T, class Space>
void check_round_trip(const Space& space, std::size_t n) {
  const auto values = random_values<T>(n, n);
  auto x = to_space(space, values);
  CHECK(first_difference(to_host(space, x), values) == -1);
}

template <std::size_t Size>
struct bytes_of {
  unsigned char byte[Size];
};

/// Copies elements whose bytes all differ, so that each byte must come from its place in the value.
template <std::size_t Size, class Space>
void check_fill(const Space& space, int n) {
  bytes_of<Size> value{};
  for (std::size_t i = 0; i < Size; ++i) value.byte[i] = static_cast<unsigned char>(1 + 13 * i);
  tandem::array<bytes_of<Size>, 1, Space> x(tandem::extents<1>(n), space);
  tandem::fill(space, x, value);
  std::size_t wrong = 0;
  for (const auto& got : to_host(space, x)) {
    for (std::size_t i = 0; i < Size; ++i) wrong += got.byte[i] != value.byte[i];
  }
  CAPTURE(Size);
  CAPTURE(n);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("copy: there and back at every size", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    check_round_trip<std::uint8_t>(space, n);
    check_round_trip<float>(space, n);
    check_round_trip<double>(space, n);
  }
  check_round_trip<std::int16_t>(space, large_size);
}

TEST_CASE_TEMPLATE("copy: elements of sixteen bytes", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<wide> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {double(i), -double(i)};
  auto x = to_space(space, values);
  const auto back = to_host(space, tandem::subview(x.view(), tandem::slice{0, 1001, 10}));
  REQUIRE(back.size() == 101);
  CHECK(back[100].a == 1000.0);
  CHECK(back[100].b == -1000.0);
}

TEST_CASE_TEMPLATE("copy: rows, columns and blocks of a matrix", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<int> values(12 * 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(12, 20), space);
  tandem::copy(space, values, x);
  const auto row = to_host(space, tandem::subview(x.view(), 3, tandem::all));
  const auto column = to_host(space, tandem::subview(x.view(), tandem::all, 7));
  const auto block =
      to_host(space, tandem::subview(x.view(), tandem::slice{2, 5}, tandem::slice{19, 20}));
  for (int i = 0; i < 20; ++i) CHECK(row[static_cast<std::size_t>(i)] == 60 + i);
  for (int j = 0; j < 12; ++j) CHECK(column[static_cast<std::size_t>(j)] == 20 * j + 7);
  CHECK(block == std::vector<int>{59, 79, 99});
}

TEST_CASE_TEMPLATE("copy: into strided, transposed and reversed parts", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(4, 6), 0, space);
  std::vector<int> values{1, 2, 3, 4, 5, 6};
  tandem::copy(space, values, tandem::subview(x.view(), 2, tandem::slice{0, 6, -1}));
  CHECK(to_host(space, tandem::subview(x.view(), 2, tandem::all)) ==
        std::vector<int>{6, 5, 4, 3, 2, 1});
  tandem::array<int, 2, typename Backend::space> turned(tandem::extents<2>(6, 4), space);
  tandem::copy(space, tandem::transposed(x.view()), turned);
  CHECK(to_host(space, tandem::subview(turned.view(), tandem::all, 2)) ==
        std::vector<int>{6, 5, 4, 3, 2, 1});
  tandem::array<int, 2, typename Backend::space, tandem::layout_left> left(tandem::extents<2>(4, 6),
                                                                           space);
  tandem::copy(space, x, left);
  CHECK(to_host(space, left) == to_host(space, x));
}

TEST_CASE_TEMPLATE("copy: six dimensions with gaps in each", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::extents<6> sizes(4, 4, 4, 4, 4, 4);
  std::vector<int> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  tandem::array<int, 6, typename Backend::space> x(sizes, space);
  tandem::copy(space, values, x);
  const tandem::slice odd{1, 4, 2};
  const auto part = to_host(space, tandem::subview(x.view(), odd, odd, odd, odd, odd, odd));
  REQUIRE(part.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    int wanted = 0;
    for (int d = 0; d < 6; ++d) wanted = wanted * 4 + 1 + 2 * static_cast<int>(i >> (5 - d) & 1);
    CHECK(part[i] == wanted);
  }
}

TEST_CASE_TEMPLATE("copy: repeats a row whose stride is zero", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto row = to_space(space, std::vector<int>{1, 2, 3});
  using mapping = tandem::layout_stride::mapping<2>;
  using memory = typename Backend::space::memory_type;
  const tandem::view<int, 2, tandem::layout_stride, memory> rows(row.data_handle(),
                                                                 mapping({4, 3}, {0, 1}));
  CHECK(to_host(space, rows) == std::vector<int>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
}

TEST_CASE_TEMPLATE("copy: what it refuses", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 2, 3, 4});
  std::vector<int> three(3);
  CHECK_THROWS_WITH_AS(tandem::copy(space, x, three),
                       "copy: extent 0 of source (4) != extent 0 of destination (3)",
                       tandem::extent_error);
  const auto head = tandem::subview(x.view(), tandem::slice{0, 3});
  const auto tail = tandem::subview(x.view(), tandem::slice{1, 4});
  CHECK_THROWS_WITH_AS(tandem::copy(space, head, tail), "copy: source and destination overlap",
                       tandem::argument_error);
  const tandem::view<int, 1, tandem::layout_right, typename Backend::space::memory_type> nowhere(
      nullptr, tandem::extents<1>(4));
  CHECK_THROWS_WITH_AS(tandem::copy(space, x, nowhere),
                       "copy: destination has 4 elements but no memory (null)",
                       tandem::argument_error);
  tandem::copy(space, x, x);
  const auto even = tandem::subview(x.view(), tandem::slice{0, 4, 2});
  const auto odd = tandem::subview(x.view(), tandem::slice{1, 4, 2});
  tandem::copy(space, even, odd);
  CHECK(to_host(space, x) == std::vector<int>{1, 1, 3, 3});
}

TEST_CASE_TEMPLATE("fill: every element of a part and nothing beside it", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<double, 2, typename Backend::space> x(tandem::extents<2>(9, 11), -1.0, space);
  tandem::fill(space, tandem::subview(x.view(), tandem::slice{1, 8, 3}, tandem::slice{2, 9}), 2.5);
  const auto got = to_host(space, x);
  for (int j = 0; j < 9; ++j) {
    for (int i = 0; i < 11; ++i) {
      const bool inside = (j == 1 || j == 4 || j == 7) && i >= 2 && i < 9;
      CHECK(got[static_cast<std::size_t>(11 * j + i)] == (inside ? 2.5 : -1.0));
    }
  }
  tandem::array<std::uint8_t, 1, typename Backend::space> bytes(tandem::extents<1>(large_size), 7,
                                                                space);
  const auto all_sevens = to_host(space, bytes);
  CHECK(all_sevens == std::vector<std::uint8_t>(large_size, 7));
  tandem::fill(space, x, 0.0);
  CHECK(to_host(space, x) == std::vector<double>(99, 0.0));
}

TEST_CASE_TEMPLATE("fill: a value outside the range of integers is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<std::uint8_t>(3, 7));
  CHECK_THROWS_WITH_AS(tandem::fill(space, x, 300),
                       "fill: value (300) is outside the range of the type that holds it, 0 to 255",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::fill(space, x, -1), tandem::argument_error);
  CHECK_THROWS_AS(tandem::fill(space, x, std::uint64_t{1} << 40), tandem::argument_error);
  CHECK(to_host(space, x) == std::vector<std::uint8_t>(3, 7));
  tandem::fill(space, x, std::int64_t{255});
  CHECK(to_host(space, x) == std::vector<std::uint8_t>(3, 255));
  tandem::fill(space, x, false);
  CHECK(to_host(space, x) == std::vector<std::uint8_t>(3, 0));
  auto y = to_space(space, std::vector<float>(3));
  tandem::fill(space, y, 16777217);
  CHECK(to_host(space, y) == std::vector<float>(3, 16777216.0f));
  tandem::fill(space, y, 0.1);
  CHECK(to_host(space, y) == std::vector<float>(3, 0.1f));
}

TEST_CASE_TEMPLATE("fill: parts of a volume so large that threads begin within its rows", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::index_t planes = 5, rows = 101, columns = 1009;
  for (const tandem::index_t step : {1, 2}) {
    CAPTURE(step);
    tandem::array<float, 3, typename Backend::space> x(tandem::extents<3>(planes, rows, columns),
                                                       -1.0f, space);
    tandem::fill(space,
                 tandem::subview(x.view(), tandem::slice{1, planes, 2}, tandem::slice{2, rows, 1},
                                 tandem::slice{3, columns, step}),
                 2.5f);
    const auto got = to_host(space, x);
    std::size_t wrong = 0;
    for (tandem::index_t k = 0; k < planes; ++k) {
      for (tandem::index_t j = 0; j < rows; ++j) {
        for (tandem::index_t i = 0; i < columns; ++i) {
          const bool inside = k % 2 == 1 && j >= 2 && i >= 3 && (i - 3) % step == 0;
          const auto at = static_cast<std::size_t>((k * rows + j) * columns + i);
          wrong += got[at] != (inside ? 2.5f : -1.0f);
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE_TEMPLATE("fill: elements of every size up to sixteen bytes", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check_sizes = [&]<std::size_t... Less>(std::index_sequence<Less...>) {
    for (const int n : {1, 62, 63, 64, 1009, 300007}) (check_fill<Less + 1>(space, n), ...);
  };
  check_sizes(std::make_index_sequence<16>{});
}

TEST_CASE_TEMPLATE("array: moves leave nothing behind", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 2, 3});
  auto y = std::move(x);
  CHECK(x.size() == 0);
  CHECK(x.data_handle() == nullptr);
  CHECK(to_host(space, y) == std::vector<int>{1, 2, 3});
  x = std::move(y);
  CHECK(to_host(space, x) == std::vector<int>{1, 2, 3});
  tandem::array<int, 1, typename Backend::space> none(tandem::extents<1>(0), 5, space);
  CHECK(none.data_handle() == nullptr);
}

TEST_CASE_TEMPLATE("array: sizes that cannot be are refused, and the library works on", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Array = tandem::array<double, 1, typename Backend::space>;
  using Cube = tandem::array<double, 3, typename Backend::space>;
  CHECK_THROWS_WITH_AS(Array(tandem::extents<1>(-1), space),
                       "array: extent (-1) < smallest size (0): did a product of ints overflow? "
                       "compute it in tandem::index_t",
                       tandem::extent_error);
  const int side = 50'000;
  const int elements = static_cast<int>(static_cast<unsigned>(side) * static_cast<unsigned>(side));
  CHECK_THROWS_WITH_AS(Array(tandem::extents<1>(elements), space),
                       doctest::Contains("array: extent (-1794967296) < smallest size (0): did a "
                                         "product of ints overflow?"),
                       tandem::extent_error);
  const tandem::index_t large = tandem::index_t{1} << 40;
  CHECK_THROWS_AS(Cube(tandem::extents<3>(large, large, 2), space), tandem::extent_error);
  try {
    const Array huge(tandem::extents<1>(tandem::index_t{1} << 46), space);
    FAIL("2^49 bytes were allocated");
  } catch (const tandem::out_of_memory_error& e) {
    CHECK(e.asked() == std::size_t{1} << 49);
    CHECK(e.free() < e.asked());
    CHECK(std::string(e.what()).find("562949953421312") != std::string::npos);
  }
  CHECK(to_host(space, to_space(space, std::vector<int>{4, 5})) == std::vector<int>{4, 5});
}
