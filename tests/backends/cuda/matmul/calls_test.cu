// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA runtime calls of a warm matrix product, in every type and precision, and its recording
// in a graph.

#include "backends/cuda/runtime/counted_calls.hpp"
#include "support/backends.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

using namespace tandem::test;
using tandem::matmul_precision;

namespace {

/// A product whose operands have rows of a multiple of 16 bytes, or not.
template <class T, class In>
struct product {
  tandem::cuda space{0};
  tandem::index_t n;
  matmul_precision precision;
  tandem::array<In, 2, tandem::cuda> a;
  tandem::array<In, 2, tandem::cuda> b;
  tandem::array<T, 2, tandem::cuda> c;

  product(tandem::index_t size, tandem::index_t k, matmul_precision chosen)
      : n(size),
        precision(chosen),
        a(filled(size, k, 1)),
        b(filled(k, size, 2)),
        c(tandem::extents<2>(size, size), space) {}

  tandem::array<In, 2, tandem::cuda> filled(tandem::index_t rows, tandem::index_t columns,
                                            std::uint64_t seed) {
    std::vector<In> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<In>(static_cast<float>(mix(seed ^ i) % 128) - 64);
    tandem::array<In, 2, tandem::cuda> result(tandem::extents<2>(rows, columns), space);
    tandem::copy(space, values, result);
    space.fence();
    return result;
  }

  void multiply(const tandem::cuda& on) {
    tandem::matmul(on, a.view(), b.view(), c.view(), {.precision = precision});
  }
};

/// Checks that a call that this stream has run before launches at most `launches` kernels and does
/// nothing else.
template <class T, class In>
void check_calls(int launches, matmul_precision precision = matmul_precision::full) {
  for (const tandem::index_t n : {64, 131, 1024}) {
    if (takes_few() && n != 131) continue;
    product<T, In> p(n, n, precision);
    p.multiply(p.space);
    p.multiply(p.space);
    const call_counts made = calls_of([&] { p.multiply(p.space); });
    CAPTURE(n);
    CAPTURE(static_cast<int>(precision));
    CHECK(made.launches <= launches);
    CHECK(made == call_counts{.launches = made.launches});
  }
}

/// Checks that a replay gives the bits of the call, also if k is split.
template <class T, class In>
void check_recording(matmul_precision precision = matmul_precision::full) {
  for (const tandem::index_t n : {64, 131}) {
    if (takes_few() && n != 64) continue;
    product<T, In> p(n, takes_few() ? 2500 : 20000, precision);
    p.multiply(p.space);
    const auto expected = to_host(p.space, p.c);
    const auto view = p.c.view();
    tandem::fill(p.space, view, T{});
    const auto a = p.a.view();
    const auto b = p.b.view();
    auto graph = tandem::record(p.space, [=](const tandem::cuda& s) {
      tandem::matmul(s, a, b, view, {.precision = precision});
    });
    for (int round = 0; round < 2; ++round) {
      tandem::fill(p.space, view, T{});
      graph.replay(p.space);
      CAPTURE(n);
      CAPTURE(static_cast<int>(precision));
      CHECK(first_other(to_host(p.space, p.c), expected) == -1);
    }
  }
}

/// Checks the calls of `batch` products of m x k by k x n.
template <class T, class In>
void check_batch_calls(int launches, tandem::index_t batch, tandem::index_t m, tandem::index_t n,
                       tandem::index_t k) {
  const tandem::cuda space(0);
  const tandem::array<In, 3, tandem::cuda> a(tandem::extents<3>(batch, m, k), In{}, space);
  const tandem::array<In, 3, tandem::cuda> b(tandem::extents<3>(batch, k, n), In{}, space);
  tandem::array<T, 3, tandem::cuda> c(tandem::extents<3>(batch, m, n), space);
  tandem::array<T, 1, tandem::cuda> v(tandem::extents<1>(n), T{}, space);
  const auto multiply = [&] {
    tandem::matmul(space, a.const_view(), b.const_view(), c.view(),
                   {.epilogue = tandem::bias(v.const_view(), tandem::matmul_activation::relu)});
  };
  multiply();
  multiply();
  const call_counts made = calls_of(multiply);
  INFO("batch = " << batch << ", m = " << m << ", n = " << n << ", k = " << k);
  CHECK(made.launches <= launches);
  CHECK(made == call_counts{.launches = made.launches});
}

struct negative {
  TANDEM_FUNCTION float operator()(float x) const { return -x; }
};

constexpr matmul_precision tensor_precisions[] = {matmul_precision::tf32, matmul_precision::bf16x6,
                                                  matmul_precision::bf16x9};

}  // namespace

TEST_CASE("calls: a warm matrix product of any type is launches alone") {
  // Besides the product: a copy of each operand that the instruction cannot read in place.
  check_calls<float, float>(1);
  check_calls<double, double>(1);
  check_calls<tandem::half, tandem::half>(3);
  check_calls<float, tandem::bf16>(3);
  check_calls<std::int32_t, std::int8_t>(4);
  for (const auto precision : tensor_precisions) check_calls<float, float>(5, precision);
}

TEST_CASE("calls: warm batches, long sums and odd rows with an epilogue are launches alone") {
  check_batch_calls<float, float>(1, 150, 5, 7, 9);
  check_batch_calls<double, double>(1, 150, 33, 31, 40);
  check_batch_calls<float, float>(1, 1000, 48, 48, 48);
  check_batch_calls<double, double>(1, 1000, 96, 96, 96);
  // With a split k another kernel adds the parts; odd rows of b may be packed.
  check_batch_calls<float, float>(2, 1, 64, 64, 65536);
  check_batch_calls<double, double>(2, 1, 64, 64, 65536);
  check_batch_calls<float, float>(2, 1, 2047, 2047, 2047);
}

TEST_CASE("calls: a function of the finished elements is one launch more") {
  const tandem::cuda space(0);
  tandem::array<float, 2, tandem::cuda> a(tandem::extents<2>(64, 64), 1.0f, space);
  tandem::array<float, 2, tandem::cuda> c(tandem::extents<2>(64, 64), space);
  const auto multiply = [&] {
    tandem::matmul(space, a.view(), a.view(), c.view(), {}, negative{});
  };
  multiply();
  multiply();
  CHECK(calls_of(multiply) == call_counts{.launches = 2});
}

TEST_CASE("recording: a matrix product of any type is replayed with its own bits") {
  check_recording<float, float>();
  check_recording<double, double>();
  check_recording<tandem::half, tandem::half>();
  check_recording<float, tandem::bf16>();
  check_recording<std::int32_t, std::int8_t>();
  for (const auto precision : tensor_precisions) check_recording<float, float>(precision);
}
