// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If 16-byte copies cannot read a large b of floats, it is packed before it is multiplied. The
// packed product must have the bits of the naive kernel, which reads b in place.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <limits>

using namespace tandem::test;

namespace {

using tandem::index_t;

/// Placement of the matrices of b in their buffer: offset and strides in elements.
struct placement {
  const char* name;
  index_t offset, batch, row, column;
};

/// A product of floats with b at any placement; a and c are contiguous.
struct product {
  index_t batch, m, n, k;
  placement b;
};

std::vector<float> multiply(const tandem::cuda& space, const product& p, float beta,
                            tandem::matmul_kernel kernel) {
  using memory = tandem::cuda::memory_type;
  using layout = tandem::layout_stride;
  const auto values = [&](index_t count, std::uint64_t seed) {
    return to_space(space, random_values<float>(static_cast<std::size_t>(count), seed));
  };
  const auto a = values(p.batch * p.m * p.k, 1);
  const auto b = values(4 + 3 * p.batch * p.k * (p.n + 3), 2);
  auto c = beta == 0
               ? to_space(space, std::vector<float>(static_cast<std::size_t>(p.batch * p.m * p.n),
                                                    std::numeric_limits<float>::quiet_NaN()))
               : values(p.batch * p.m * p.n, 3);
  const auto matrices = [&]<class E>(E* data, index_t rows, index_t columns, const placement& at) {
    return tandem::view<E, 3, layout, memory>(
        data + at.offset,
        layout::mapping<3>({p.batch, rows, columns}, {at.batch, at.row, at.column}));
  };
  const placement in_a{"", 0, p.m * p.k, p.k, 1};
  const placement in_c{"", 0, p.m * p.n, p.n, 1};
  tandem::matmul(
      space, matrices(a.data_handle(), p.m, p.k, in_a), matrices(b.data_handle(), p.k, p.n, p.b),
      matrices(c.data_handle(), p.m, p.n, in_c), {.alpha = 0.5f, .beta = beta, .kernel = kernel});
  return to_host(space, c);
}

void check(const tandem::cuda& space, const product& p, float beta) {
  INFO(p.b.name << ": " << p.batch << " of m = " << p.m << ", n = " << p.n << ", k = " << p.k);
  CHECK(first_difference(multiply(space, p, beta, tandem::matmul_kernel::automatic),
                         multiply(space, p, beta, tandem::matmul_kernel::naive)) == -1);
}

/// Returns all placements of a k x n matrix.
std::vector<placement> places(index_t n, index_t k) {
  return {{"rows", 0, k * n, n, 1},
          {"rows off 16 bytes", 1, k * (n + 3), n + 3, 1},
          {"rows in reverse", (k - 1) * n, k * n, -n, 1},
          {"columns", 0, k * n, 1, k},
          {"columns off 16 bytes, with gaps", 3, (k + 2) * n, 1, k + 2},
          {"columns and rows in reverse", k * n - 1, k * n, -1, -k},
          {"every third element", 2, 3 * k * n, 3 * n, 3},
          {"one row for all terms", 1, 0, 0, 1}};
}

}  // namespace

TEST_CASE("cuda matmul: an operand that is packed gives the bits of the one in place") {
  const tandem::cuda space(0);
  if (takes_few()) {  // one copied by rows, one transposed
    for (const std::size_t at : {1u, 4u})
      check(space, {1, 1000, 1021, 402, places(1021, 402)[at]}, 0);
    return;
  }
  for (const index_t n : {1021, 1022, 1023, 1024}) {
    for (const placement& b : places(n, 1030)) check(space, {1, 1000, n, 1030, b}, 0);
  }
  for (const placement& b : places(1023, 515)) check(space, {1, 2050, 1023, 515, b}, -1.5f);
}

TEST_CASE("cuda matmul: the matrices of a batch are packed, one for all of them once") {
  const tandem::cuda space(0);
  if (takes_few()) {
    for (const std::size_t at : {1u, 4u})
      check(space, {3, 1025, 511, 258, places(511, 258)[at]}, 0);
    return;
  }
  for (placement b : places(511, 510)) {
    if (b.row == 0) continue;
    check(space, {3, 1025, 511, 510, b}, 0);
    b.batch = 0;
    check(space, {3, 1025, 511, 510, b}, 0);
  }
}
