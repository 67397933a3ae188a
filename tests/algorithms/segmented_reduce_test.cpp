// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares segments, runs of keys and rows of sparse matrices with separate reductions.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::slice;

namespace {

/// Distributions of segment lengths.
enum class lengths { tiny, equal, skewed, with_empty, one_large };

/// Returns offsets of segments with n terms in total.
std::vector<int> make_offsets(lengths kind, int n) {
  std::vector<int> offsets = {0};
  for (std::uint64_t s = 0; offsets.back() < n; ++s) {
    const std::uint64_t random = mix(s + 17);
    int length = 0;
    if (kind == lengths::tiny) length = static_cast<int>(random % 10);
    if (kind == lengths::equal) length = 300;
    if (kind == lengths::skewed) length = 1 << random % 15;
    if (kind == lengths::with_empty) length = random % 3 == 0 ? static_cast<int>(random % 5000) : 0;
    if (kind == lengths::one_large) length = s == 20 ? n : static_cast<int>(random % 40);
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  return offsets;
}

/// Reduces each segment alone, on serial.
template <class T, class Reducer>
auto each_alone(const std::vector<T>& x, const std::vector<int>& offsets, const Reducer& reducer) {
  const tandem::serial reference;
  using result = decltype(tandem::parallel_reduce(reference, x, reducer));
  std::vector<result> wanted;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::vector<T> own(x.begin() + offsets[s], x.begin() + offsets[s + 1]);
    wanted.push_back(tandem::parallel_reduce(reference, own, reducer));
  }
  return wanted;
}

template <class T, class Space, class Reducer>
void check_segments(const Space& space, lengths kind, int n, const Reducer& reducer) {
  CAPTURE(static_cast<int>(kind));
  CAPTURE(n);
  const auto values = random_values<T>(static_cast<std::size_t>(n), 3);
  const auto at = make_offsets(kind, n);
  const auto wanted = each_alone(values, at, reducer);
  using result = typename decltype(wanted)::value_type;
  auto x = to_space(space, values);
  auto offsets = to_space(space, at);
  auto out = to_space(space, std::vector<result>(wanted.size(), result(7)));
  tandem::segmented_reduce(space, x, offsets, out, reducer);
  CHECK(first_difference(to_host(space, out), wanted) == -1);
}

/// Keeps the earlier operand's sign and adds magnitudes: meant to be associative, not commutative.
struct signed_by_first {
  TANDEM_FUNCTION float operator()(float a, float b) const {
    return a < 0 ? -(tandem::abs(a) + tandem::abs(b)) : tandem::abs(a) + tandem::abs(b);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("segmented_reduce: each segment has the bits that it has alone", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const auto kind :
       {lengths::tiny, lengths::equal, lengths::skewed, lengths::with_empty, lengths::one_large}) {
    for (const int n : {1, 300, 70001}) {
      check_segments<float>(space, kind, n, tandem::sum<float>{});
      check_segments<double>(space, kind, n, tandem::sum<double>{});
    }
    check_segments<float>(space, kind, 70001, tandem::maximum<float>{});
    check_segments<int>(space, kind, 70001, tandem::sum{});
    check_segments<float>(space, kind, 70001, tandem::reduction{signed_by_first{}, 0.0f});
  }
}

TEST_CASE_TEMPLATE("segmented_reduce: segments of every short length", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<int> at = {0};
  for (int length = 0; length < 132; ++length) at.push_back(at.back() + length);
  const auto check = [&]<class T>(T, const auto& reducer) {
    const auto values = random_values<T>(static_cast<std::size_t>(at.back()), 4);
    auto x = to_space(space, values);
    auto offsets = to_space(space, at);
    auto out = to_space(space, std::vector<T>(at.size() - 1));
    tandem::segmented_reduce(space, x, offsets, out, reducer);
    CHECK(first_difference(to_host(space, out), each_alone(values, at, reducer)) == -1);
  };
  check(float{}, tandem::sum<float>{});
  check(double{}, tandem::sum<double>{});
  check(std::int8_t{}, tandem::minimum<std::int8_t>{});
  check(float{}, tandem::reduction{signed_by_first{}, 0.0f});
}

TEST_CASE_TEMPLATE("segmented_reduce: few long segments among millions of terms", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int n = (1 << 20) + 7;
  const auto values = random_values<float>(static_cast<std::size_t>(n), 5);
  for (const auto& at : {std::vector<int>{0, n}, std::vector<int>{5, 400000, 400001, 700000, n - 3},
                         std::vector<int>{0, 65536, 131073, 131073, 300001}}) {
    auto x = to_space(space, values);
    auto offsets = to_space(space, at);
    auto out = to_space(space, std::vector<float>(at.size() - 1));
    tandem::segmented_reduce(space, x, offsets, out);
    CHECK(first_difference(to_host(space, out), each_alone(values, at, tandem::sum<float>{})) ==
          -1);
  }
}

TEST_CASE_TEMPLATE("segmented_reduce: strided operands", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<float>{1, 9, 2, 9, 3, 9, 4, 9});
  auto offsets = to_space(space, std::vector<std::uint8_t>{0, 77, 1, 77, 4});
  auto out = to_space(space, std::vector<float>{7, 7, 7, 7});
  tandem::segmented_reduce(space, tandem::subview(x.view(), slice{0, 8, 2}),
                           tandem::subview(offsets.view(), slice{0, 5, 2}),
                           tandem::subview(out.view(), slice{0, 4, -2}));
  CHECK(to_host(space, out) == std::vector<float>{7, 9, 7, 1});
}

TEST_CASE_TEMPLATE("segmented_reduce: offsets that fall or lead outside are refused or cut",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto memory = to_space(space, std::vector<float>{100, 1, 2, 4, 8, 100});
  const auto x = tandem::subview(memory.view(), slice{1, 5});
  auto offsets = to_space(space, std::vector<int>{-3, 2, 1, 3, 1000});
  auto out = to_space(space, std::vector<float>(4, 7.0f));
  if (TANDEM_CHECKED > 0) {
    CHECK_THROWS_WITH_AS(tandem::segmented_reduce(space, x, offsets, out),
                         "segmented_reduce: offset 0 is below the one before it, or not in 0 .. 4",
                         tandem::argument_error);
    CHECK(to_host(space, out) == std::vector<float>(4, 7.0f));
  } else {
    tandem::segmented_reduce(space, x, offsets, out);
    const auto got = to_host(space, out);
    CHECK(got[0] == 3);  // from 0
    CHECK(got[1] == 0);  // falls
    CHECK(got[3] == 8);  // to 4
  }
}

TEST_CASE_TEMPLATE("segmented_reduce: operands that do not fit are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<float>{1, 2, 3, 4});
  auto offsets = to_space(space, std::vector<int>{0, 2, 4});
  auto out = to_space(space, std::vector<float>{5, 5, 5});
  CHECK_THROWS_WITH_AS(tandem::segmented_reduce(space, x, offsets, out),
                       "segmented_reduce: extent of offsets (3) != extent of out + 1 (4)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::segmented_reduce(space, x, offsets, tandem::subview(x.view(), slice{0, 2})),
      "segmented_reduce: x and out overlap", tandem::argument_error);
  auto none = to_space(space, std::vector<int>{0});
  tandem::segmented_reduce(space, x, none, tandem::subview(out.view(), slice{0, 0}));
  CHECK(to_host(space, out) == std::vector<float>(3, 5.0f));
}

TEST_CASE_TEMPLATE("segmented_scan: each segment has the bits that it has alone", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto check = [&](auto zero, lengths kind, int n, const auto& operation) {
    using T = decltype(zero);
    CAPTURE(static_cast<int>(kind));
    CAPTURE(n);
    const auto values = random_values<T>(static_cast<std::size_t>(n), 10);
    const auto at = make_offsets(kind, n);
    std::vector<T> inclusive(values.size());
    std::vector<T> exclusive(values.size());
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      const std::vector<T> own(values.begin() + at[s], values.begin() + at[s + 1]);
      std::vector<T> scanned(own.size());
      tandem::parallel_scan(reference, own, scanned, operation);
      std::copy(scanned.begin(), scanned.end(), inclusive.begin() + at[s]);
      tandem::parallel_scan(reference, own, scanned, operation, tandem::exclusive{T(3)});
      std::copy(scanned.begin(), scanned.end(), exclusive.begin() + at[s]);
    }
    auto x = to_space(space, values);
    auto offsets = to_space(space, at);
    auto y = to_space(space, std::vector<T>(values.size()));
    tandem::segmented_scan(space, x, offsets, y, operation);
    CHECK(first_difference(to_host(space, y), inclusive) == -1);
    tandem::segmented_scan(space, x, offsets, x, operation, tandem::exclusive{T(3)});
    CHECK(first_difference(to_host(space, x), exclusive) == -1);
  };
  for (const auto kind :
       {lengths::tiny, lengths::equal, lengths::skewed, lengths::with_empty, lengths::one_large}) {
    check(float{}, kind, 70001, tandem::sum{});
    check(double{}, kind, 301, tandem::sum{});
    check(int{}, kind, 70001, tandem::maximum{});
  }
  check(float{}, lengths::one_large, 300007, signed_by_first{});
}

