// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

namespace {

/// Placement of a matrix in a buffer: offset and strides in elements.
struct placement {
  tandem::index_t offset;
  tandem::index_t row;
  tandem::index_t column;
  tandem::index_t span;
};

/// Returns one of six layouts of a matrix: by rows or columns, each also with gaps and misaligned,
/// with both strides above 1, or with reversed rows.
placement place(tandem::index_t rows, tandem::index_t columns, std::uint64_t kind) {
  switch (kind % 6) {
    case 0:
      return {0, columns, 1, rows * columns};
    case 1:
      return {0, 1, rows, rows * columns};
    case 2:
      return {3, columns + 5, 1, 3 + rows * (columns + 5)};
    case 3:
      return {1, 1, rows + 3, 1 + columns * (rows + 3)};
    case 4:
      return {2, 3 * columns + 1, 3, 2 + rows * (3 * columns + 1)};
    default:
      return {rows > 0 ? (rows - 1) * columns : 0, -columns, 1, rows * columns};
  }
}

template <class T, class Memory>
tandem::view<T, 2, tandem::layout_stride, Memory> matrix(T* data, tandem::index_t rows,
                                                         tandem::index_t columns,
                                                         const placement& p) {
  using mapping = tandem::layout_stride::mapping<2>;
  return {data + p.offset, mapping({rows, columns}, {p.row, p.column})};
}

template <class T>
struct product_case {
  tandem::index_t m, n, k;
  placement a, b, c;
  T alpha, beta;
};

/// Computes what c must hold: the definition, element by element (docs/numerics.md).
template <class T>
std::vector<T> definition(const product_case<T>& p, const std::vector<T>& a,
                          const std::vector<T>& b, std::vector<T> c) {
  const auto at = [](const placement& where, tandem::index_t row, tandem::index_t column) {
    return static_cast<std::size_t>(where.offset + row * where.row + column * where.column);
  };
  for (tandem::index_t i = 0; i < p.m; ++i) {
    for (tandem::index_t j = 0; j < p.n; ++j) {
      T total = 0;
      for (tandem::index_t begin = 0; begin < p.k; begin += 1024) {
        T chain = 0;
        for (tandem::index_t l = begin; l < p.k && l < begin + 1024; ++l) {
          chain = std::fma(a[at(p.a, i, l)], b[at(p.b, l, j)], chain);
        }
        total = begin == 0 ? chain : total + chain;
      }
      T& out = c[at(p.c, i, j)];
      const T scaled = p.alpha * total;
      out = p.beta == T{0} ? scaled : std::fma(p.beta, out, scaled);
    }
  }
  return c;
}

/// Runs one case. The memory between the elements of c must keep its poison, and NaN in c must not
/// show if beta is 0.
template <class T, class Space>
void check_product(const Space& space, const product_case<T>& p, std::uint64_t seed,
                   tandem::matmul_kernel kernel = tandem::matmul_kernel::automatic) {
  const auto as = random_values<T>(static_cast<std::size_t>(p.a.span), seed + 1);
  const auto bs = random_values<T>(static_cast<std::size_t>(p.b.span), seed + 2);
  auto cs = random_values<T>(static_cast<std::size_t>(p.c.span), seed + 3);
  if (p.beta == T{0}) cs.assign(cs.size(), std::numeric_limits<T>::quiet_NaN());
  auto a = to_space(space, as);
  auto b = to_space(space, bs);
  auto c = to_space(space, cs);
  using memory = typename Space::memory_type;
  tandem::matmul(space, matrix<const T, memory>(a.data_handle(), p.m, p.k, p.a),
                 matrix<const T, memory>(b.data_handle(), p.k, p.n, p.b),
                 matrix<T, memory>(c.data_handle(), p.m, p.n, p.c),
                 {.alpha = p.alpha, .beta = p.beta, .kernel = kernel});
  INFO("m = " << p.m << ", n = " << p.n << ", k = " << p.k << ", alpha = " << p.alpha
              << ", beta = " << p.beta);
  INFO("strides of a " << p.a.row << " " << p.a.column << ", b " << p.b.row << " " << p.b.column
                       << ", c " << p.c.row << " " << p.c.column);
  CHECK(first_difference(to_host(space, c), definition(p, as, bs, cs)) == -1);
}

template <class T>
product_case<T> random_case(std::uint64_t seed, tandem::index_t largest) {
  const auto pick = [seed](std::uint64_t i, std::uint64_t bound) {
    return static_cast<tandem::index_t>(mix(seed * 16 + i) % bound);
  };
  product_case<T> p{};
  p.m = pick(0, static_cast<std::uint64_t>(largest));
  p.n = pick(1, static_cast<std::uint64_t>(largest));
  p.k = pick(2, static_cast<std::uint64_t>(largest));
  p.a = place(p.m, p.k, mix(seed * 16 + 3));
  p.b = place(p.k, p.n, mix(seed * 16 + 4));
  p.c = place(p.m, p.n, mix(seed * 16 + 5));
  p.alpha = pick(6, 2) == 0 ? T{1} : static_cast<T>(-0.75);
  p.beta = pick(7, 2) == 0 ? T{0} : static_cast<T>(1.25);
  return p;
}

template <class T>
product_case<T> packed_case(tandem::index_t m, tandem::index_t n, tandem::index_t k) {
  return {m, n, k, place(m, k, 0), place(k, n, 0), place(m, n, 0), T{1}, T{0}};
}

}  // namespace

