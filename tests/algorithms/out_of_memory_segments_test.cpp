// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory runs out at each allocation of operations on segments, runs, sparse matrices, scattered
// sums and permutations.

#include "support/data.hpp"
#include "support/out_of_memory.hpp"

#include <cstdint>
#include <numeric>

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr int terms = 300007;

/// A sum that no backend recognises as one.
struct plus {
  TANDEM_FUNCTION float operator()(float a, float b) const { return a + b; }
};
const tandem::reduction<float, plus> ordered{plus{}, -0.0f};

/// An element that scans of segments keep in scratch memory.
struct large {
  float of[36];
};
static_assert(tandem::detail::is_large<large>);

struct plus_large {
  TANDEM_FUNCTION large operator()(const large& a, const large& b) const {
    large both;
    for (int k = 0; k < 36; ++k) both.of[k] = a.of[k] + b.of[k];
    return both;
  }
};

/// Ten thousand short segments, then a few that all threads share, with the longest last.
std::vector<int> short_and_long() {
  std::vector<int> offsets = {0};
  while (offsets.back() < 100000) offsets.push_back(offsets.back() + 10);
  for (const int end : {180000, 180003, terms}) offsets.push_back(end);
  return offsets;
}

/// Returns keys that begin a new run at the start of each segment.
std::vector<int> keys_of(const std::vector<int>& offsets) {
  std::vector<int> keys(static_cast<std::size_t>(terms));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int i = offsets[s]; i < offsets[s + 1]; ++i)
      keys[static_cast<std::size_t>(i)] = static_cast<int>(s % 7);
  }
  return keys;
}

}  // namespace

TEST_CASE_TEMPLATE("out of memory: segments", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const auto& at : {short_and_long(), std::vector<int>{0, 3, 3, 40},
                         std::vector<int>{0, 100000, 200000, terms}}) {
    auto x = to_space(space, random_values<float>(static_cast<std::size_t>(at.back()), 1));
    auto y = to_space(space, random_values<float>(static_cast<std::size_t>(at.back()), 2));
    auto offsets = to_space(space, at);
    auto out = to_space(space, std::vector<float>(at.size() - 1, 7.0f));
    const auto reduce = [&](const auto& reducer) {
      check_out_of_memory(
          "segmented_reduce", space,
          [&] { tandem::segmented_reduce(space, x, offsets, out, reducer); }, out.view());
    };
    reduce(tandem::sum<float>{});
    reduce(ordered);
    const auto scan = [&](const auto& operation) {
      check_out_of_memory(
          "segmented_scan", space, [&] { tandem::segmented_scan(space, x, offsets, y, operation); },
          y.view());
      check_out_of_memory(
          "segmented_scan", space,
          [&] {
            tandem::segmented_scan(space, y, offsets, y, operation, tandem::exclusive<float>{1});
          },
          y.view());
    };
    scan(tandem::sum<float>{});
    scan(ordered);
  }
}

TEST_CASE_TEMPLATE("out of memory: segments of large elements", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<large> ones(40000, large{{1}});
  const auto x = to_space(space, ones);
  auto y = to_space(space, ones);
  for (const auto& at : {std::vector<int>{0, 10, 5000}, std::vector<int>{0, 10, 40000}}) {
    const auto offsets = to_space(space, at);
    check_out_of_memory(
        "segmented_scan", space,
        [&] { tandem::segmented_scan(space, x, offsets, y, plus_large{}); }, y.view());
  }
}

TEST_CASE_TEMPLATE("out of memory: runs of equal keys", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto at = short_and_long();
  auto keys = to_space(space, keys_of(at));
  auto values = to_space(space, random_values<float>(static_cast<std::size_t>(terms), 1));
  for (const std::size_t room : {at.size() - 1, std::size_t{50}}) {
    auto keys_out = to_space(space, std::vector<int>(room, 9));
    auto sums = to_space(space, std::vector<float>(room, 7.0f));
    check_out_of_memory(
        "reduce_by_key", space, [&] { tandem::reduce_by_key(space, keys, values, keys_out, sums); },
        keys_out.view(), sums.view());
    check_out_of_memory(
        "reduce_by_key", space,
        [&] { tandem::reduce_by_key(space, keys, values, keys_out, sums, ordered); },
        keys_out.view(), sums.view());
  }
}

TEST_CASE_TEMPLATE("out of memory: products of sparse matrices", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  constexpr index_t columns = 1000;
  const auto at = short_and_long();
  const auto rows = static_cast<index_t>(at.size()) - 1;
  auto offsets = to_space(space, at);
  auto column = to_space(
      space, random_below<int>(static_cast<std::size_t>(terms), std::uint64_t{columns}, 3));
  auto values = to_space(space, random_values<float>(static_cast<std::size_t>(terms), 4));
  const tandem::csr_matrix a{offsets.const_view(), column.const_view(), values.const_view(),
                             columns};
  auto x = to_space(space, random_values<float>(columns, 5));
  auto y = to_space(space, std::vector<float>(static_cast<std::size_t>(rows), 7.0f));
  check_out_of_memory(
      "multiply", space, [&] { tandem::multiply(space, a, x, y); }, y.view());
  tandem::array<float, 2, Space> wide(tandem::extents<2>(columns, 3), 0.5f, space);
  tandem::array<float, 2, Space> product(tandem::extents<2>(rows, 3), 7.0f, space);
  check_out_of_memory(
      "multiply", space, [&] { tandem::multiply(space, a, wide, product); }, product.view());
}

TEST_CASE_TEMPLATE("out of memory: scattered sums", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&]<class T>(T, std::size_t cells) {
    auto indices = to_space(space, random_below<int>(static_cast<std::size_t>(terms), cells, 1));
    auto values = to_space(space, random_values<T>(static_cast<std::size_t>(terms), 2));
    auto out = to_space(space, std::vector<T>(cells, T(3)));
    check_out_of_memory(
        "scatter_add", space, [&] { tandem::scatter_add(space, indices, values, out); },
        out.view());
  };
  for (const std::size_t cells : {std::size_t{5}, std::size_t{3000}, std::size_t{100000}}) {
    check(float{}, cells);
    check(double{}, cells);
    check(std::int32_t{}, cells);
  }
}

TEST_CASE_TEMPLATE("out of memory: permutations", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&]<class T>(T, std::size_t n) {
    auto x = to_space(space, random_values<T>(n, 6));
    check_out_of_memory(
        "shuffle", space, [&] { tandem::shuffle(space, x, 7); }, x.view());
    check_out_of_memory(
        "random_permutation", space, [&] { tandem::random_permutation(space, x, 7); }, x.view());
  };
  for (const std::size_t n : {std::size_t{20}, std::size_t{40009}, std::size_t{terms}}) {
    check(int{}, n);
    check(std::int64_t{}, n);
  }
}
