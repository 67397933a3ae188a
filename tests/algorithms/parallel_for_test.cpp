// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>
#include <limits>

using namespace tandem::test;

namespace {

struct saxpy {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(tandem::index_t i, float a, X x, Y y) const {
    y(i) = tandem::fma(a, x(i), y(i));
  }
};

struct add_at {
  template <class V>
  TANDEM_FUNCTION void operator()(tandem::index_t j, tandem::index_t i, V v) const {
    v(j, i) += static_cast<int>(100 * j + i);
  }
};

/// A class with members that kernels read.
template <class Space>
struct scaled_line {
  tandem::view<float, 1, tandem::layout_right, typename Space::memory_type> elements;
  float factor;

  void scale_by_a_copy_of_the_object(const Space& space) const {
    tandem::parallel_for(space, elements.size(),
                         [=, *this] TANDEM_FUNCTION(int i) { elements(i) *= factor; });
  }
  void scale_by_copies_of_members(const Space& space) const {
    const auto v = elements;
    const float by = factor;
    tandem::parallel_for(
        space, v.size(), TANDEM_LAMBDA(int i) { v(i) *= by; });
  }
};

template <class Index, class Space>
void check_each_index_once(const Space& space, std::size_t n) {
  tandem::array<int, 1, Space> hits(tandem::extents<1>(n), 0, space);
  auto v = hits.view();
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(Index i) { v(i) += static_cast<int>(i % 1000) + 1; });
  const auto got = to_host(space, hits);
  std::vector<int> wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = static_cast<int>(i % 1000) + 1;
  CHECK(got == wanted);
}

}  // namespace

TEST_CASE_TEMPLATE("parallel_for: every index is visited once", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) check_each_index_once<int>(space, n);
  check_each_index_once<unsigned>(space, 4097);
  check_each_index_once<long>(space, large_size);
  check_each_index_once<std::size_t>(space, 1025);
  check_each_index_once<std::int16_t>(space, 32767);
}

TEST_CASE_TEMPLATE("parallel_for: a range starts where it says", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(100), 0, space);
  auto v = x.view();
  tandem::parallel_for(
      space, tandem::range{-5, 20}, TANDEM_LAMBDA(int i) { v(i + 5) = i; });
  tandem::parallel_for(
      space, tandem::range{7, 7}, TANDEM_LAMBDA(int i) { v(i) = 1000; });
  const auto got = to_host(space, x);
  for (int i = 0; i < 100; ++i) CHECK(got[static_cast<std::size_t>(i)] == (i < 25 ? i - 5 : 0));
}

TEST_CASE_TEMPLATE("parallel_for: an exact block size changes nothing in the result", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const int block : {1, 32, 96, 256, 1024}) {
    tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(5000), 1, space);
    auto v = x.view();
    tandem::parallel_for(
        space, tandem::range{0, 5000}.with_block(block), TANDEM_LAMBDA(int i) { v(i) += i; });
    const auto got = to_host(space, x);
    bool right = true;
    for (int i = 0; i < 5000; ++i) right &= got[static_cast<std::size_t>(i)] == i + 1;
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("parallel_for: grids of two dimensions", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int shapes[][2] = {{1, 1},  {1, 1000},  {1000, 1}, {33, 65},
                           {7, 31}, {257, 129}, {0, 5},    {5, 0}};
  for (const auto& shape : shapes) {
    const int ny = shape[0];
    const int nx = shape[1];
    tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(ny, nx), 0, space);
    auto v = x.view();
    tandem::parallel_for(
        space, tandem::grid{ny, nx}, TANDEM_LAMBDA(int j, int i) { v(j, i) += 1000 * j + i; });
    const auto got = to_host(space, x);
    bool right = true;
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i)
        right &= got[static_cast<std::size_t>(j * nx + i)] == 1000 * j + i;
    }
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("parallel_for: grids of ranges visit the inside of an array", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int nz = 5;
  const int ny = 40;
  const int nx = 70;
  tandem::array<int, 3, typename Backend::space> x(tandem::extents<3>(nz, ny, nx), 0, space);
  auto v = x.view();
  const tandem::grid inside{{1, nz - 1}, {2, ny - 2}, {3, nx - 3}};
  CHECK(inside.size() == tandem::index_t{3} * 36 * 64);
  tandem::parallel_for(
      space, inside, TANDEM_LAMBDA(int k, int j, int i) { v(k, j, i) += 10000 * k + 100 * j + i; });
  auto plane = tandem::subview(v, 0, tandem::all, tandem::all);
  tandem::parallel_for(
      space, tandem::grid{{ny - 1, ny}, {0, nx}}.with_block(1, 32),
      TANDEM_LAMBDA(int j, int i) { plane(j, i) -= i; });
  tandem::parallel_for(
      space, tandem::grid{{ny - 1, ny}, {0, nx}}.with_block<2, 16>(),
      TANDEM_LAMBDA(int j, int i) { plane(j, i) -= i; });
  tandem::parallel_for(
      space, inside.with_block<2, 4, 16>(),
      TANDEM_LAMBDA(int k, int j, int i) { v(k, j, i) += 1; });
  tandem::parallel_for(
      space, tandem::grid{{3, 3}, {5, 5}}, TANDEM_LAMBDA(int j, int i) { plane(j, i) = 7; });
  const auto got = to_host(space, x);
  bool right = true;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const bool within = k >= 1 && k < nz - 1 && j >= 2 && j < ny - 2 && i >= 3 && i < nx - 3;
        const int last_row = k == 0 && j == ny - 1 ? -2 * i : 0;
        right &= got[static_cast<std::size_t>((k * ny + j) * nx + i)] ==
                 (within ? 10000 * k + 100 * j + i + 1 : last_row);
      }
    }
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_for: grids of ranges that cannot be counted are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr tandem::index_t most = std::numeric_limits<tandem::index_t>::max();
  const auto nothing = TANDEM_LAMBDA(tandem::index_t, tandem::index_t){};
  const auto narrow = TANDEM_LAMBDA(short, short){};
  using tandem::extent_error;
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::grid{{-2, most}, {0, 1}}, nothing),
                  extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::grid{{0, most}, {0, 3}}, nothing),
                  extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::grid{{40000, 40001}, {0, 1}}, narrow),
                  extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::grid{{0, 1}, {-40000, -39999}}, narrow),
                  extent_error);
}

