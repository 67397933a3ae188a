// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction set that this machine can run, not only the fastest one, has serial's integers.

#include <doctest/doctest.h>

#include <vector>

#include "support/data.hpp"
#include "support/matmuls.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

using tandem::index_t;
using int8_product = sweep_product<std::int32_t, std::int8_t>;
using int8_problem = tandem::matmul_problem<std::int32_t, std::int8_t>;

/// Returns random bytes; if `extreme`, only -128, 127 and zero, which stress sums and corrections
/// most.
std::vector<std::int8_t> bytes(index_t count, std::uint64_t seed, bool extreme) {
  std::vector<std::int8_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = mix(seed + i);
    const auto any = static_cast<std::int8_t>(bits % 256);
    values[i] = !extreme ? any
                         : static_cast<std::int8_t>(bits % 4 == 0   ? 0
                                                    : bits % 4 == 1 ? 127
                                                                    : -128);
  }
  return values;
}

std::vector<std::int32_t> integers(index_t count, std::uint64_t seed) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(mix(seed + i)));
  return values;
}

/// Runs a product with all kernels and checks the results and the memory around c.
void check_all_kernels(const int8_product& p, std::uint64_t seed) {
  const auto a = bytes(p.a.span, seed, seed % 3 == 0);
  const auto b = bytes(p.b.span, seed + 1000000007, seed % 3 == 0);
  const auto before = integers(p.c.span, seed + 5);
  const index_t reach = 3 * p.size.n + 1;
  const auto biases = integers(2 * reach, seed + 7);
  const std::int32_t* const bias = biases.data() + reach;
  auto wanted = before;
  run_product(tandem::serial{}, p, a.data(), b.data(), wanted.data(), bias,
              tandem::matmul_precision::full);
  const auto check = [&](const tandem::openmp_impl::int8_kernels& kernels, int threads,
                         tandem::matmul_kernel kernel) {
    auto c = before;
    int8_problem problem = problem_of(p, a.data(), b.data(), c.data(), bias);
    problem.kernel = kernel;
    tandem::openmp_impl::run_int8_matmul(threads, problem, kernels);
    INFO(kernels.products.instruction_set << ", " << threads << " threads, seed " << seed << ", "
                                          << p.size.batch << " x " << p.size.m << " x " << p.size.n
                                          << " x " << p.size.k);
    CHECK(first_other(c, wanted) == -1);
  };
  for (const auto* kernels :
       tandem::openmp_impl::usable_kernels<tandem::openmp_impl::int8_kernels>()) {
    for (const int threads : {1, 3}) check(*kernels, threads, tandem::matmul_kernel::automatic);
  }
  for (const auto kernel : {tandem::matmul_kernel::naive, tandem::matmul_kernel::tiled})
    check(*tandem::openmp_impl::usable_kernels<tandem::openmp_impl::int8_kernels>().front(), 2,
          kernel);
}

int8_product plain(index_t m, index_t n, index_t k) {
  return contiguous_product<std::int32_t, std::int8_t>(m, n, k);
}

}  // namespace

TEST_CASE(
    "openmp matmul: 8-bit integers of any layout are exact with every "
    "instruction set") {
  CHECK(!tandem::openmp_impl::usable_kernels<tandem::openmp_impl::int8_kernels>().empty());
  for (std::uint64_t seed = 0; seed < 500; ++seed) check_all_kernels(int8_product(seed, 150), seed);
}

TEST_CASE(
    "openmp matmul: 8-bit integers are exact around the sizes of "
    "elements and tiles") {
  for (const index_t k : {1, 2, 3, 4, 5, 31, 63, 64, 65, 4095, 4096, 4097}) {
    check_all_kernels(plain(9, 49, k), 3);
    check_all_kernels(plain(1, 16, k), 3);
    check_all_kernels(plain(16, 1, k), 3);
  }
  check_all_kernels(plain(300, 700, 1000), 3);
  check_all_kernels(plain(200, 90, 5000), 3);
  check_all_kernels(plain(5, 2200, 2101), 3);  // few rows, and a b larger than a core's private
                                               // cache
}

TEST_CASE("openmp matmul: sums of 8-bit integers beyond 2^32 are exact modulo 2^32") {
  const index_t k = (index_t{1} << 20) + 3;
  const int8_product p = plain(3, 20, k);
  const std::vector<std::int8_t> lowest(static_cast<std::size_t>(20 * k), -128);
  for (const auto* kernels :
       tandem::openmp_impl::usable_kernels<tandem::openmp_impl::int8_kernels>()) {
    std::vector<std::int32_t> c(3 * 20);
    for (const int threads : {1, 3}) {
      tandem::openmp_impl::run_int8_matmul(
          threads, problem_of(p, lowest.data(), lowest.data(), c.data(), nullptr), *kernels);
      CHECK(c == std::vector<std::int32_t>(3 * 20, 3 << 14));
    }
  }
}
