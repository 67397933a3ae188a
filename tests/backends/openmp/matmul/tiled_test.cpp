// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// matmul_kernel::tiled runs square tiles on the CPU, with the bits of every other kernel.
#include "support/backends.hpp"
#include "support/data.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>

#include <atomic>
#include <cstring>

using namespace tandem::test;
using tandem::extents;
using tandem::matmul_kernel;

namespace {

using kernels = tandem::openmp_impl::matmul_kernels<float>;
std::atomic<int> square_tiles = 0;

void count_tiles(const tandem::openmp_impl::matmul_square<float>& tiles) {
  ++square_tiles;
  tandem::openmp_impl::best_kernels<kernels>().multiply_square(tiles);
}

/// Computes c = a * b with elements T and C by `kernel`, on the CPU.
template <class C, class T, class Space>
std::vector<C> product(const Space& space, matmul_kernel kernel, int m, int n, int k) {
  tandem::array<T, 2, Space> a(extents<2>(m, k), space);
  tandem::array<T, 2, Space> b(extents<2>(k, n), space);
  tandem::array<C, 2, Space> c(extents<2>(m, n), space);
  const auto as = random_below<int>(static_cast<std::size_t>(m * k), 200, 1);
  const auto bs = random_below<int>(static_cast<std::size_t>(k * n), 200, 2);
  for (tandem::index_t i = 0; i < a.size(); ++i)
    a.data_handle()[i] = static_cast<T>(static_cast<float>(as[static_cast<std::size_t>(i)] - 100));
  for (tandem::index_t i = 0; i < b.size(); ++i)
    b.data_handle()[i] = static_cast<T>(static_cast<float>(bs[static_cast<std::size_t>(i)] - 100));
  tandem::fill(space, c, static_cast<C>(1.0f));
  tandem::matmul(space, a, tandem::transposed(tandem::transposed(b)), c,
                 {.alpha = 2,
                  .beta = 1,
                  .epilogue = {.activation = tandem::matmul_activation::relu},
                  .kernel = kernel});
  return tandem::to_vector(space, c);
}

}  // namespace

TEST_CASE("openmp: the tiled product multiplies square tiles, others do not") {
  kernels counted = tandem::openmp_impl::best_kernels<kernels>();
  counted.multiply_square = count_tiles;
  const auto a = random_values<float>(70 * 100, 1);
  const auto b = random_values<float>(100 * 40, 2);
  std::vector<float> c(70 * 40);
  tandem::matmul_problem<float> p;
  p.m = 70;
  p.n = 40;
  p.k = 100;
  p.a = a.data();
  p.a_row = 100;
  p.a_column = 1;
  p.b = b.data();
  p.b_row = 40;
  p.b_column = 1;
  p.c = c.data();
  p.c_row = 40;
  p.c_column = 1;
  for (const auto kernel : {matmul_kernel::automatic, matmul_kernel::naive}) {
    p.kernel = kernel;
    tandem::openmp_impl::run_matmul(2, p, counted);
  }
  CHECK(square_tiles == 0);
  p.kernel = matmul_kernel::tiled;
  tandem::openmp_impl::run_matmul(2, p, counted);
  CHECK(square_tiles == 3 * 2 * 4);
}

TEST_CASE_TEMPLATE("openmp: the tiled product has the bits of serial for every type", T, float,
                   double, tandem::half, tandem::bf16, std::int8_t) {
  using C = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, T>;
  for (const int k : {0, 1, 33, 2050}) {
    for (const int threads : {1, 3}) {
      const auto tiled = product<C, T>(tandem::openmp(threads), matmul_kernel::tiled, 33, 65, k);
      const auto expected = product<C, T>(tandem::serial{}, matmul_kernel::automatic, 33, 65, k);
      CHECK(std::memcmp(tiled.data(), expected.data(), tiled.size() * sizeof(C)) == 0);
    }
  }
}