TEST_CASE_TEMPLATE("parallel_for: a loop sees all that the loop before it wrote", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const int n : {1000, 100'003}) {
    tandem::array<int, 1, typename Backend::space> a(tandem::extents<1>(n), 0, space);
    tandem::array<int, 1, typename Backend::space> b(tandem::extents<1>(n), 0, space);
    constexpr int steps = 300;
    for (int step = 0; step < steps; ++step) {
      const auto x = step % 2 == 0 ? a.const_view() : b.const_view();
      const auto y = step % 2 == 0 ? b.view() : a.view();
      const int distance = 7919 * step % n;  // written by threads on other multiprocessors
      tandem::parallel_for(
          space, n, TANDEM_LAMBDA(int i) { y(i) = x((i + distance) % n) + 1; });
    }
    CHECK(to_host(space, a) == std::vector<int>(static_cast<std::size_t>(n), steps));
  }
}

TEST_CASE_TEMPLATE("parallel_for: grids of three dimensions and exact blocks", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int nz = 5;
  const int ny = 9;
  const int nx = 70;
  tandem::array<int, 3, typename Backend::space> x(tandem::extents<3>(nz, ny, nx), 0, space);
  auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{nz, ny, nx},
      TANDEM_LAMBDA(int k, int j, int i) { v(k, j, i) += 10000 * k + 100 * j + i; });
  tandem::parallel_for(
      space, tandem::grid{nz, ny, nx}.with_block(2, 2, 32),
      TANDEM_LAMBDA(int k, int j, int i) { v(k, j, i) += 1; });
  const auto got = to_host(space, x);
  bool right = true;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        right &=
            got[static_cast<std::size_t>((k * ny + j) * nx + i)] == 10000 * k + 100 * j + i + 1;
      }
    }
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_for: a block that a device would refuse is refused everywhere",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto line = TANDEM_LAMBDA(int){};
  const auto plane = TANDEM_LAMBDA(int, int){};
  const auto volume = TANDEM_LAMBDA(int, int, int){};
  using tandem::argument_error;
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, tandem::range{0, 10}.with_block(2048), line),
                       "parallel_for: block of 2048 threads > 1024 along dimension 0",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, tandem::grid{9, 9}.with_block(1, 0), plane),
                       "parallel_for: block of 0 threads < 1 along dimension 1", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, tandem::grid{9, 9}.with_block(64, 32), plane),
                       "parallel_for: block of 2048 threads > 1024", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, tandem::grid{9, 9}.with_block(0, 32), plane),
                       "parallel_for: block of 0 threads < 1 along dimension 0", argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_for(space, tandem::grid{9, 9, 9}.with_block(65, 1, 1), volume),
      "parallel_for: block of 65 threads > 64 along dimension 0", argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_teams(space, {1, 2048, 0}, TANDEM_LAMBDA(tandem::team&){}),
      doctest::Contains("parallel_teams: lanes (2048) > 1024, the threads of a device's block"),
      argument_error);
}

