// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on elements and accumulators of 1024 bytes, the most, on threads with small stacks.
// CTest also gives the threads of regions such stacks.

#include <tandem/tandem.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/used_stack.hpp"

using tandem::index_t;
using tandem::openmp;
using tandem::serial;
using tandem::test::check_stack;

namespace {

/// One sum for each residue class of the elements' indices.
struct large {
  static constexpr int classes = 128;
  std::uint64_t of[std::size_t{classes}];

  friend bool operator==(const large& a, const large& b) {
    for (int c = 0; c < classes; ++c) {
      if (a.of[c] != b.of[c]) return false;
    }
    return true;
  }
};
static_assert(sizeof(large) == tandem::largest_accumulator);

struct plus {
  TANDEM_FUNCTION large operator()(const large& a, const large& b) const {
    large both;
    for (int c = 0; c < large::classes; ++c) both.of[c] = a.of[c] + b.of[c];
    return both;
  }
};

struct element {
  TANDEM_FUNCTION large operator()(index_t i) const {
    large one{};
    one.of[i % large::classes] = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    return one;
  }
};

struct element_of_plane {
  index_t width;
  TANDEM_FUNCTION large operator()(index_t j, index_t i) const { return element{}(j * width + i); }
};

/// The sum of the elements begin, begin + step, .. below end.
large sum_of(index_t begin, index_t end, index_t step = 1) {
  large sum{};
  for (index_t i = begin; i < end; i += step)
    sum.of[i % large::classes] += element{}(i).of[i % large::classes];
  return sum;
}

/// Whether y(i) = init + the sum of the elements from the segment's begin to i, or i - 1.
bool scanned(const std::vector<large>& y, const std::vector<int>& offsets, bool exclusive) {
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    large sum = exclusive ? element{}(3) : large{};
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) {
      const large before = sum;
      sum = plus{}(sum, element{}(i));
      if (!(y[static_cast<std::size_t>(i)] == (exclusive ? before : sum))) return false;
    }
  }
  return true;
}