TEST_CASE_TEMPLATE("matmul: the definition's bits over random shapes, layouts and scalars", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    check_product(space, random_case<float>(seed, 40), seed);
    check_product(space, random_case<double>(seed, 40), seed);
  }
  for (std::uint64_t seed = 1000; seed < 1012; ++seed) {
    check_product(space, random_case<float>(seed, 200), seed);
    check_product(space, random_case<double>(seed, 200), seed);
  }
}

TEST_CASE_TEMPLATE("matmul: sizes around tiles and chunks", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::index_t sizes[][3] = {
      {0, 5, 3},     {5, 0, 3},      {5, 3, 0},      {1, 1, 1},      {1, 1, 5000}, {1, 300, 70},
      {300, 1, 70},  {64, 64, 64},   {128, 128, 16}, {129, 127, 33}, {31, 33, 32}, {17, 19, 1023},
      {16, 8, 1024}, {33, 20, 1025}, {40, 24, 2049}, {256, 96, 40}};
  for (const auto& size : sizes) {
    check_product(space, packed_case<float>(size[0], size[1], size[2]), 5);
    check_product(space, packed_case<double>(size[0], size[1], size[2]), 6);
  }
}

TEST_CASE_TEMPLATE("matmul: the naive and the tiled kernel have the same bits", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const auto kernel : {tandem::matmul_kernel::naive, tandem::matmul_kernel::tiled}) {
    for (std::uint64_t seed = 40; seed < 60; ++seed) {
      check_product(space, random_case<float>(seed, 70), seed, kernel);
      check_product(space, random_case<double>(seed, 70), seed, kernel);
    }
    check_product(space, packed_case<float>(20, 30, 2500), 7, kernel);
    check_product(space, packed_case<double>(20, 30, 2500), 8, kernel);
  }
}

TEST_CASE_TEMPLATE("matmul: a row alone has the bits it has in the whole", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const auto as = random_values<float>(150 * 3000, 1);
  const auto bs = random_values<float>(3000 * 130, 2);
  tandem::array<float, 2, Space> a(tandem::extents<2>(150, 3000), space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(3000, 130), space);
  tandem::array<float, 2, Space> c(tandem::extents<2>(150, 130), space);
  tandem::array<float, 2, Space> one(tandem::extents<2>(1, 130), space);
  tandem::copy(space, as, a);
  tandem::copy(space, bs, b);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view());
  for (const int row : {0, 77, 149}) {
    const auto part = tandem::subview(a.const_view(), tandem::slice{row, row + 1}, tandem::all);
    tandem::matmul(space, part, b.const_view(), one.view());
    CHECK(first_difference(to_host(space, one),
                           to_host(space, tandem::subview(c.view(), row, tandem::all))) == -1);
  }
}