TEST_CASE_TEMPLATE("segmented_scan: elements outside the segments are unchanged, others refused",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 9, 2, 9, 3, 9, 4, 9});
  auto y = to_space(space, std::vector<int>{7, 7, 7, 7});
  auto offsets = to_space(space, std::vector<int>{1, 3});
  tandem::segmented_scan(space, tandem::subview(x.view(), slice{0, 8, 2}), offsets,
                         tandem::subview(y.view(), slice{0, 4, -1}));
  CHECK(to_host(space, y) == std::vector<int>{7, 5, 2, 7});
  CHECK_THROWS_WITH_AS(tandem::segmented_scan(space, x, offsets, y),
                       "segmented_scan: extent 0 of x (8) != extent 0 of y (4)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::segmented_scan(space, offsets, offsets, offsets),
                       "segmented_scan: offsets and y overlap", tandem::argument_error);
}

TEST_CASE_TEMPLATE("reduce_by_key: runs of equal keys, and outputs that are too short", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {1ul, 17ul, 70001ul}) {
    const auto values = random_values<double>(n, 6);
    std::vector<int> by(n);
    std::vector<int> at;
    std::vector<int> first;
    for (std::size_t i = 0; i < n; ++i) {
      const bool begins = i == 0 || mix(i) % 7 == 0 || i == n - 1;
      by[i] = begins ? static_cast<int>(i % 50) * (i % 2 == 0 ? 1 : -1) - 1 : by[i - 1];
      if (i > 0 && by[i] == by[i - 1]) continue;
      at.push_back(static_cast<int>(i));
      first.push_back(by[i]);
    }
    const std::size_t runs = at.size();
    at.push_back(static_cast<int>(n));
    const auto wanted = each_alone(values, at, tandem::sum<double>{});
    auto keys = to_space(space, by);
    auto x = to_space(space, values);
    for (const std::size_t room : {runs + 3, runs, runs - runs / 2}) {
      auto keys_out = to_space(space, std::vector<int>(room, 99));
      auto out = to_space(space, std::vector<double>(room, 99));
      CHECK(tandem::reduce_by_key(space, keys, x, keys_out, out) == static_cast<index_t>(runs));
      auto all_keys = first;
      auto all = wanted;
      all_keys.resize(room, 99);
      all.resize(room, 99.0);
      CHECK(to_host(space, keys_out) == all_keys);
      CHECK(first_difference(to_host(space, out), all) == -1);
    }
  }
  tandem::array<int, 1, typename Backend::space> none(tandem::extents<1>(0), space);
  auto out = to_space(space, std::vector<std::int64_t>{3});
  auto keys_out = to_space(space, std::vector<int>{3});
  CHECK(tandem::reduce_by_key(space, none, none, keys_out, out) == 0);
  auto keys = to_space(space, std::vector<int>{3});
  auto x = to_space(space, std::vector<std::int64_t>{3});
  const auto check_overlap = [&](const char* what, auto&... operands) {
    CHECK_THROWS_WITH_AS(tandem::reduce_by_key(space, operands...), what, tandem::argument_error);
  };
  check_overlap("reduce_by_key: keys_out overlaps an input", keys, x, keys, out);
  check_overlap("reduce_by_key: keys_out overlaps an input", keys, keys_out, keys_out, out);
  check_overlap("reduce_by_key: values_out overlaps an input", keys, x, keys_out, x);
  check_overlap("reduce_by_key: values_out overlaps an input", x, keys, out, x);
  check_overlap("reduce_by_key: keys_out and values_out overlap", x, keys, out, out);
  auto two_keys = to_space(space, std::vector<int>{3, 3});
  CHECK_THROWS_WITH_AS(tandem::reduce_by_key(space, none, none, two_keys, out),
                       "reduce_by_key: extent 0 of keys_out (2) != extent 0 of values_out (1)",
                       tandem::extent_error);
}

