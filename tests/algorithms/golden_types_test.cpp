// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kept hashes, as in golden_test.cpp, of other element types, of teams, of launch shapes and of the
// epilogues of matrix products.

#include <cstdint>
#include <vector>

#include "support/backends.hpp"
#include "support/golden.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::matmul_activation;

namespace {

constexpr std::size_t n = 70001;

/// Hashes the sum, the scan and, if it is defined, the dot product.
template <class T, class Space>
std::uint64_t hash_of_elements(const Space& space) {
  auto x = to_space(space, golden_values<T>(n, 301));
  auto y = to_space(space, golden_values<T>(n, 302));
  std::uint64_t hash = word_of(tandem::parallel_reduce(space, x));
  if constexpr (!tandem::detail::real16<T>)
    hash = combined(hash, word_of(tandem::dot(space, x, y)));
  tandem::parallel_scan(space, x, y);
  return combined(hash, hash_of_all(to_host(space, y)));
}

template <class T, class In, class Space>
std::uint64_t hash_of_products(const Space& space, matmul_activation activation) {
  using Scalar = tandem::detail::matmul_sum_t<T>;
  tandem::array<In, 2, Space> a(tandem::extents<2>(67, 1100), space);
  tandem::array<In, 2, Space> b(tandem::extents<2>(1100, 45), space);
  tandem::array<T, 2, Space> c(tandem::extents<2>(67, 45), space);
  tandem::copy(space, golden_values<In>(static_cast<std::size_t>(a.size()), 303), a);
  tandem::copy(space, golden_values<In>(static_cast<std::size_t>(b.size()), 304), b);
  if constexpr (std::is_same_v<T, Scalar> && std::is_floating_point_v<T>) {
    auto bias = to_space(space, golden_values<T>(45, 305));
    tandem::matmul(
        space, a.const_view(), b.const_view(), c.view(),
        {.alpha = Scalar(0.125), .epilogue = tandem::bias(bias.const_view(), activation)});
  } else {
    tandem::matmul(space, a.const_view(), b.const_view(), c.view());
  }
  return hash_of_all(to_host(space, c));
}

/// Stores what a team's collectives return in each lane.
template <class X, class Y>
struct collectives {
  X x;
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    const index_t team = t.index();
    tandem::per_lane<float> mine(t);
    tandem::per_lane<float> up_to(t);
    tandem::per_lane<float> before(t);
    t.for_each_lane([&](int lane) { up_to[lane] = before[lane] = mine[lane] = x(team, lane); });
    const float total = t.reduce(mine);
    t.inclusive_scan(up_to);
    t.exclusive_scan(before, tandem::sum<>{});
    const float last = t.broadcast(mine, t.lanes() - 1);
    t.for_each_lane([&](int lane) {
      y(team, lane) = total + 0.5f * up_to[lane] + 0.25f * before[lane] + 0.125f * last;
    });
  }
};

template <class Space>
std::uint64_t hash_of_teams(const Space& space, int lanes) {
  tandem::array<float, 2, Space> x(tandem::extents<2>(9, lanes), space);
  tandem::array<float, 2, Space> y(tandem::extents<2>(9, lanes), space);
  tandem::copy(space, golden_values<float>(static_cast<std::size_t>(x.size()), 306), x);
  tandem::parallel_teams(
      space, {9, lanes, 0},
      collectives<decltype(x.const_view()), decltype(y.view())>{x.const_view(), y.view()});
  return hash_of_all(to_host(space, y));
}

/// Arithmetic that gives other bits if a multiply-add is fused or a quotient or function is
/// inexact.
template <class X, class Y>
struct arithmetic {
  X x;
  Y y;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const auto v = x(i);
    y(i) = (v * v + v) / (tandem::exp(-v) + tandem::sqrt(tandem::abs(v)));
  }
};

template <class X, class Y>
arithmetic(X, Y) -> arithmetic<X, Y>;

/// Checks that one loop hashes to `wanted` in several launch shapes.
template <class T, class Space>
void check_shapes(const Space& space, std::uint64_t wanted) {
  auto x = to_space(space, golden_values<T>(n, 307));
  auto y = to_space(space, std::vector<T>(n));
  const arithmetic body{x.const_view(), y.view()};
  const tandem::range all{0, static_cast<index_t>(n)};
  const auto check = [&](const auto& indices) {
    tandem::fill(space, y, T(0));
    tandem::parallel_for(space, indices, body);
    CHECK(hash_of_all(to_host(space, y)) == wanted);
  };
  check(all);
  check(all.with_block(32));
  check(all.with_block(96));
  check(all.with_block(1024));
  check(all.with_blocks(1));
  check(all.with_blocks(7));
  check(all.template with_block<64>());
  check(all.template with_block<256>().with_blocks(33));
}

}  // namespace

TEST_CASE_TEMPLATE("golden: integers, 16-bit floats and complex numbers", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_elements<std::int32_t>(space) == 0xc755212c1b2ee4c2u);
  CHECK(hash_of_elements<std::uint64_t>(space) == 0x4f59c17a240fe4b3u);
  CHECK(hash_of_elements<tandem::half>(space) == 0xac2686054f978cc4u);
  CHECK(hash_of_elements<tandem::bf16>(space) == 0x7d006f5bb9a1304bu);
  CHECK(hash_of_elements<tandem::complex<float>>(space) == 0x5d625144b312a340u);
  CHECK(hash_of_elements<tandem::complex<double>>(space) == 0x3d165fc156aeb160u);
}

TEST_CASE_TEMPLATE("golden: matrix products with an epilogue, and of bytes", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_products<float, float>(space, matmul_activation::none) == 0xbda22725790f33acu);
  CHECK(hash_of_products<float, float>(space, matmul_activation::relu) == 0xb4dcc495d710c981u);
  CHECK(hash_of_products<float, float>(space, matmul_activation::gelu) == 0x80278a588a27aa89u);
  CHECK(hash_of_products<double, double>(space, matmul_activation::gelu) == 0x7ab55af029911ab2u);
  CHECK(hash_of_products<std::int32_t, std::int8_t>(space, matmul_activation::none) ==
        0x1529afd0d10e7219u);
}

TEST_CASE_TEMPLATE("golden: matrix products of 16-bit floats on the processor", Backend,
                   TANDEM_TEST_BACKENDS) {
  // On a device the tensor cores determine the bits.
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    CHECK(hash_of_products<float, tandem::half>(space, matmul_activation::none) ==
          0x12d1f957ae6265f0u);
    CHECK(hash_of_products<tandem::half, tandem::half>(space, matmul_activation::none) ==
          0xbb4665f52e174489u);
    CHECK(hash_of_products<tandem::bf16, tandem::bf16>(space, matmul_activation::none) ==
          0x397655a5950ff274u);
  }
}

TEST_CASE_TEMPLATE("golden: collectives of teams", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(hash_of_teams(space, 33) == 0x7824375400df9eedu);
  CHECK(hash_of_teams(space, 256) == 0xb71b75f7a587467bu);
}

TEST_CASE_TEMPLATE("golden: a loop has one hash in every launch shape", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_shapes<float>(space, 0xce058e2d339a103cu);
  check_shapes<double>(space, 0x8758ba9896c2b6ecu);
}
