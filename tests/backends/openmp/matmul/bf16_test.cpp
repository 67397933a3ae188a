// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor's bf16 products have serial's bits if they are used, and are not used if they would
// not.

#include <doctest/doctest.h>

#include <vector>

#include "support/data.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/bf16/pair_product.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

using tandem::bf16;
using tandem::index_t;
using bf16_problem = tandem::matmul_problem<float, bf16>;

/// Biased exponents of the elements: 0 for subnormal numbers, 255 for infinities and NaNs. `any`
/// replaces the exponent of one element in 64.
struct exponents {
  int least = 118;
  int largest = 130;
  int any = -1;
};

/// Returns random numbers; one in eight is +0 or -0.
std::vector<bf16> numbers(index_t count, std::uint64_t seed, const exponents& of) {
  std::vector<bf16> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = mix(seed + i);
    const auto range = static_cast<std::uint64_t>(of.largest - of.least + 1);
    std::uint64_t exponent = static_cast<std::uint64_t>(of.least) + (bits >> 8) % range;
    if (of.any >= 0 && bits % 64 == 1) exponent = static_cast<std::uint64_t>(of.any);
    const std::uint64_t magnitude = bits % 8 == 0 ? 0 : exponent << 7 | (bits >> 40 & 0x7f);
    values[i] = bf16::from_bits(static_cast<std::uint16_t>(magnitude | (bits >> 63) << 15));
  }
  return values;
}

/// One product of contiguous matrices.
struct plain_product {
  index_t m;
  index_t n;
  index_t k;
  std::vector<bf16> a;
  std::vector<bf16> b;

  plain_product(index_t rows, index_t columns, index_t terms, const exponents& of_a,
                const exponents& of_b)
      : m(rows), n(columns), k(terms), a(numbers(m * k, 1, of_a)), b(numbers(k * n, 2, of_b)) {}

  std::vector<float> on_serial() const {
    using tandem::host_memory;
    std::vector<float> c(static_cast<std::size_t>(m * n));
    tandem::matmul(tandem::serial{}, tandem::as_view<host_memory>(a.data(), m, k),
                   tandem::as_view<host_memory>(b.data(), k, n),
                   tandem::as_view<host_memory>(c.data(), m, n));
    return c;
  }

  bf16_problem problem(float* c) const {
    return tandem::openmp_impl::contiguous_problem(m, n, k, a.data(), b.data(), c);
  }
};

/// Multiplies with pair products if the canonical bits are certain; returns whether it did.
template <class T>
bool multiply_pairs(int threads, const tandem::matmul_problem<T, bf16>& problem,
                    const tandem::openmp_impl::bf16_kernels& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return true;
  return tandem::openmp_impl::bf16_product<T>(threads, problem, kernels).run_pairs();
}

/// Checks whether the processor's pair products may be used; if so, they must have serial's bits,
/// otherwise they must leave c alone. Runs with any number of threads.
void check_product(const plain_product& p, bool usable) {
  const auto wanted = p.on_serial();
  const std::vector<float> poison(wanted.size(), std::nanf(""));
  if (const auto* const kernels = tandem::openmp_impl::usable_bf16_kernels()) {
    for (const int threads : {1, 2, 3, 7}) {
      INFO(threads << " threads, " << p.m << " x " << p.n << " x " << p.k);
      auto c = poison;
      CHECK(multiply_pairs(threads, p.problem(c.data()), *kernels) == usable);
      CHECK(first_other(c, usable ? wanted : poison) == -1);
    }
  }
  for (const int threads : {1, 2, 3, 7}) {
    auto c = poison;
    tandem::dispatch_matmul(tandem::openmp(threads), p.problem(c.data()));
    CHECK(first_other(c, wanted) == -1);
  }
}

/// Checks a product of any layout, batch and epilogue, with c of type T: as a space chooses, and by
/// pair products if those may be used.
template <class T>
void check_sweep(std::uint64_t seed, const exponents& of) {
  const sweep_product<T, bf16> p(seed, 150);
  const auto a = numbers(p.a.span, seed, of);
  const auto b = numbers(p.b.span, seed + 1000000007, of);
  const auto before = random_values<float>(static_cast<std::size_t>(p.c.span), seed);
  const std::vector<T> c(before.begin(), before.end());
  const index_t reach = 3 * p.size.n + 1;
  const auto biases = random_values<float>(static_cast<std::size_t>(2 * reach), seed);
  const auto run = [&](const auto& space) {
    auto result = c;
    run_product(space, p, a.data(), b.data(), result.data(), biases.data() + reach,
                tandem::matmul_precision::full);
    return result;
  };
  const auto wanted = run(tandem::serial{});
  INFO("seed " << seed << ", " << p.size.batch << " x " << p.size.m << " x " << p.size.n << " x "
               << p.size.k);
  for (const int threads : {1, 3}) {
    CHECK(first_other(run(tandem::openmp(threads)), wanted) == -1);
    if (const auto* const kernels = tandem::openmp_impl::usable_bf16_kernels()) {
      auto got = c;
      const auto problem = problem_of(p, a.data(), b.data(), got.data(), biases.data() + reach);
      const bool used = multiply_pairs(threads, problem, *kernels);
      CHECK(first_other(got, used ? wanted : c) == -1);
    }
  }
}

}  // namespace

