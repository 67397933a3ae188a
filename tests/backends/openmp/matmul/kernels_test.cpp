// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction set that this machine can run, not only the fastest one, has serial's bits.

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

template <class T>
void check_all_kernels(tandem::index_t m, tandem::index_t n, tandem::index_t k) {
  if (leaves_out_product(m * n * k)) return;
  const auto as = random_values<T>(static_cast<std::size_t>(m * k), 1);
  const auto bs = random_values<T>(static_cast<std::size_t>(k * n), 2);
  const auto cs = random_values<T>(static_cast<std::size_t>(m * n), 3);
  const auto a = tandem::as_view<tandem::host_memory>(as.data(), m, k);
  const auto b = tandem::as_view<tandem::host_memory>(bs.data(), k, n);
  auto wanted = cs;
  tandem::matmul(tandem::serial{}, a, b, tandem::as_view<tandem::host_memory>(wanted.data(), m, n),
                 {.alpha = T(0.5), .beta = T(-2)});
  for (const auto* kernels :
       tandem::openmp_impl::usable_kernels<tandem::openmp_impl::matmul_kernels<T>>()) {
    for (const int threads : {1, 3, 8}) {
      if (takes_few() && threads != 3) continue;
      auto c = cs;
      auto problem =
          tandem::openmp_impl::contiguous_problem(m, n, k, as.data(), bs.data(), c.data());
      problem.alpha = T(0.5);
      problem.beta = T(-2);
      tandem::openmp_impl::run_matmul(threads, problem, *kernels);
      INFO(kernels->instruction_set << ", " << threads << " threads, " << m << " x " << n << " x "
                                    << k);
      CHECK(first_difference(c, wanted) == -1);
    }
  }
}

}  // namespace

TEST_CASE("openmp matmul: every instruction set has serial's bits") {
  CHECK(!tandem::openmp_impl::usable_kernels<tandem::openmp_impl::matmul_kernels<float>>().empty());
  const tandem::index_t sizes[][3] = {{1, 1, 1},      {13, 17, 19},    {64, 48, 1025},
                                      {100, 130, 70}, {9, 65, 40},     {17, 100, 3000},
                                      {33, 112, 33},  {200, 900, 600}, {1000, 20, 5}};
  for (const auto& size : sizes) {
    check_all_kernels<float>(size[0], size[1], size[2]);
    check_all_kernels<double>(size[0], size[1], size[2]);
  }
}

TEST_CASE("openmp matmul: a large result written past the caches has serial's bits") {
  // 9 million floats are 36 MB; rows of 3008 are aligned to a cache line.
  const tandem::index_t m = 3000;
  const tandem::index_t n = 3008;
  tandem::array<float, 2, tandem::openmp> a(tandem::extents<2>(m, 3));
  tandem::array<float, 2, tandem::openmp> b(tandem::extents<2>(3, n));
  tandem::array<float, 2, tandem::openmp> wanted(tandem::extents<2>(m, n));
  tandem::array<float, 2, tandem::openmp> c(tandem::extents<2>(m, n));
  tandem::copy(tandem::openmp{}, random_values<float>(static_cast<std::size_t>(m * 3), 1), a);
  tandem::copy(tandem::openmp{}, random_values<float>(static_cast<std::size_t>(3 * n), 2), b);
  tandem::matmul(tandem::serial{}, a.const_view(), b.const_view(), wanted.view());
  for (const int threads : {1, 4}) {
    tandem::fill(tandem::openmp{}, c, -1.0f);
    tandem::matmul(tandem::openmp(threads), a.const_view(), b.const_view(), c.view());
    CHECK(std::memcmp(c.data_handle(), wanted.data_handle(),
                      sizeof(float) * static_cast<std::size_t>(m * n)) == 0);
  }
}

TEST_CASE("openmp matmul: threads that take slices of columns give serial's bits") {
  // Few rows, and columns for 3 and 8 threads; the last slice is ragged or narrower than a tile.
  const tandem::index_t sizes[][3] = {
      {16, 1537, 40}, {17, 2000, 300}, {64, 1600, 1100}, {1, 4001, 70}};
  for (const auto& size : sizes) {
    check_all_kernels<float>(size[0], size[1], size[2]);
    check_all_kernels<double>(size[0], size[1], size[2]);
  }
}

