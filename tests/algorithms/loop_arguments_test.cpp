// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of a call that reductions, scans, selections and teams pass on to their functions.

#include <array>
#include <cstdint>
#include <type_traits>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::grid;
using tandem::index_t;
using tandem::range;

namespace {

template <class Memory>
using floats = tandem::view<const float, 1, tandem::layout_right, Memory>;

/// A term that reads two arrays, both as views of const elements, and a scale.
template <class Memory>
struct scaled_product {
  TANDEM_FUNCTION float operator()(int i, float a, const floats<Memory>& x,
                                   floats<Memory> y) const {
    return a * (x(i) * y(i));
  }
};

/// A term of a plane.
struct distance_from {
  TANDEM_FUNCTION std::int64_t operator()(int j, int i, int row, int column) const {
    return (j - row) * (j - row) + (i - column) * (i - column);
  }
};

template <class Memory>
struct exceeds {
  TANDEM_FUNCTION bool operator()(index_t i, const floats<Memory>& x, float limit) const {
    return x(i) > limit;
  }
};

/// Lane i of a team stores its number in the array that it gets.
template <class Team>
struct number_lanes {
  template <class View>
  TANDEM_FUNCTION void operator()(Team& t, const View& numbers, int offset) const {
    t.for_each(t.lanes(), [&](int i) {
      const auto at = t.index() * t.lanes() + i;
      numbers(at) = static_cast<int>(at) + offset;
    });
  }
};

/// Functions whose call operator is a template, with indices of one type that is not index_t.
struct element_of_row {
  template <class View>
  TANDEM_FUNCTION auto operator()(int i, const View& x) const {
    return x(i);
  }
};
struct store_sum {
  template <class View>
  TANDEM_FUNCTION void operator()(unsigned j, unsigned i, const View& to) const {
    to(j, i) = static_cast<int>(j + i);
  }
};
struct is_small {
  template <class Index, class Limit>
  TANDEM_FUNCTION bool operator()(Index i, Limit limit) const {
    static_assert(std::is_same_v<Index, index_t>);
    return i < limit;
  }
};

/// One call operator for each type of elements.
template <class Memory>
struct overloaded_element {
  TANDEM_FUNCTION float operator()(int i, floats<Memory> x) const { return x(i); }
  TANDEM_FUNCTION int operator()(int i,
                                 tandem::view<const int, 1, tandem::layout_right, Memory> x) const {
    return x(i);
  }
};

void store_number(index_t j, int i, tandem::view<int> to) {
  to(j * 4 + i) = static_cast<int>(j) * 4 + i;
}
bool is_even(std::int8_t i) { return i % 2 == 0; }

}  // namespace

TEST_CASE_TEMPLATE("loops: a template of a function is called with its own type of index", Backend,
                   TANDEM_TEST_BACKENDS) {
  using memory = typename Backend::space::memory_type;
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<float>(300, 0.5f));
  auto k = to_space(space, std::vector<int>(300, 2));
  CHECK(tandem::parallel_reduce(space, 300, element_of_row{}, tandem::sum{}, x) == 150.0f);
  CHECK(tandem::parallel_reduce(space, 300, overloaded_element<memory>{}, tandem::sum{}, k) == 600);
  CHECK(tandem::parallel_reduce(space, 300, overloaded_element<memory>{}, tandem::sum{}, x) ==
        150.0f);
  CHECK(tandem::count_if(space, 300, is_small{}, 7) == 7);

  tandem::array<int, 2, typename Backend::space> plane({6, 8}, space);
  tandem::parallel_for(space, grid{6, 8}, store_sum{}, plane);
  const auto cells = to_host(space, plane);
  for (int i = 0; i < 48; ++i) REQUIRE(cells[static_cast<std::size_t>(i)] == i / 8 + i % 8);

  // Indices that do not fit are refused rather than wrapped.
  const index_t too_many = (index_t{1} << 31) + 1;
  CHECK_THROWS_AS(
      (void)tandem::parallel_reduce(space, too_many, element_of_row{}, tandem::sum{}, x),
      tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(space, grid{{-1, 2}, {0, 2}}, store_sum{}, plane),
                  tandem::extent_error);
}

TEST_CASE_TEMPLATE("loops: indices of different types", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> plane({6, 8}, space);
  const auto to = plane.view();
  tandem::parallel_for(
      space, grid{6, 8},
      TANDEM_LAMBDA(index_t j, unsigned char i) { to(j, i) = static_cast<int>(j) * 8 + i; });
  const auto cells = to_host(space, plane);
  for (int i = 0; i < 48; ++i) REQUIRE(cells[static_cast<std::size_t>(i)] == i);
  const auto sum = TANDEM_LAMBDA(std::size_t k, int j, short i, int by) {
    return static_cast<int>(k) * by + j + i;
  };
  CHECK(tandem::parallel_reduce(space, grid{2, 3, 4}, sum, tandem::sum{}, 100) == 1260);
}

