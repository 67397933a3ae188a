// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// matmul of doubles at sizes for which tensor copies load the operands on compute capability 9.0:
// the bits of the naive kernel in every order of the operands and at every edge. All of this must
// also hold on other devices.

#include "support/backends.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

#include <limits>

using namespace tandem::test;

namespace {

using tandem::index_t;
using doubles = tandem::array<double, 1, tandem::cuda>;

struct product {
  index_t batch, m, n, k;
  double alpha = 1;
  double beta = 0;
  bool shared_a = false;  ///< one a for the whole batch
};

/// Which matrices are stored by columns rather than by rows.
struct orders {
  bool a, b, c;
};
constexpr orders all_orders[] = {{false, false, false}, {false, false, true}, {false, true, false},
                                 {false, true, true},   {true, false, false}, {true, false, true},
                                 {true, true, false},   {true, true, true}};

/// Places contiguous matrices, by rows or by columns.
batch_placement placed(index_t rows, index_t columns, bool by_columns, bool shared = false) {
  return {.batch = shared ? 0 : rows * columns,
          .row = by_columns ? 1 : columns,
          .column = by_columns ? rows : 1};
}

/// Returns values with a NaN, an infinity, a negative zero or a subnormal at every 997th place.
std::vector<double> hostile_values(index_t count, std::uint64_t seed) {
  using limits = std::numeric_limits<double>;
  constexpr double special[] = {limits::quiet_NaN(), -limits::infinity(), -0.0,
                                -3 * limits::denorm_min()};
  auto values = random_values<double>(static_cast<std::size_t>(count), seed);
  for (std::size_t i = 5; i < values.size(); i += 997) values[i] = special[i % 4];
  return values;
}

/// The operands of a product, and a c that holds NaN, or numbers if beta is used.
struct operands {
  product x;
  doubles a, b, c;

  operands(const tandem::cuda& space, const product& p)
      : x(p),
        a(to_space(space, hostile_values(p.batch * p.m * p.k, 1))),
        b(to_space(space, hostile_values(p.batch * p.k * p.n, 2))),
        c(to_space(space, before(p))) {}

  static std::vector<double> before(const product& p) {
    const auto elements = static_cast<std::size_t>(p.batch * p.m * p.n);
    if (p.beta != 0) return random_values<double>(elements, 3);
    return std::vector<double>(elements, std::numeric_limits<double>::quiet_NaN());
  }

  void multiply(const tandem::cuda& space, const orders& by_columns, tandem::matmul_kernel kernel) {
    using memory = tandem::device_memory;
    const double* const from_a = a.data_handle();
    const double* const from_b = b.data_handle();
    tandem::matmul(
        space,
        matrices_at<memory>(from_a, x.batch, x.m, x.k, placed(x.m, x.k, by_columns.a, x.shared_a)),
        matrices_at<memory>(from_b, x.batch, x.k, x.n, placed(x.k, x.n, by_columns.b)),
        matrices_at<memory>(c.data_handle(), x.batch, x.m, x.n, placed(x.m, x.n, by_columns.c)),
        {.alpha = x.alpha, .beta = x.beta, .kernel = kernel});
  }
};

/// Counts elements whose bits differ; all NaNs count as equal.
index_t differences(const tandem::cuda& space, const doubles& x, const doubles& y) {
  const auto u = x.const_view();
  const auto v = y.const_view();
  return tandem::parallel_reduce(
      space, static_cast<index_t>(x.size()), TANDEM_LAMBDA(index_t i) {
        const bool equal = u(i) == v(i) && (u(i) != 0 || 1 / u(i) == 1 / v(i));
        return index_t{equal || (u(i) != u(i) && v(i) != v(i)) ? 0 : 1};
      });
}

/// Compares `repeated` products with one of the naive kernel, in each order.
void check(const product& x, int repeated = 1) {
  const tandem::cuda space{0};
  const std::vector<double> before = operands::before(x);
  operands o(space, x);
  doubles expected(tandem::extents<1>(o.c.size()), space);
  for (const orders& by_columns : all_orders) {
    INFO("m = " << x.m << ", n = " << x.n << ", k = " << x.k << ", batch = " << x.batch);
    INFO("by columns: " << by_columns.a << by_columns.b << by_columns.c);
    tandem::copy(space, before, o.c);
    o.multiply(space, by_columns, tandem::matmul_kernel::naive);
    tandem::copy(space, o.c, expected);
    tandem::copy(space, before, o.c);
    index_t wrong = 0;
    for (int i = 0; i < repeated; ++i) {
      o.multiply(space, by_columns, tandem::matmul_kernel::automatic);
      wrong += differences(space, o.c, expected);
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("matmul f64: large products of a short k have the naive kernel's bits") {
  check({1, 2048, 1024, 64});
  check({1, 1030, 1026, 100});
  if (takes_few()) return;
  check({1, 1400, 1400, 1000});
}

TEST_CASE("matmul f64: batches whose blocks stay have the naive kernel's bits") {
  const index_t batch = takes_few() ? 2 : 150;
  check({batch, 128, 128, 128});
  check({batch, 130, 66, 36});
  check({.batch = batch, .m = 128, .n = 64, .k = 68, .shared_a = true});
  check({batch * 4, 64, 64, 64});
}

TEST_CASE("matmul f64: tiles by tensor copies are finished as all others are") {
  check({1, 1024, 1022, 132, 0.5, -2});
  check({takes_few() ? 2 : 100, 128, 130, 64, 2, 1});
}

TEST_CASE("matmul f64: no stage is filled again before all of it has been read") {
  const int repeated = takes_few() ? 1 : 100;
  check({1, 2560, 2560, 256}, repeated);
  check({1, 4096, 640, 96}, repeated);
}