TEST_CASE("openmp matmul: few rows and chunks that come in pieces give serial's bits") {
  // Each thread reads more of b than a core's private cache holds. The rows and columns are not
  // multiples of the kernels' tiles, nor the terms of their pieces and chunks.
  const tandem::index_t sizes[][3] = {
      {1, 2100, 1030}, {5, 2200, 700}, {16, 2111, 1024}, {23, 1163, 2060}, {32, 2120, 305}};
  for (const auto& size : sizes) {
    check_all_kernels<float>(size[0], size[1], size[2]);
    check_all_kernels<double>(size[0], size[1], size[2]);
  }
}

TEST_CASE("openmp matmul: chunks in pieces of strided operands, with bias and activation") {
  // Column-major a, b cut from a wider matrix, every other element of c; three entries.
  const tandem::index_t batch = 3;
  const tandem::index_t m = 19;
  const tandem::index_t n = 1210;
  const tandem::index_t k = 1045;
  const tandem::index_t wide = n + 30;
  const auto as = random_values<double>(batch * m * k, 1);
  const auto bs = random_values<double>(batch * k * wide, 2);
  const auto biases = random_values<double>(n, 3);
  using strided = tandem::layout_stride::mapping<3>;
  using operand = tandem::view<const double, 3, tandem::layout_stride, tandem::host_memory>;
  const operand a(as.data(), strided({batch, m, k}, {m * k, 1, m}));
  const operand b(bs.data() + 7, strided({batch, k, n}, {k * wide, wide, 1}));
  const auto bias = tandem::as_view<tandem::host_memory>(biases.data(), n);
  const auto multiply = [&](const auto& space) {
    std::vector<double> to(2 * batch * m * n, 0.25);
    const tandem::view<double, 3, tandem::layout_stride, tandem::host_memory> c(
        to.data(), strided({batch, m, n}, {2 * m * n, 2 * n, 2}));
    tandem::matmul(space, a, b, c,
                   {.alpha = 0.5,
                    .beta = -2.0,
                    .epilogue = tandem::bias(bias, tandem::matmul_activation::relu)});
    return to;
  };
  const auto wanted = multiply(tandem::serial{});
  for (const int threads : {1, 2, 5})
    CHECK(first_difference(multiply(tandem::openmp(threads)), wanted) == -1);
}

TEST_CASE("openmp matmul: slices of columns keep their bias and activation") {
  const tandem::index_t m = 20;
  const tandem::index_t n = 1800;
  const tandem::index_t k = 600;
  const auto as = random_values<float>(m * k, 1);
  const auto bs = random_values<float>(k * n, 2);
  const auto biases = random_values<float>(2 * n, 3);
  // Column-major a and b, so that both are packed; every other element of the bias.
  using strided = tandem::layout_stride::mapping<2>;
  const tandem::view<const float, 2, tandem::layout_stride, tandem::host_memory> a(
      as.data(), strided({m, k}, {1, m}));
  const tandem::view<const float, 2, tandem::layout_stride, tandem::host_memory> b(
      bs.data(), strided({k, n}, {1, k}));
  const tandem::view<const float, 1, tandem::layout_stride, tandem::host_memory> bias(
      biases.data(), tandem::layout_stride::mapping<1>({n}, {2}));
  std::vector<float> wanted(m * n);
  std::vector<float> c(m * n, -1.0f);
  const auto multiply = [&](const auto& space, std::vector<float>& to) {
    tandem::matmul(space, a, b, tandem::as_view<tandem::host_memory>(to.data(), m, n),
                   {.epilogue = tandem::bias(bias, tandem::matmul_activation::gelu)});
  };
  multiply(tandem::serial{}, wanted);
  for (const int threads : {2, 8}) {
    multiply(tandem::openmp(threads), c);
    CHECK(first_difference(c, wanted) == -1);
  }
}

TEST_CASE("openmp matmul: rows of b that lie a multiple of 2 KB apart give serial's bits") {
  check_all_kernels<float>(40, 512, 300);
  check_all_kernels<double>(40, 256, 300);
}