TEST_CASE_TEMPLATE("loops: a pointer to a function is called with its own types of indices",
                   Backend, TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    std::vector<int> x(12);
    tandem::parallel_for(space, grid{3, 4}, &store_number, x);
    for (int i = 0; i < 12; ++i) CHECK(x[static_cast<std::size_t>(i)] == i);
    CHECK(tandem::count_if(space, 10, &is_even) == 5);
    CHECK_THROWS_AS((void)tandem::count_if(space, 200, &is_even), tandem::extent_error);
  }
}

TEST_CASE_TEMPLATE("loops: containers and built-in arrays of the host are passed as views", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    std::vector<float> x(300);
    const std::vector<float> y(300, 0.25f);
    const float scale[2] = {1.0f, 2.0f};
    tandem::parallel_for(
        space, 300,
        TANDEM_LAMBDA(int i, tandem::view<float> to, tandem::view<const float> from,
                      tandem::view<const float> by) { to(i) = from(i) * by(i % 2); },
        x, y, scale);
    const std::array<float, 2> held{1.0f, 2.0f};
    CHECK(tandem::parallel_reduce(
              space, 300,
              TANDEM_LAMBDA(int i, tandem::view<const float> v, std::array<float, 2> by) {
                return v(i) * by[i % 2 == 0];
              },
              tandem::sum{}, x, held) == 150.0f);
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: its arguments reach each term, with the bits of captures",
                   Backend, TANDEM_TEST_BACKENDS) {
  using memory = typename Backend::space::memory_type;
  const auto space = Backend::make();
  const index_t n = 70001;
  auto x = to_space(space, random_values<float>(static_cast<std::size_t>(n), 1));
  auto y = to_space(space, random_values<float>(static_cast<std::size_t>(n), 2));
  const auto f = x.const_view();
  const auto g = y.const_view();
  const auto captured = TANDEM_LAMBDA(int i) { return 0.5f * (f(i) * g(i)); };
  const scaled_product<memory> term;

  const float sum = tandem::parallel_reduce(space, n, captured, tandem::sum{});
  CHECK(tandem::parallel_reduce(space, n, term, tandem::sum{}, 0.5f, x, y) == sum);
  CHECK(tandem::parallel_reduce(space, range{0, n}, term, tandem::sum{}, 0.5f, f, y.view()) == sum);

  tandem::array<float, 1, typename Backend::space> out({1}, space);
  const tandem::view<float, 0, tandem::layout_right, memory> result(out.data_handle(), {});
  tandem::parallel_reduce_into(space, n, term, tandem::sum{}, result, 0.5f, x, y);
  CHECK(to_host(space, out)[0] == sum);

  std::int64_t wanted = 0;
  for (int j = 0; j < 31; ++j) {
    for (int i = 0; i < 45; ++i) wanted += distance_from{}(j, i, 7, 11);
  }
  CHECK(tandem::parallel_reduce(space, grid{31, 45}, distance_from{}, tandem::sum{}, 7, 11) ==
        wanted);
}

TEST_CASE_TEMPLATE("parallel_scan: its arguments reach each term, inclusive and exclusive", Backend,
                   TANDEM_TEST_BACKENDS) {
  using memory = typename Backend::space::memory_type;
  const auto space = Backend::make();
  const index_t n = 30011;
  auto x = to_space(space, random_values<float>(static_cast<std::size_t>(n), 1));
  auto y = to_space(space, random_values<float>(static_cast<std::size_t>(n), 2));
  const auto f = x.const_view();
  const auto g = y.const_view();
  const auto captured = TANDEM_LAMBDA(int i) { return 0.5f * (f(i) * g(i)); };
  auto wanted = to_space(space, std::vector<float>(static_cast<std::size_t>(n)));
  auto got = to_space(space, std::vector<float>(static_cast<std::size_t>(n)));

  tandem::parallel_scan(space, n, captured, wanted, tandem::sum{});
  tandem::parallel_scan(space, n, scaled_product<memory>{}, got, tandem::sum{}, 0.5f, x, y);
  CHECK(first_difference(to_host(space, got), to_host(space, wanted)) == -1);

  const tandem::exclusive from{3.0f};
  tandem::parallel_scan(space, n, captured, wanted, tandem::sum{}, from);
  tandem::parallel_scan(space, n, scaled_product<memory>{}, got, tandem::sum{}, from, 0.5f, x, y);
  CHECK(first_difference(to_host(space, got), to_host(space, wanted)) == -1);
}