std::vector<large> elements(index_t n) {
  std::vector<large> x(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = element{}(i);
  return x;
}

constexpr index_t count = 9 * 4096 + 17;  // more tiles than a scan needs to use several threads

template <class Space, class Reducer>
void check_reductions(const Space& space, const std::vector<large>& x, const Reducer& reducer) {
  const auto n = static_cast<index_t>(x.size());
  large sum{};
  for (const index_t few : {index_t{700}, n}) {
    const auto terms = tandem::subview(tandem::as_view(x), tandem::slice{0, few});
    check_stack("reduction", [&] { sum = tandem::parallel_reduce(space, terms, reducer); });
    CHECK(sum == sum_of(0, few));
    check_stack("reduction of a function",
                [&] { sum = tandem::parallel_reduce(space, few, element{}, reducer); });
    CHECK(sum == sum_of(0, few));
  }
  check_stack("partial reduction", [&] {
    auto part = tandem::partial_reduce(space, x, 0, reducer);
    sum = part.finish();
  });
  CHECK(sum == sum_of(0, n));
  const std::vector<int> offsets = {0, 5, 6, 3000, 36000, static_cast<int>(n)};
  std::vector<large> sums(offsets.size() - 1);
  check_stack("segmented reduction",
              [&] { tandem::segmented_reduce(space, x, offsets, sums, reducer); });
  for (std::size_t s = 0; s < sums.size(); ++s)
    CHECK(sums[s] == sum_of(offsets[s], offsets[s + 1]));
}

/// Reduces a matrix along both axes, its transpose and a function of its indices.
template <class Space, class Reducer>
void check_axes(const Space& space, const std::vector<large>& x, const Reducer& reducer,
                index_t rows, index_t columns) {
  CAPTURE(rows);
  const auto m = tandem::reshape(
      tandem::subview(tandem::as_view(x), tandem::slice{0, rows * columns}), rows, columns);
  std::vector<large> of_columns(static_cast<std::size_t>(columns));
  std::vector<large> of_rows(static_cast<std::size_t>(rows));
  const auto check = [&] {
    for (index_t q = 0; q < columns; ++q)
      CHECK(of_columns[static_cast<std::size_t>(q)] == sum_of(q, rows * columns, columns));
    for (index_t p = 0; p < rows; ++p)
      CHECK(of_rows[static_cast<std::size_t>(p)] == sum_of(p * columns, (p + 1) * columns));
  };
  check_stack("sums of columns", [&] {
    tandem::parallel_reduce_into(space, m, tandem::axis{0}, reducer, of_columns);
  });
  check_stack("sums of rows",
              [&] { tandem::parallel_reduce_into(space, m, tandem::axis{1}, reducer, of_rows); });
  check();
  const tandem::grid plane{rows, columns};
  check_stack("columns of a function", [&] {
    tandem::parallel_reduce_into(space, plane, tandem::axis{0}, element_of_plane{columns}, reducer,
                                 of_columns);
  });
  check_stack("rows of a function", [&] {
    tandem::parallel_reduce_into(space, plane, tandem::axis{1}, element_of_plane{columns}, reducer,
                                 of_rows);
  });
  check();
}

template <class Space>
void check_scans(const Space& space, const std::vector<large>& x) {
  std::vector<large> y(x.size());
  const int n = static_cast<int>(x.size());
  const tandem::exclusive from{element{}(3)};
  for (const auto& offsets : {std::vector<int>{0, n}, {0, 5, 6, 3000, 20000, n}}) {
    if (offsets.size() == 2) {
      check_stack("scan", [&] { tandem::parallel_scan(space, x, y, plus{}); });
      CHECK(scanned(y, offsets, false));
      check_stack("exclusive scan", [&] { tandem::parallel_scan(space, x, y, plus{}, from); });
      CHECK(scanned(y, offsets, true));
    }
    check_stack("segmented scan", [&] { tandem::segmented_scan(space, x, offsets, y, plus{}); });
    CHECK(scanned(y, offsets, false));
    check_stack("exclusive segmented scan",
                [&] { tandem::segmented_scan(space, x, offsets, y, plus{}, from); });
    CHECK(scanned(y, offsets, true));
  }
}

/// Operations that move or compare elements.
template <class Space>
void check_moves(const Space& space, const std::vector<large>& x) {
  std::vector<large> y(x.size());
  const auto n = static_cast<index_t>(x.size());
  const auto v = tandem::as_view(y);
  check_stack("copy", [&] { tandem::copy(space, x, y); });
  CHECK(x == y);
  check_stack("transform",
              [&] { tandem::transform(space, x, y, [](const large& a) { return plus{}(a, a); }); });
  check_stack("adjacent_difference", [&] { tandem::adjacent_difference(space, x, y, plus{}); });
  check_stack("loop",
              [&] { tandem::parallel_for(space, n, [=](index_t i) { v(i) = element{}(i); }); });
  CHECK(x == y);
  index_t kept = 0;
  check_stack("copy_if", [&] {
    kept = tandem::copy_if(space, x, y, [](const large& a) { return a.of[5] > 0; });
  });
  CHECK(kept == n / large::classes + (n % large::classes > 5 ? 1 : 0));
  check_stack("unique", [&] { kept = tandem::unique(space, x, y); });
  CHECK(y[5] == x[5]);
  std::vector<std::uint32_t> keys(x.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::uint32_t>(n - 1) - static_cast<std::uint32_t>(i);
  y = x;
  check_stack("sort_by_key", [&] { tandem::sort_by_key(space, keys, y); });
  CHECK(y.front() == x.back());
  check_stack("shuffle", [&] { tandem::shuffle(space, y, 5); });
  check_stack("reverse", [&] { tandem::reverse(space, y); });
  check_stack("gather", [&] { tandem::gather(space, x, keys, y); });
  CHECK(y.front() == x[keys.front()]);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i < 10 ? 0 : i < 20000 ? 1 : 2;
  std::vector<std::uint32_t> runs(4);
  std::vector<large> sums(4);
  check_stack("reduce_by_key", [&] {
    kept = tandem::reduce_by_key(space, keys, x, runs, sums,
                                 tandem::commutative_reduction(plus{}, large{}));
  });
  CHECK(kept == 3);
  CHECK(sums[1] == sum_of(10, 20000));
}

template <class Space>
void check_all(const Space& space) {
  const std::string name = Space::name;
  CAPTURE(name);
  const std::vector<large> x = elements(count);
  check_reductions(space, x, tandem::commutative_reduction(plus{}, large{}));
  check_reductions(space, x, tandem::reduction{plus{}, large{}});
  check_axes(space, x, tandem::commutative_reduction(plus{}, large{}), 2000, 17);
  check_axes(space, x, tandem::commutative_reduction(plus{}, large{}), 17, 2000);
  check_axes(space, x, tandem::commutative_reduction(plus{}, large{}), 300, 100);
  check_scans(space, x);
  check_moves(space, x);
}

}  // namespace

TEST_CASE("openmp stacks: elements of 1024 bytes need 64 KiB at most") {
  check_all(openmp(1));
  check_all(openmp(3));
}

TEST_CASE("openmp stacks: elements of 1024 bytes need 64 KiB at most on serial") {
  check_all(serial{});
}
