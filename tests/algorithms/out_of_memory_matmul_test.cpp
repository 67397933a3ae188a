// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory runs out at each allocation of matrix products and graphs.

#include "support/data.hpp"
#include "support/out_of_memory.hpp"
#include "support/test_scale.hpp"

#include <cstdint>
#include <type_traits>

using namespace tandem::test;
using tandem::index_t;

namespace {

struct shape {
  index_t batch;
  index_t m;
  index_t n;
  index_t k;
};

template <class T>
T small_value(std::uint64_t seed, std::size_t i) {
  const int value = static_cast<int>(mix(mix(seed) ^ i) % 15) - 7;
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));
  }
}

template <class T, class Space>
tandem::array<T, 3, Space> matrices(const Space& space, index_t batch, index_t rows,
                                    index_t columns, std::uint64_t seed) {
  tandem::array<T, 3, Space> result(tandem::extents<3>(batch, rows, columns), space);
  std::vector<T> values(static_cast<std::size_t>(result.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = small_value<T>(seed, i);
  tandem::copy(space, values, result);
  space.fence();
  return result;
}

/// Runs products of packed, transposed and strided operands, with and without an epilogue.
template <class T, class In, class Space, class... Option>
void check_products(const Space& space, const shape& s, const Option&... option) {
  CAPTURE(s.m);
  const auto a = matrices<In>(space, s.batch, s.m, s.k, 1);
  const auto b = matrices<In>(space, s.batch, s.k, s.n, 2);
  const auto turned = matrices<In>(space, s.batch, s.n, s.k, 3);
  auto c = matrices<T>(space, s.batch, s.m, s.n, 4);
  using options = tandem::detail::matmul_options_for<Space, decltype(c)>;
  const auto multiply = [&](const auto& right, const options& how) {
    check_out_of_memory(
        "matmul", space, [&] { tandem::matmul(space, a.view(), right, c.view(), how); }, c.view());
  };
  multiply(b.view(), {});
  multiply(b.view(), {.beta = 1});
  const tandem::view<const In, 3, tandem::layout_stride, typename Space::memory_type> transposed(
      turned.data_handle(),
      tandem::layout_stride::mapping<3>({s.batch, s.k, s.n}, {s.n * s.k, 1, s.k}));
  multiply(transposed, {});
  multiply(b.view(), {.kernel = tandem::matmul_kernel::naive});
  (multiply(b.view(), {.precision = option}), ...);
}

/// Serial has one way for all shapes, so it gets small ones.
template <class T, class In, class Space, class... Option>
void check_shapes(const Space& space, const Option&... option) {
  constexpr bool is_serial = std::is_same_v<Space, tandem::serial>;
  for (const shape& s :
       {shape{1, 7, 5, 3}, shape{1, 40, 130, 70}, shape{5, 40, 60, 70}, shape{1, 3, 900, 1100},
        shape{1, 8, 9, 5000}, shape{1, 257, 190, 260}, shape{3, 150, 170, 1300}}) {
    const index_t multiplications = s.batch * s.m * s.n * s.k;
    if (is_serial && multiplications > 1'000'000) continue;
    if (leaves_out_product(multiplications, 1'000'000)) continue;
    check_products<T, In>(space, s, option...);
  }
}

template <class X, class Y>
struct scan_and_sum {
  X x;
  Y y;
  Y total;

  template <class Space>
  void operator()(const Space& space) const {
    tandem::array<float, 1, Space> between(tandem::extents<1>(x.extent(0)), space);
    tandem::parallel_scan(space, x, between.view());
    tandem::parallel_scan(space, between.const_view(), y);
    tandem::parallel_scan(space, between.const_view(), total);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("out of memory: products of floats", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_shapes<float, float>(space, tandem::matmul_precision::tf32,
                             tandem::matmul_precision::bf16x6);
}

TEST_CASE_TEMPLATE("out of memory: products of doubles", Backend, TANDEM_TEST_BACKENDS) {
  check_shapes<double, double>(Backend::make());
}

TEST_CASE_TEMPLATE("out of memory: products of 16-bit floats", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_shapes<tandem::half, tandem::half>(space);
  check_shapes<float, tandem::bf16>(space);
  check_shapes<tandem::bf16, tandem::bf16>(space);
}

TEST_CASE_TEMPLATE("out of memory: products of integers", Backend, TANDEM_TEST_BACKENDS) {
  check_shapes<std::int32_t, std::int8_t>(Backend::make());
}

TEST_CASE_TEMPLATE("out of memory: recording and replaying a graph", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, random_values<float>(70001, 1));
  auto y = to_space(space, random_values<float>(70001, 2));
  auto total = to_space(space, random_values<float>(70001, 3));
  const scan_and_sum<decltype(x.const_view()), decltype(y.view())> sequence{x.const_view(),
                                                                            y.view(), total.view()};
  // If an operation of a sequence replayed on a CPU fails, the earlier ones may have written
  // already.
  check_out_of_memory(
      "", space,
      [&] {
        auto graph = tandem::record(space, sequence);
        static_cast<void>(graph);
      },
      y.view(), total.view());
  auto graph = tandem::record(space, sequence);
  graph.replay(space);
  space.fence();
  const auto wanted = to_host(space, total);
  tandem::fill(space, total, 0.0f);
  graph.replay(space);
  CHECK(to_host(space, total) == wanted);
}