TEST_CASE("openmp matmul: entries that follow each other give each its own product's bits") {
  // Threads prefetch an entry's operands while they work on the previous one; b or a is shared.
  const tandem::index_t batch = 40;
  const tandem::index_t m = 30;
  const tandem::index_t n = 52;
  const tandem::index_t k = 100;
  const auto as = random_values<double>(batch * m * k, 1);
  const auto bs = random_values<double>(batch * k * n, 2);
  std::vector<double> wanted(batch * m * n);
  std::vector<double> c(batch * m * n, -1.0);
  for (const tandem::index_t a_batch : {tandem::index_t{0}, m * k}) {
    for (const tandem::index_t b_batch : {tandem::index_t{0}, k * n}) {
      auto p = tandem::openmp_impl::contiguous_problem(m, n, k, as.data(), bs.data(), c.data());
      p.batch = batch;
      p.a_batch = a_batch;
      p.b_batch = b_batch;
      p.c_batch = m * n;
      for (tandem::index_t entry = 0; entry < batch; ++entry) {
        const auto one = [](const double* x, tandem::index_t rows, tandem::index_t columns) {
          return tandem::as_view<tandem::host_memory>(x, rows, columns);
        };
        tandem::matmul(tandem::serial{}, one(as.data() + entry * a_batch, m, k),
                       one(bs.data() + entry * b_batch, k, n),
                       tandem::as_view<tandem::host_memory>(wanted.data() + entry * m * n, m, n));
      }
      for (const auto* kernels :
           tandem::openmp_impl::usable_kernels<tandem::openmp_impl::matmul_kernels<double>>()) {
        for (const int threads : {1, 3}) {
          tandem::openmp_impl::run_matmul(threads, p, *kernels);
          CHECK(first_difference(c, wanted) == -1);
        }
      }
    }
  }
}

TEST_CASE("openmp matmul: a large batch written past the caches has serial's bits") {
  // 600 entries of 128 x 128 floats are 39 MB; rows of 124 are not aligned to a cache line.
  const tandem::index_t batch = 600;
  for (const tandem::index_t n : {128, 124}) {
    tandem::array<float, 3, tandem::openmp> a(tandem::extents<3>(batch, 128, 3));
    tandem::array<float, 3, tandem::openmp> b(tandem::extents<3>(batch, 3, n));
    tandem::array<float, 3, tandem::openmp> wanted(tandem::extents<3>(batch, 128, n));
    tandem::array<float, 3, tandem::openmp> c(tandem::extents<3>(batch, 128, n));
    tandem::copy(tandem::openmp{}, random_values<float>(static_cast<std::size_t>(a.size()), 1), a);
    tandem::copy(tandem::openmp{}, random_values<float>(static_cast<std::size_t>(b.size()), 2), b);
    tandem::matmul(tandem::serial{}, a.const_view(), b.const_view(), wanted.view());
    for (const int threads : {1, 4}) {
      tandem::fill(tandem::openmp{}, c, -1.0f);
      tandem::matmul(tandem::openmp(threads), a.const_view(), b.const_view(), c.view());
      CHECK(std::memcmp(c.data_handle(), wanted.data_handle(),
                        sizeof(float) * static_cast<std::size_t>(c.size())) == 0);
    }
  }
}

TEST_CASE("openmp matmul: one row of b for all terms") {
  const auto values = random_values<double>(60 * 90, 4);
  std::vector<double> c(60 * 90);
  std::vector<double> wanted(60 * 90);
  using mapping = tandem::layout_stride::mapping<2>;
  const auto a = tandem::as_view<tandem::host_memory>(values.data(), 60, 90);
  const tandem::view<const double, 2, tandem::layout_stride, tandem::host_memory> b(
      values.data(), mapping({90, 90}, {0, 1}));
  tandem::matmul(tandem::serial{}, a, b,
                 tandem::as_view<tandem::host_memory>(wanted.data(), 60, 90));
  for (const int threads : {1, 4}) {
    tandem::matmul(tandem::openmp(threads), a, b,
                   tandem::as_view<tandem::host_memory>(c.data(), 60, 90));
    CHECK(first_difference(c, wanted) == -1);
  }
}