TEST_CASE_TEMPLATE("matmul: batches, and one operand for all of them", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  tandem::array<double, 3, Space> a(tandem::extents<3>(7, 20, 50), space);
  tandem::array<double, 3, Space> b(tandem::extents<3>(7, 50, 30), space);
  tandem::array<double, 3, Space> c(tandem::extents<3>(7, 20, 30), 1.0, space);
  tandem::array<double, 2, Space> alone(tandem::extents<2>(20, 30), 1.0, space);
  tandem::copy(space, random_values<double>(7 * 20 * 50, 1), a);
  tandem::copy(space, random_values<double>(7 * 50 * 30, 2), b);
  const auto entry = [](const auto& v, int p) {
    return tandem::subview(v, p, tandem::all, tandem::all);
  };
  tandem::matmul(space, a.const_view(), b.const_view(), c.view());
  for (int p = 0; p < 7; ++p) {
    tandem::matmul(space, entry(a.const_view(), p), entry(b.const_view(), p), alone.view());
    CHECK(first_difference(to_host(space, entry(c.view(), p)), to_host(space, alone)) == -1);
  }
  tandem::matmul(space, a.const_view(), entry(b.const_view(), 3), c.view());
  tandem::matmul(space, entry(a.const_view(), 6), entry(b.const_view(), 3), alone.view());
  CHECK(first_difference(to_host(space, entry(c.view(), 6)), to_host(space, alone)) == -1);
}

TEST_CASE_TEMPLATE("matmul: NaN and infinity go where they belong", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto p = packed_case<float>(33, 29, 70);
  auto as = random_values<float>(33 * 70, 1);
  auto bs = random_values<float>(70 * 29, 2);
  as[5 * 70 + 3] = std::numeric_limits<float>::quiet_NaN();
  bs[8 * 29 + 4] = std::numeric_limits<float>::infinity();
  as[7] = -0.0f;
  std::vector<float> cs(33 * 29, 0.0f);
  using Space = typename Backend::space;
  tandem::array<float, 2, Space> a(tandem::extents<2>(33, 70), space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(70, 29), space);
  tandem::array<float, 2, Space> c(tandem::extents<2>(33, 29), 0.0f, space);
  tandem::copy(space, as, a);
  tandem::copy(space, bs, b);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view());
  const auto got = to_host(space, c);
  CHECK(first_difference(got, definition(p, as, bs, cs)) == -1);
  CHECK(std::isnan(got[5 * 29]));
  CHECK(!std::isnan(got[6 * 29]));
}

TEST_CASE_TEMPLATE("matmul: a product of negative zeros keeps its sign rules", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  tandem::array<float, 2, Space> a(tandem::extents<2>(5, 3), -0.0f, space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(3, 5), 1.0f, space);
  tandem::array<float, 2, Space> c(tandem::extents<2>(5, 5), 1.0f, space);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view());
  CHECK(first_difference(to_host(space, c), std::vector<float>(25, 0.0f)) == -1);
}

TEST_CASE_TEMPLATE("matmul: shapes that do not fit are refused before anything is written", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  tandem::array<float, 2, Space> a(tandem::extents<2>(8, 64), 1.0f, space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(32, 16), 1.0f, space);
  tandem::array<float, 2, Space> c(tandem::extents<2>(8, 16), 3.0f, space);
  tandem::array<float, 2, Space> fits(tandem::extents<2>(64, 16), 1.0f, space);
  tandem::array<float, 2, Space> narrow(tandem::extents<2>(64, 15), 1.0f, space);
  CHECK_THROWS_WITH_AS(tandem::matmul(space, a.view(), b.view(), c.view()),
                       "matmul: columns of a (64) != rows of b (32)", tandem::extent_error);
  CHECK_THROWS_AS(tandem::matmul(space, a.view(), narrow.view(), c.view()), tandem::extent_error);
  CHECK_THROWS_AS(tandem::matmul(space, fits.view(), fits.view(), c.view()), tandem::extent_error);
  tandem::array<float, 2, Space> square(tandem::extents<2>(8, 8), 1.0f, space);
  CHECK_THROWS_AS(tandem::matmul(space, square.view(), square.view(), square.view()),
                  tandem::argument_error);
  const tandem::view<float, 2, tandem::layout_right, typename Space::memory_type> nowhere(
      nullptr, tandem::extents<2>(64, 16));
  CHECK_THROWS_AS(tandem::matmul(space, a.view(), nowhere, c.view()), tandem::argument_error);
  CHECK(to_host(space, c) == std::vector<float>(8 * 16, 3.0f));
  tandem::matmul(space, a.view(), fits.view(), c.view(), {.beta = 2.0f});
  CHECK(to_host(space, c) == std::vector<float>(8 * 16, 70.0f));
}