TEST_CASE_TEMPLATE("predicates over indices: every answer, over lines and grids", Backend,
                   TANDEM_TEST_BACKENDS) {
  using memory = typename Backend::space::memory_type;
  const auto space = Backend::make();
  const auto values = random_values<float>(20011, 3);
  auto x = to_space(space, values);
  index_t above = 0;
  for (const float v : values) above += v > 0.25f ? 1 : 0;
  REQUIRE(above > 0);
  const auto n = static_cast<index_t>(values.size());
  const exceeds<memory> is_above;
  CHECK(tandem::count_if(space, n, is_above, x, 0.25f) == above);
  CHECK(tandem::any_of(space, n, is_above, x, 0.25f));
  CHECK_FALSE(tandem::all_of(space, n, is_above, x, 0.25f));
  CHECK_FALSE(tandem::none_of(space, n, is_above, x, 0.25f));
  CHECK(tandem::none_of(space, n, is_above, x, 1e30f));
  CHECK(tandem::all_of(space, n, is_above, x, -1e30f));
  CHECK(tandem::all_of(space, 0, is_above, x, 0.25f));
  CHECK_FALSE(tandem::any_of(space, range{5, 5}, is_above, x, -1e30f));

  const auto diagonal = TANDEM_LAMBDA(int j, int i) { return j == i; };
  CHECK(tandem::count_if(space, grid{12, 300}, diagonal) == 12);
  CHECK(tandem::count_if(
            space, grid{3, 4, 5}, TANDEM_LAMBDA(int k, int, int i) { return k == 2 && i > 0; }) ==
        16);
  CHECK_THROWS_AS(tandem::count_if(space, -1, is_above, x, 0.25f), tandem::extent_error);
}

TEST_CASE_TEMPLATE("copy_if: the indices for which a predicate holds, in order", Backend,
                   TANDEM_TEST_BACKENDS) {
  using memory = typename Backend::space::memory_type;
  const auto space = Backend::make();
  std::vector<std::size_t> sizes = hostile_sizes();
  sizes.push_back(large_size);
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const auto values = random_values<float>(n, n);
    auto x = to_space(space, values);
    std::vector<int> wanted;
    for (std::size_t i = 0; i < n; ++i) {
      if (values[i] > 0.25f) wanted.push_back(static_cast<int>(i));
    }
    const auto kept = static_cast<index_t>(wanted.size());
    wanted.resize(n, -7);
    auto list = to_space(space, std::vector<int>(n, -7));
    CHECK(tandem::copy_if(space, n, exceeds<memory>{}, list, x, 0.25f) == kept);
    CHECK(to_host(space, list) == wanted);

    // Every second element of a list of wider integers, half as long as it should be.
    auto wide = to_space(space, std::vector<std::int64_t>(n, -7));
    const auto sparse = tandem::subview(wide, tandem::slice{0, kept / 2 * 2, 2});
    tandem::array<index_t, 1, typename Backend::space> memory_of_count({1}, space);
    const tandem::view<index_t, 0, tandem::layout_right, memory> count(
        memory_of_count.data_handle(), {});
    tandem::copy_if_into(space, n, exceeds<memory>{}, sparse, count, x, 0.25f);
    CHECK(to_host(space, memory_of_count)[0] == kept);
    std::vector<std::int64_t> spread(n, -7);
    for (std::size_t i = 0; i < static_cast<std::size_t>(sparse.size()); ++i)
      spread[2 * i] = wanted[i];
    CHECK(to_host(space, wide) == spread);
  }
}

TEST_CASE_TEMPLATE("copy_if: indices of a range, and those that do not fit", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto is_odd = TANDEM_LAMBDA(int i) { return i % 2 != 0; };
  auto list = to_space(space, std::vector<std::int8_t>(200));
  CHECK(tandem::copy_if(space, range{-128, 128}, is_odd, list) == 128);
  const auto got = to_host(space, list);
  for (int i = 0; i < 128; ++i) CHECK(got[static_cast<std::size_t>(i)] == -127 + 2 * i);
  CHECK(tandem::copy_if(space, range{9, 9}, is_odd, list) == 0);

  CHECK_THROWS_AS(tandem::copy_if(space, range{0, 129}, is_odd, list), tandem::extent_error);
  CHECK_THROWS_AS(tandem::copy_if(space, -1, is_odd, list), tandem::extent_error);
  CHECK_THROWS_AS(tandem::copy_if(space, range{0, index_t{1} << 32}, is_odd, list),
                  tandem::extent_error);
  CHECK(to_host(space, list) == got);
}

TEST_CASE_TEMPLATE("parallel_teams: its arguments reach each team", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto numbers = to_space(space, std::vector<int>(7 * 33));
  tandem::parallel_teams(space, {.teams = 7, .lanes = 33}, number_lanes<tandem::team>{}, numbers,
                         4);
  const auto got = to_host(space, numbers);
  for (int i = 0; i < 7 * 33; ++i) REQUIRE(got[static_cast<std::size_t>(i)] == i + 4);

  tandem::array<int, 2, typename Backend::space> plane({6, 8}, space);
  tandem::parallel_teams(
      space, tandem::team_shape_2d{{3, 2}, {2, 4}},
      TANDEM_LAMBDA(tandem::team_2d & t, decltype(plane.view()) to, int scale) {
        t.for_each_lane([&](auto lane) {
          const auto j = t.index().y * 2 + lane.y;
          const auto i = t.index().x * 4 + lane.x;
          to(j, i) = scale * static_cast<int>(j * 8 + i);
        });
      },
      plane, 3);
  const auto cells = to_host(space, plane);
  for (int i = 0; i < 48; ++i) REQUIRE(cells[static_cast<std::size_t>(i)] == 3 * i);
}
