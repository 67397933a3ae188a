// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over grids so large that a device gives each thread several indices, and over grids whose
// indices do not fit their parameters.

// Kernels convert the indices of those.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"

#include <algorithm>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

TEST_CASE_TEMPLATE("parallel_for: rows of every length of a grid that fills the machine", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int elements = 1 << 19;  // several indices per thread on 132 multiprocessors
  for (const int nx :
       {1, 31, 32, 33, 127, 128, 129, 159, 160, 192, 224, 255, 256, 257, 1000, elements}) {
    const int ny = elements / nx + 1;
    tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(ny, nx), 0, space);
    auto v = x.view();
    tandem::parallel_for(
        space, tandem::grid{ny, nx}, TANDEM_LAMBDA(int j, int i) { v(j, i) += j * nx + i + 1; });
    const auto got = to_host(space, x);
    bool right = true;
    for (int e = 0; e < ny * nx; ++e) right &= got[static_cast<std::size_t>(e)] == e + 1;
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("parallel_for: a stencil over a grid large enough for several rows per thread",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  constexpr int elements = 2300000;  // enough for that on 132 multiprocessors
  for (const int nx : {128, 191, 1000, 1025, elements}) {
    const int ny = elements / nx + 2;
    CAPTURE(nx);
    tandem::array<int, 2, Space> x(tandem::extents<2>(ny, nx), space);
    tandem::array<int, 2, Space> y(tandem::extents<2>(ny, nx), -1, space);
    const auto line = tandem::as_view<typename Space::memory_type>(x.data_handle(), x.size());
    tandem::parallel_for(
        space, line.size(), TANDEM_LAMBDA(int e) { line(e) = e % 1013; });
    const auto in = x.const_view();
    const auto out = y.view();
    tandem::parallel_for(
        space, tandem::grid{{1, ny - 1}, {1, nx - 1}}, TANDEM_LAMBDA(int j, int i) {
          out(j, i) = in(j - 1, i) + 3 * in(j + 1, i) + 5 * in(j, i - 1) + 7 * in(j, i + 1);
        });
    const auto got = to_host(space, y);
    const auto at = [&](int j, int i) { return (j * nx + i) % 1013; };
    bool right = true;
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const bool inside = j > 0 && j < ny - 1 && i > 0 && i < nx - 1;
        const int wanted =
            inside ? at(j - 1, i) + 3 * at(j + 1, i) + 5 * at(j, i - 1) + 7 * at(j, i + 1) : -1;
        right &= got[static_cast<std::size_t>(j * nx + i)] == wanted;
      }
    }
    CHECK(right);
  }
}

/// Adds to each element what tells its indices apart, in a loop whose indices begin elsewhere.
template <class Index, class Space>
bool visits_volume_from(const Space& space, int k0, int j0, int i0) {
  const int nz = 21;
  const int ny = 333;
  const int nx = 331;
  tandem::array<int, 3, Space> x(tandem::extents<3>(nz, ny, nx), 1, space);
  const auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{{k0, k0 + nz}, {j0, j0 + ny}, {i0, i0 + nx}},
      TANDEM_LAMBDA(Index k, Index j, Index i) {
        v(k - k0, j - j0, i - i0) += (k * 1000 + j) * 1000 + i;
      });
  const auto got = to_host(space, x);
  bool right = true;
  std::size_t e = 0;
  for (int k = k0; k < k0 + nz; ++k) {
    for (int j = j0; j < j0 + ny; ++j) {
      for (int i = i0; i < i0 + nx; ++i) right &= got[e++] == (k * 1000 + j) * 1000 + i + 1;
    }
  }
  return right;
}

TEST_CASE_TEMPLATE("parallel_for: a large volume begins where each range says", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(visits_volume_from<int>(space, -3, 5, -70));
  CHECK(visits_volume_from<short>(space, -3, 5, -70));
  CHECK(visits_volume_from<tandem::index_t>(space, -3, 5, -70));
  CHECK(visits_volume_from<unsigned>(space, 3, 5, 70));
}