TEST_CASE_TEMPLATE("parallel_for: blocks known at compile time and fixed launches", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int n = 10007;
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(n), 0, space);
  const auto v = x.view();
  const auto add = TANDEM_LAMBDA(int i) { v(i) += i; };
  const tandem::range inner{3, n};
  tandem::parallel_for(space, inner.with_block<128>(), add);
  tandem::parallel_for(space, inner.with_blocks(32), add);
  tandem::parallel_for(space, inner.with_block(96).with_blocks(7), add);
  tandem::parallel_for(space, inner.with_block<64>().with_blocks(1000), add);
  tandem::parallel_for(space, tandem::range{5, 5}.with_block<64>().with_blocks(10), add);
  const auto mark = TANDEM_LAMBDA(int j, int i) { v(100 * j + i) += 1; };
  tandem::parallel_for(space, tandem::grid{37, 100}.with_block<4, 16>(), mark);
  const auto got = to_host(space, x);
  bool right = true;
  for (int i = 0; i < n; ++i)
    right &= got[static_cast<std::size_t>(i)] == (i < 3 ? 0 : 4 * i) + (i < 3700 ? 1 : 0);
  CHECK(right);
  CHECK(tandem::parallel_reduce(
            space, inner.with_block<128>(), TANDEM_LAMBDA(int i) { return v(i) - 4 * i; }) == 3697);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, inner.with_blocks(0), add),
                       "parallel_for: blocks (0) < fewest (1)", tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_for(space, inner.with_blocks(tandem::index_t{1} << 31), add),
      "parallel_for: 2147483648 blocks > 2147483647", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, inner.with_block(2048).with_blocks(1), add),
                       "parallel_for: block of 2048 threads > 1024 along dimension 0",
                       tandem::argument_error);
}

TEST_CASE_TEMPLATE("parallel_for: a named function object gets its arguments", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto xs = random_values<float>(4099, 1);
  const auto ys = random_values<float>(4099, 2);
  auto x = to_space(space, xs);
  auto y = to_space(space, ys);
  tandem::parallel_for(space, 4099, saxpy{}, 1.5f, x.const_view(), y.view());
  // Arrays convert to the views that the parameters name, with const elements or not.
  using memory = typename Backend::space::memory_type;
  using input = tandem::view<const float, 1, tandem::layout_right, memory>;
  using output = tandem::view<float, 1, tandem::layout_right, memory>;
  tandem::parallel_for(
      space, 4099, TANDEM_LAMBDA(int i, input from, output to) { to(i) -= from(i); }, x, y);
  auto wanted = ys;
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = std::fma(1.5f, xs[i], ys[i]) - xs[i];
  CHECK(first_difference(to_host(space, y), wanted) == -1);

  tandem::array<int, 2, typename Backend::space> plane(tandem::extents<2>(3, 50), 7, space);
  tandem::parallel_for(space, tandem::grid{3, 50}, add_at{}, plane.view());
  const auto got = to_host(space, plane);
  CHECK((got[0] == 7 && got[149] == 7 + 249));
}

TEST_CASE_TEMPLATE("parallel_for: strided and left layouts are written where they lie", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space, tandem::layout_left> x(tandem::extents<2>(40, 30),
                                                                        0, space);
  auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{40, 30}, TANDEM_LAMBDA(int j, int i) { v(j, i) = 100 * j + i; });
  auto odd = tandem::subview(v, tandem::slice{1, 40, 2}, tandem::slice{0, 30, 3});
  tandem::parallel_for(
      space, tandem::grid{20, 10}, TANDEM_LAMBDA(int j, int i) { odd(j, i) = -odd(j, i); });
  const auto got = to_host(space, x);
  bool right = true;
  for (int j = 0; j < 40; ++j) {
    for (int i = 0; i < 30; ++i) {
      const int sign = j % 2 == 1 && i % 3 == 0 ? -1 : 1;
      right &= got[static_cast<std::size_t>(j * 30 + i)] == sign * (100 * j + i);
    }
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_for: an index that its type cannot hold is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(1), 5, space);
  auto v = x.view();
  const auto small = TANDEM_LAMBDA(std::int8_t) { v(0) = 6; };
  const auto narrow = TANDEM_LAMBDA(int) { v(0) = 6; };
  const auto natural = TANDEM_LAMBDA(unsigned) { v(0) = 6; };
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, 129, small),
                       "parallel_for: last index (128) > largest value of its type (127)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::index_t{1} << 31 | 1, narrow),
                  tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::range{-1, 1}, natural), tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, tandem::range{0, 10}.with_block(-3), narrow),
                  tandem::extent_error);
  CHECK(to_host(space, x)[0] == 5);
  tandem::parallel_for(space, 1, narrow);
  CHECK(to_host(space, x)[0] == 6);
}

TEST_CASE_TEMPLATE("parallel_for: a constant table is captured by value", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::constant<int, 3> table{{10, 20, 30}};
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(9), 0, space);
  auto v = x.view();
  tandem::parallel_for(
      space, 9, TANDEM_LAMBDA(int i) { v(i) = table[i % 3]; });
  table.values[0] = -1;
  CHECK(to_host(space, x) == std::vector<int>{10, 20, 30, 10, 20, 30, 10, 20, 30});
}

TEST_CASE_TEMPLATE("parallel_for: a kernel reads members of its class by a copy of the object",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<float, 1, typename Backend::space> x({33}, 2.0f, space);
  const scaled_line<typename Backend::space> line{x.view(), 3.0f};
  line.scale_by_a_copy_of_the_object(space);
  line.scale_by_copies_of_members(space);
  CHECK(to_host(space, x) == std::vector<float>(33, 18.0f));
}
