// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform of matrices whose elements lie in different orders in memory.
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace tandem::test;
using tandem::index_t;

namespace {

struct quad {
  float of[4];
};

/// Functions that distinguish their inputs and use all their bits.
struct combine {
  TANDEM_FUNCTION float operator()(float a) const { return 2.0f * a; }
  TANDEM_FUNCTION double operator()(double a) const { return 2.0 * a; }
  TANDEM_FUNCTION std::uint8_t operator()(std::uint8_t a) const {
    return static_cast<std::uint8_t>(255 - a);
  }
  TANDEM_FUNCTION float operator()(const quad& a) const {
    return a.of[0] + 2.0f * a.of[1] + 4.0f * a.of[2] + 8.0f * a.of[3];
  }
  TANDEM_FUNCTION float operator()(float a, float b) const { return a - 3.0f * b; }
  TANDEM_FUNCTION float operator()(float a, std::uint8_t b, double c) const {
    return a - 3.0f * b + static_cast<float>(c);
  }
};

template <class T>
T value_at(index_t j, index_t i, int salt) {
  const auto number = static_cast<int>((j * 131 + i * 7 + salt * 29) % 251);
  if constexpr (std::is_same_v<T, quad>) {
    return {{float(number), float(number + 1), float(2 * number), float(3 * number % 17)}};
  } else {
    return static_cast<T>(number);
  }
}

/// Values by rows.
template <class T>
std::vector<T> values_of(index_t rows, index_t columns, int salt) {
  std::vector<T> values;
  for (index_t j = 0; j < rows; ++j) {
    for (index_t i = 0; i < columns; ++i) values.push_back(value_at<T>(j, i, salt));
  }
  return values;
}

/// A matrix that holds value_at(j, i, salt).
template <class T, class Layout, class Space>
auto matrix(const Space& space, index_t rows, index_t columns, int salt) {
  tandem::array<T, 2, Space, Layout> made(tandem::extents<2>(rows, columns), space);
  const auto values = values_of<T>(rows, columns, salt);
  tandem::copy(space, tandem::as_view<tandem::host_memory>(values.data(), rows, columns), made);
  space.fence();
  return made;
}

template <class... T, std::size_t... Salt>
auto wanted_of(std::index_sequence<Salt...>, index_t rows, index_t columns) {
  std::vector<decltype(combine{}(value_at<T>(0, 0, 0)...))> wanted;
  for (index_t j = 0; j < rows; ++j) {
    for (index_t i = 0; i < columns; ++i)
      wanted.push_back(combine{}(value_at<T>(j, i, static_cast<int>(Salt))...));
  }
  return wanted;
}

/// Transforms inputs that differ in type and layout into an output with a layout, and into a part
/// of a larger matrix whose other elements must not change.
template <class OutputLayout, class... InputLayout, class... T, class Space>
void check(const Space& space, index_t rows, index_t columns, std::type_identity<T>...) {
  CAPTURE(rows);
  CAPTURE(columns);
  constexpr std::index_sequence_for<T...> salts{};
  const auto wanted = wanted_of<T...>(salts, rows, columns);
  using U = typename std::remove_cvref_t<decltype(wanted)>::value_type;
  const auto run = [&]<std::size_t... Salt>(std::index_sequence<Salt...>, const auto& y) {
    const auto call = [&](const auto&... x) { tandem::transform(space, x..., y, combine{}); };
    call(matrix<T, InputLayout>(space, rows, columns, static_cast<int>(Salt))...);
    space.fence();
  };
  tandem::array<U, 2, Space, OutputLayout> y(tandem::extents<2>(rows, columns), U{}, space);
  run(salts, y.view());
  CHECK(to_host(space, y) == wanted);
  tandem::array<U, 2, Space, OutputLayout> larger(tandem::extents<2>(rows + 3, 2 * columns + 1),
                                                  U{77}, space);
  run(salts, tandem::subview(larger.view(), tandem::slice{2, rows + 2, -1},
                             tandem::slice{1, 2 * columns + 1, 2}));
  const auto got = to_host(space, larger);
  std::size_t wrong = 0;
  for (index_t j = 0; j < rows + 3; ++j) {
    for (index_t i = 0; i < 2 * columns + 1; ++i) {
      const bool is_inside = j >= 2 && j <= rows + 1 && i % 2 == 1;
      const auto at = static_cast<std::size_t>((rows + 1 - j) * columns + i / 2);
      wrong += got[static_cast<std::size_t>(j * (2 * columns + 1) + i)] !=
               (is_inside ? wanted[at] : U{77});
    }
  }
  CHECK(wrong == 0);
}

template <class T>
constexpr std::type_identity<T> of{};

}  // namespace

TEST_CASE_TEMPLATE("transform: matrices of one input, row-major and column-major", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using tandem::layout_left;
  using tandem::layout_right;
  for (const index_t rows : {1, 2, 31, 32, 33, 65}) {
    for (const index_t columns : {1, 32, 33, 130}) {
      check<layout_right, layout_left>(space, rows, columns, of<float>);
      check<layout_left, layout_right>(space, rows, columns, of<float>);
      check<layout_left, layout_left>(space, rows, columns, of<double>);
      check<layout_right, layout_left>(space, rows, columns, of<std::uint8_t>);
      check<layout_left, layout_right>(space, rows, columns, of<quad>);
    }
  }
}

TEST_CASE_TEMPLATE("transform: matrices of several inputs in different orders", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using tandem::layout_left;
  using tandem::layout_right;
  for (const index_t rows : {3, 40, 129}) {
    const index_t columns = 200 - rows;
    check<layout_right, layout_left, layout_right>(space, rows, columns, of<float>, of<float>);
    check<layout_left, layout_left, layout_right>(space, rows, columns, of<float>, of<float>);
    check<layout_right, layout_left, layout_left>(space, rows, columns, of<float>, of<float>);
    check<layout_right, layout_left, layout_right, layout_left>(space, rows, columns, of<float>,
                                                                of<std::uint8_t>, of<double>);
  }
}

TEST_CASE_TEMPLATE("transform: a matrix plus its transpose, and onto itself", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const index_t side = 97;
  const auto x = matrix<float, tandem::layout_right>(space, side, side, 0);
  auto y = matrix<float, tandem::layout_right>(space, side, side, 0);
  const auto xs = values_of<float>(side, side, 0);
  std::vector<float> wanted(xs.size());
  const auto at = [&](index_t j, index_t i) { return static_cast<std::size_t>(j * side + i); };
  for (index_t j = 0; j < side; ++j) {
    for (index_t i = 0; i < side; ++i) wanted[at(j, i)] = combine{}(xs[at(j, i)], xs[at(i, j)]);
  }
  tandem::transform(space, x.const_view(), tandem::transposed(x.const_view()), y, combine{});
  CHECK(to_host(space, y) == wanted);
  tandem::copy(space, x, y);
  tandem::transform(space, y.view(), tandem::transposed(x.const_view()), y.view(), combine{});
  CHECK(to_host(space, y) == wanted);
  const auto downwards = tandem::subview(x.const_view(), tandem::slice{0, side, -1}, tandem::all);
  tandem::transform(space, downwards, tandem::transposed(downwards), y, combine{});
  for (index_t j = 0; j < side; ++j) {
    for (index_t i = 0; i < side; ++i)
      wanted[at(j, i)] = combine{}(xs[at(side - 1 - j, i)], xs[at(side - 1 - i, j)]);
  }
  CHECK(to_host(space, y) == wanted);
}