TEST_CASE_TEMPLATE("multiply: rows of a sparse matrix have the bits of dot", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto check = [&](auto zero, lengths kind) {
    using T = decltype(zero);
    const int stored = 40001;
    const std::size_t columns = 900;
    const auto at = make_offsets(kind, stored);
    const auto in = random_below<int>(stored, columns, 7);
    const auto elements = random_values<T>(stored, 8);
    const auto vector = random_values<T>(2 * columns, 9);
    const auto rows = static_cast<index_t>(at.size()) - 1;
    std::vector<T> wanted;
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      for (std::size_t c = 0; c < 2; ++c) {
        std::vector<T> row;
        std::vector<T> of_row;
        for (int k = at[s]; k < at[s + 1]; ++k) {
          row.push_back(elements[static_cast<std::size_t>(k)]);
          of_row.push_back(
              vector[2 * static_cast<std::size_t>(in[static_cast<std::size_t>(k)]) + c]);
        }
        wanted.push_back(tandem::dot(reference, row, of_row));
      }
    }
    auto offsets = to_space(space, at);
    auto places = to_space(space, in);
    auto values = to_space(space, elements);
    auto flat = to_space(space, vector);
    const tandem::csr_matrix a{offsets.const_view(), places.const_view(), values.const_view(),
                               static_cast<index_t>(columns)};
    using memory = typename Backend::space::memory_type;
    const tandem::view<T, 2, tandem::layout_right, memory> x(flat.data_handle(),
                                                             {index_t{900}, index_t{2}});
    tandem::array<T, 2, typename Backend::space> y(tandem::extents<2>(rows, 2), space);
    tandem::multiply(space, a, x, y);
    CHECK(first_difference(to_host(space, y), wanted) == -1);
    tandem::array<T, 1, typename Backend::space> one(tandem::extents<1>(rows), space);
    tandem::multiply(space, a, tandem::subview(x, tandem::all, 1), one);
    const auto got = to_host(space, one);
    for (std::size_t s = 0; s < got.size(); ++s) REQUIRE(same_bits(got[s], wanted[2 * s + 1]));
  };
  for (const auto kind : {lengths::tiny, lengths::with_empty, lengths::one_large}) {
    check(float{}, kind);
    check(double{}, kind);
  }
}

