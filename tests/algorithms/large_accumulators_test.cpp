// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators of the largest size on every path; backends keep a tile and a tree of them at a
// time. ctest also runs these cases with small stacks.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// One 64-bit sum for each of several residue classes.
template <int Classes>
struct sums_by_class {
  static constexpr int classes = Classes;
  std::uint64_t of[static_cast<std::size_t>(classes)];
};
using class_sums = sums_by_class<128>;
static_assert(sizeof(class_sums) == tandem::largest_accumulator);

/// Sums the terms by the residue class of their index; the accumulator holds all classes.
template <bool Commutative, int Classes = class_sums::classes>
struct add_by_class {
  using accumulator = sums_by_class<Classes>;
  using result = accumulator;
  static constexpr bool commutative = Commutative;

  template <class Term>
  TANDEM_FUNCTION accumulator lift(const Term& term, index_t i) const {
    accumulator lifted = identity();
    lifted.of[i % Classes] = static_cast<std::uint64_t>(term);
    return lifted;
  }
  TANDEM_FUNCTION accumulator combine(const accumulator& a, const accumulator& b) const {
    accumulator both;
    for (int c = 0; c < Classes; ++c) both.of[c] = a.of[c] + b.of[c];
    return both;
  }
  TANDEM_FUNCTION accumulator identity() const {
    accumulator none;
    for (int c = 0; c < Classes; ++c) none.of[c] = 0;
    return none;
  }
  TANDEM_FUNCTION result finish(const accumulator& a) const { return a; }
  TANDEM_FUNCTION result empty() const { return identity(); }
};

struct term_of {
  TANDEM_FUNCTION std::uint64_t operator()(index_t i) const {
    return static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
  }
};

struct term_of_plane {
  index_t width;
  TANDEM_FUNCTION std::uint64_t operator()(index_t j, index_t i) const {
    return term_of{}(j * width + i);
  }
};

struct plus_by_class {
  TANDEM_FUNCTION class_sums operator()(const class_sums& a, const class_sums& b) const {
    return add_by_class<true>{}.combine(a, b);
  }
};

struct lifted_term {
  TANDEM_FUNCTION class_sums operator()(index_t i) const {
    return add_by_class<true>{}.lift(term_of{}(i), i);
  }
};

/// Adds the first n terms one by one.
class_sums sums_of(index_t n) {
  class_sums sums = add_by_class<true>{}.identity();
  for (index_t i = 0; i < n; ++i) sums.of[i % class_sums::classes] += term_of{}(i);
  return sums;
}

bool equal(const class_sums& a, const class_sums& b) {
  for (int c = 0; c < class_sums::classes; ++c) {
    if (a.of[c] != b.of[c]) return false;
  }
  return true;
}

template <class Space>
auto terms_in(const Space& space, index_t n) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = term_of{}(i);
  return to_space(space, values);
}

template <class Space, class Reducer>
void check_reductions(const Space& space, const Reducer& reducer) {
  for (const index_t n : {1, 17, 700, 6000, 9000, 70000}) {
    CAPTURE(n);
    const auto x = terms_in(space, n);
    const class_sums wanted = sums_of(n);
    CHECK(equal(tandem::parallel_reduce(space, x.const_view(), reducer), wanted));
    CHECK(equal(tandem::parallel_reduce(space, n, term_of{}, reducer), wanted));
    tandem::array<class_sums, 0, Space> out(tandem::extents<0>{}, space);
    tandem::parallel_reduce_into(space, n, term_of{}, reducer, out.view());
    CHECK(equal(to_host(space, out)[0], wanted));
  }
}

/// Reduces along either axis of a matrix of equal rows: sums per column and per row.
template <class Space, class Reducer>
void check_axes(const Space& space, const Reducer& reducer, index_t rows, index_t columns) {
  CAPTURE(rows);
  const auto x = terms_in(space, rows * columns);
  const tandem::view<const std::uint64_t, 2, tandem::layout_right, typename Space::memory_type> m(
      x.data_handle(), tandem::extents<2>(rows, columns));
  for (const int axis : {0, 1}) {
    const index_t outputs = axis == 0 ? columns : rows;
    tandem::array<class_sums, 1, Space> by_view(tandem::extents<1>(outputs), space);
    tandem::array<class_sums, 1, Space> by_function(tandem::extents<1>(outputs), space);
    tandem::parallel_reduce_into(space, m, tandem::axis{axis}, reducer, by_view.view());
    tandem::parallel_reduce_into(space, tandem::grid{rows, columns}, tandem::axis{axis},
                                 term_of_plane{columns}, reducer, by_function.view());
    const auto views = to_host(space, by_view);
    const auto functions = to_host(space, by_function);
    index_t right = 0;
    for (index_t o = 0; o < outputs; ++o) {
      class_sums wanted = reducer.identity();
      for (index_t i = 0; i < (axis == 0 ? rows : columns); ++i)
        wanted.of[i % class_sums::classes] +=
            axis == 0 ? term_of{}(i * columns + o) : term_of{}(o * columns + i);
      right += equal(views[static_cast<std::size_t>(o)], wanted) &&
               equal(functions[static_cast<std::size_t>(o)], wanted);
    }
    CHECK(right == outputs);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("large accumulators: reductions", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_reductions(space, add_by_class<true>{});
  check_reductions(space, add_by_class<false>{});
}

TEST_CASE_TEMPLATE("large accumulators: reductions along an axis", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_axes(space, add_by_class<true>{}, 600, 70);
  check_axes(space, add_by_class<true>{}, 3, 5000);
  check_axes(space, add_by_class<true>{}, 5000, 3);
  check_axes(space, add_by_class<false>{}, 600, 70);
}

TEST_CASE_TEMPLATE("large accumulators: scans", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const index_t n : {1, 700, 5000, 40000}) {
    CAPTURE(n);
    tandem::array<class_sums, 1, typename Backend::space> y(tandem::extents<1>(n), space);
    tandem::parallel_scan(space, n, lifted_term{}, y.view(), plus_by_class{});
    const auto scanned = to_host(space, y);
    class_sums wanted = add_by_class<true>{}.identity();
    index_t right = 0;
    for (index_t i = 0; i < n; ++i) {
      wanted.of[i % class_sums::classes] += term_of{}(i);
      right += equal(scanned[static_cast<std::size_t>(i)], wanted);
    }
    CHECK(right == n);
  }
}

TEST_CASE_TEMPLATE("large accumulators: a maximum beside them", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using sums = add_by_class<true, 127>;
  const tandem::combined_reducer both{tandem::maximum<double>{}, sums{}};
  static_assert(sizeof(typename decltype(both)::accumulator) == tandem::largest_accumulator);
  for (const index_t n : {17, 6000, 70000}) {
    CAPTURE(n);
    const auto x = terms_in(space, n);
    std::uint64_t wanted = 0;
    double most = 0;
    for (index_t i = 0; i < n; ++i) {
      if (i % 127 == 5) wanted += term_of{}(i);
      most = tandem::max(most, static_cast<double>(term_of{}(i)));
    }
    const auto by_view = tandem::parallel_reduce(space, x.const_view(), both);
    const auto by_function = tandem::parallel_reduce(space, n, term_of{}, both);
    CHECK(tandem::get<0>(by_view) == most);
    CHECK(tandem::get<1>(by_view).of[5] == wanted);
    CHECK(tandem::get<0>(by_function) == most);
    CHECK(tandem::get<1>(by_function).of[5] == wanted);
  }
}
