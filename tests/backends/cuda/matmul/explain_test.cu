// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TANDEM_EXPLAIN=1 in the environment: each matrix product says which kernel runs and why.

#include "support/backends.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace {

using tandem::index_t;
using tandem::matmul_precision;

/// Returns what f() writes to stderr while TANDEM_EXPLAIN has this value.
template <class Function>
std::string errors_of(const char* wanted, const Function& f) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  setenv("TANDEM_EXPLAIN", wanted, 1);
  f();
  unsetenv("TANDEM_EXPLAIN");
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::string text(4096, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

/// Runs `batch` products of 64 x k by k x 64.
template <class T, class In>
struct products {
  tandem::cuda space{0};
  tandem::array<In, 3, tandem::cuda> a;
  tandem::array<In, 3, tandem::cuda> b;
  tandem::array<T, 3, tandem::cuda> c;

  products(index_t batch, index_t k)
      : a(tandem::extents<3>(batch, 64, k), In{}, space),
        b(tandem::extents<3>(batch, k, 64), In{}, space),
        c(tandem::extents<3>(batch, 64, 64), space) {}

  std::string explanation(const char* wanted, matmul_precision precision,
                          tandem::matmul_kernel kernel) {
    const auto multiply = [&] {
      tandem::matmul(space, a.view(), b.view(), c.view(),
                     {.precision = precision, .kernel = kernel});
    };
    return errors_of(wanted, multiply);
  }
};

/// Checks for one line per product: the kernel, the sizes and, after a colon, the reason.
template <class T, class In>
void check_line(index_t batch, index_t k, const std::string& reason,
                matmul_precision precision = matmul_precision::full,
                tandem::matmul_kernel kernel = tandem::matmul_kernel::automatic) {
  const std::string line = products<T, In>(batch, k).explanation("1", precision, kernel);
  const std::string sizes = " for " + std::to_string(batch) + " of m 64, n 64, k ";
  CAPTURE(line);
  CHECK(line.starts_with("tandem: "));
  const std::size_t at = line.find(sizes + std::to_string(k));
  REQUIRE(at != std::string::npos);
  CHECK(at > std::string("tandem: ").size());
  CHECK(line.find(": ", at) != std::string::npos);
  CHECK(line.find(reason, at) != std::string::npos);
  CHECK(line.find('\n') == line.size() - 1);
}

}  // namespace

TEST_CASE("explain: a product of any type names its kernel and the reason in one line") {
  check_line<float, float>(1, 80, "least estimated cost");
  check_line<double, double>(1, 80, "least estimated cost");
  check_line<float, float>(2, 16, "small products");
  check_line<double, double>(3, 16, "small products");
  check_line<float, float>(5000, 64, "long batch");
  check_line<std::int32_t, std::int8_t>(1, 80, "");
  check_line<tandem::half, tandem::half>(1, 80, "");
  check_line<float, tandem::bf16>(1, 80, "");
}

TEST_CASE("explain: what was asked for is told as the reason") {
  using enum matmul_precision;
  using enum tandem::matmul_kernel;
  check_line<float, float>(1, 80, "asked for", full, naive);
  check_line<float, tandem::half>(1, 80, "asked for", full, tiled);
  check_line<std::int32_t, std::int8_t>(1, 80, "asked for", full, naive);
  check_line<float, float>(1, 0, "k is 0");
  if (tandem::cuda::devices()[0].compute_capability != 90) return;
  check_line<float, float>(1, 80, "", tf32);
  check_line<float, float>(1, 80, "bf16x6, asked for", bf16x6);
  check_line<float, float>(1, 80, "bf16x9, asked for", bf16x9);
}

TEST_CASE("explain: nothing is printed unless it is wanted") {
  const auto automatic = tandem::matmul_kernel::automatic;
  CHECK(products<float, float>(2, 80).explanation("0", matmul_precision::full, automatic).empty());
  CHECK(products<float, float>(0, 80).explanation("1", matmul_precision::full, automatic).empty());
}