TEST_CASE_TEMPLATE("multiply: columns outside make NaN or are refused, as operands that do not fit",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto offsets = to_space(space, std::vector<int>{0, 1, 3});
  auto places = to_space(space, std::vector<int>{1, 0, 2});
  auto values = to_space(space, std::vector<float>{2, 3, 4});
  auto x = to_space(space, std::vector<float>{10, 20});
  auto y = to_space(space, std::vector<float>{7, 7});
  const tandem::csr_matrix a{offsets.const_view(), places.const_view(), values.const_view(), 2};
  if (TANDEM_CHECKED > 0) {
    CHECK_THROWS_WITH_AS(tandem::multiply(space, a, x, y),
                         "multiply: column number 2 is not in 0 .. 1", tandem::argument_error);
    CHECK(to_host(space, y) == std::vector<float>{7, 7});
  } else {
    tandem::multiply(space, a, x, y);
    CHECK(to_host(space, y)[0] == 40);
    CHECK(std::isnan(to_host(space, y)[1]));
  }
  const tandem::csr_matrix wide{offsets.const_view(), places.const_view(), values.const_view(), 3};
  CHECK_THROWS_WITH_AS(tandem::multiply(space, wide, x, y),
                       "multiply: columns of a (3) != extent 0 of x (2)", tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::multiply(space, a, x, x), "multiply: y overlaps an input",
                       tandem::argument_error);
  const tandem::array<float, 2, typename Backend::space> columns({2, 3}, 1.0f, space);
  const auto nowhere =
      tandem::as_view<typename Backend::space::memory_type>(static_cast<float*>(nullptr), 2, 3);
  CHECK_THROWS_WITH_AS(tandem::multiply(space, a, columns, nowhere),
                       "multiply: y has 6 elements but no memory (null)", tandem::argument_error);
}