#if defined(__x86_64__)
TEST_CASE(
    "openmp matmul: a processor that multiplies pairs of bf16 as specified is found to do so") {
  using namespace tandem::openmp_impl;
  __builtin_cpu_init();
  if (!is_usable(instruction_set::avx512_bf16)) return;
  // Other vendors may sum pairs in a different order, which the library would notice.
  if (__builtin_cpu_is("intel")) CHECK(usable_bf16_kernels() != nullptr);
}
#endif

TEST_CASE("openmp matmul: bf16 of any layout have serial's bits") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    check_sweep<float>(seed, {});
    check_sweep<bf16>(seed, {});
  }
}

TEST_CASE("openmp matmul: bf16 with subnormal numbers, infinities and NaNs have serial's bits") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const int any = seed % 3 == 0 ? 255 : seed % 3 == 1 ? 0 : static_cast<int>(seed);
    check_sweep<float>(seed, {.any = any});
    check_sweep<bf16>(seed, {.least = 0, .largest = 255});
  }
}

TEST_CASE("openmp matmul: bf16 have serial's bits around the sizes of pairs, chunks and tiles") {
  for (const index_t k : {0, 1, 2, 3, 31, 32, 33, 1022, 1023, 1024, 1025, 1026, 2047, 2048, 2049}) {
    check_product({9, 49, k, {}, {}}, true);
    check_product({1, 16, k, {}, {}}, true);
    check_product({16, 1, k, {}, {}}, true);
  }
  check_product({0, 3, 5, {}, {}}, true);
  if (!leaves_out_product(300 * 700 * 1000)) check_product({300, 700, 1000, {}, {}}, true);
  check_product({5, 40, 9001, {}, {}}, true);
  check_product({6, 2300, 1501, {}, {}}, true);  // few rows, and a b larger than a core's private
                                                 // cache
}

TEST_CASE("openmp matmul: products of bf16 pairs are used exactly where no result is subnormal") {
  const exponents one{.least = 127, .largest = 127};
  const auto from = [](int least) { return exponents{.least = least, .largest = least + 3}; };
  check_product({20, 70, 300, from(71), from(71)}, true);
  check_product({20, 70, 300, from(15), one}, true);
  check_product({20, 70, 300, from(70), from(71)}, false);
  check_product({20, 70, 300, one, from(14)}, false);
  check_product({20, 70, 300, {.any = 0}, one}, false);
  check_product({20, 70, 300, one, {.any = 0}}, false);
}

TEST_CASE("openmp matmul: products of bf16 pairs are used where sums serial_work overflow") {
  const auto at = [](int exponent) { return exponents{.least = exponent, .largest = exponent}; };
  check_product({20, 70, 301, at(190), at(190)}, true);
  check_product({20, 70, 301, at(254), at(126)}, true);
  check_product({20, 70, 301, at(190), at(191)}, false);
  check_product({20, 70, 301, {.any = 255}, {}}, false);
  check_product({20, 70, 301, {}, {.any = 255}}, false);
}

TEST_CASE(
    "openmp matmul: zeros of bf16 of either sign, and chains that end as zeros, have serial's "
    "bits") {
  plain_product zeros(10, 50, 33, {}, {});
  for (auto& x : zeros.a) x = bf16(-0.0f);
  check_product(zeros, true);
  plain_product cancelled(10, 50, 63, {.least = 120, .largest = 120}, {});
  for (index_t i = 0; i < cancelled.m; ++i) {
    for (index_t l = 0; l < cancelled.k; ++l) {
      bf16& x = cancelled.a[static_cast<std::size_t>(i * cancelled.k + l)];
      x = bf16(l % 2 == 0 ? -1.0f : 1.0f);
    }
  }
  for (auto& x : cancelled.b) x = bf16(-0x1p-9f);
  check_product(cancelled, true);
}