TEST_CASE_TEMPLATE("parallel_for: a volume large enough for several rows per thread", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int nz = 21;
  const int ny = 333;
  const int nx = 331;
  tandem::array<int, 3, typename Backend::space> x(tandem::extents<3>(nz, ny, nx), 1, space);
  const auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{nz, ny, nx},
      TANDEM_LAMBDA(int k, int j, int i) { v(k, j, i) += (k * ny + j) * nx + i; });
  const auto got = to_host(space, x);
  bool right = true;
  for (int e = 0; e < nz * ny * nx; ++e) right &= got[static_cast<std::size_t>(e)] == e + 1;
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_for: a pitched window is updated and its gaps are not", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int pitch = 1003;
  for (const int nx : {1, 31, 129, 1000}) {
    const int ny = std::min((1 << 19) / nx + 1, 20'000);  // rows of 4 KB
    tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(ny, pitch), 7, space);
    const auto v =
        tandem::as_pitched(tandem::subview(x.view(), tandem::all, tandem::slice{2, 2 + nx}));
    tandem::parallel_for(
        space, tandem::grid{ny, nx}, TANDEM_LAMBDA(int j, int i) { v(j, i) += j * nx + i; });
    const auto got = to_host(space, x);
    bool right = true;
    for (int e = 0; e < ny * pitch; ++e) {
      const int i = e % pitch - 2;
      const int wanted = i >= 0 && i < nx ? 7 + e / pitch * nx + i : 7;
      right &= got[static_cast<std::size_t>(e)] == wanted;
    }
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("parallel_for: loops without vectors call the function for the same indices",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using tandem::without_vectors;
  constexpr int n = 6 * 70 * 130;
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(n), 0, space);
  auto v = x.view();
  const auto add = TANDEM_LAMBDA(int i) { v(i) += i; };
  tandem::parallel_for(space, without_vectors(n), add);
  tandem::parallel_for(space, without_vectors(tandem::range{5, n}), add);
  tandem::parallel_for(space, without_vectors(tandem::range{0, 3}.with_block<64>()), add);
  const auto add_plane = TANDEM_LAMBDA(int j, int i) { v(j * 130 + i) += 3; };
  tandem::parallel_for(space, without_vectors(tandem::grid{420, 130}), add_plane);
  tandem::parallel_for(space, without_vectors(tandem::grid{{7, 9}, {1, 129}}), add_plane);
  tandem::parallel_for(
      space, without_vectors(tandem::grid{6, 70, 130}.with_block<1, 8, 32>()),
      TANDEM_LAMBDA(unsigned k, unsigned j, unsigned i) { v((k * 70 + j) * 130 + i) += 5; });
  const auto got = to_host(space, x);
  bool right = true;
  for (int e = 0; e < n; ++e) {
    const int j = e / 130, i = e % 130;
    const int calls = 1 + (e >= 5) + (e < 3);
    const bool is_inside = j >= 7 && j < 9 && i >= 1 && i < 129;
    right &= got[static_cast<std::size_t>(e)] == calls * e + 3 + (is_inside ? 3 : 0) + 5;
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_for: an index of a grid that its own parameter cannot hold is refused",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using tandem::grid;
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(256), 5, space);
  auto v = x.view();
  const auto small = TANDEM_LAMBDA(int, unsigned char i) { v(i) = 6; };
  const auto natural = TANDEM_LAMBDA(int, unsigned i) { v(i) = 6; };
  const auto bound = TANDEM_LAMBDA(int, unsigned char i, int value) { v(i) = value; };
  const auto deep = TANDEM_LAMBDA(int, int, std::int8_t i) { v(i) = 6; };
  const auto term = TANDEM_LAMBDA(int, unsigned char i)->long { return i; };
  const char* last =
      "parallel_for: last index along dimension 1 (299) > largest value of its type (255)";
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, grid{2, 300}, small), last,
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(space, grid{2, 300}, bound, 6), last,
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_for(space, grid{{0, 2}, {-3, 3}}, natural),
      "parallel_for: first index along dimension 1 (-3) < smallest value of its type (0)",
      tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_for(space, grid{1, 2, 129}, deep),
      "parallel_for: last index along dimension 2 (128) > largest value of its type (127)",
      tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, grid{2, 257}.with_block(1, 32), small),
                  tandem::extent_error);
  CHECK_THROWS_AS((void)tandem::parallel_reduce(space, grid{2, 300}, term), tandem::extent_error);
  tandem::array<long, 1, typename Backend::space> sums(tandem::extents<1>(2), 0, space);
  CHECK_THROWS_AS(tandem::parallel_reduce_into(space, grid{2, 300}, tandem::axis{1}, term,
                                               tandem::sum<long>{}, sums),
                  tandem::extent_error);
  CHECK(to_host(space, x) == std::vector<int>(256, 5));
  tandem::parallel_for(space, grid{2, 256}, small);
  CHECK(to_host(space, x) == std::vector<int>(256, 6));
  CHECK(tandem::parallel_reduce(space, grid{2, 256}, term) == 255 * 256);
}
