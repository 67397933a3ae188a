// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that a caller passes in may look up memory by their arguments. So functions and
// predicates must be called for elements and indices only, and operations only for terms, for their
// results and for the identity: never for padding or leftover register contents.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr int good = 0x5eed;

/// A value that tells whether it was ever set. Its size decides how kernels move it.
template <int Size>
struct marked {
  int value;
  int mark;
  int rest[static_cast<std::size_t>(Size - 2)];
};
template <>
struct marked<2> {
  int value;
  int mark;
};

template <int Size>
std::vector<marked<Size>> marked_values(std::size_t n) {
  std::vector<marked<Size>> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i].value = static_cast<int>(mix(i) % 100);
    values[i].mark = good;
  }
  return values;
}

/// Adds, and counts operands that were never set.
template <int Size, class Count>
struct add_marked {
  Count foreign;

  TANDEM_FUNCTION marked<Size> operator()(const marked<Size>& a, const marked<Size>& b) const {
    if (a.mark != good || b.mark != good) tandem::atomic_add(foreign(0), 1);
    marked<Size> sum = a;
    sum.value += b.value;
    return sum;
  }
};

/// A commutative add_marked.
template <int Size, class Count>
struct marked_sum : tandem::plain_reducer<marked<Size>> {
  add_marked<Size, Count> add;

  TANDEM_FUNCTION marked<Size> combine(const marked<Size>& a, const marked<Size>& b) const {
    return add(a, b);
  }
  TANDEM_FUNCTION marked<Size> identity() const {
    marked<Size> zero{};
    zero.mark = good;
    return zero;
  }
  TANDEM_FUNCTION marked<Size> empty() const { return identity(); }
};

template <int Size, class Count>
auto commutative(const Count& foreign) {
  marked_sum<Size, Count> reducer;
  reducer.add.foreign = foreign;
  return reducer;
}
template <int Size, class Count>
auto ordered(const Count& foreign) {
  return tandem::reduction<marked<Size>, add_marked<Size, Count>>{
      {foreign}, commutative<Size>(foreign).identity()};
}

/// Calls check(size of a value, view of the counter) and returns how many times it counted.
template <class Space, class Check>
void check_foreign(const Space& space, const Check& check) {
  auto foreign = to_space(space, std::vector<int>{0});
  check(std::integral_constant<int, 2>{}, foreign.view());
  check(std::integral_constant<int, 5>{}, foreign.view());
  CHECK(to_host(space, foreign)[0] == 0);
}

/// Returns offsets of segments with many lengths, short and long.
std::vector<int> segments_of(int n) {
  std::vector<int> offsets = {0};
  for (std::uint64_t s = 0; offsets.back() < n; ++s) {
    const int length = s % 40 == 7 ? 9001 : static_cast<int>(mix(s) % 700);
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  return offsets;
}

/// A key that counts comparisons with an invalid key; the valid one of the two does the counting.
struct counting_key {
  int value;
  int mark;
  int* foreign;

  TANDEM_FUNCTION bool operator==(const counting_key& other) const {
    if (mark != good && other.mark == good) tandem::atomic_add(*other.foreign, 1);
    if (mark == good && other.mark != good) tandem::atomic_add(*foreign, 1);
    return value == other.value;
  }
};

template <int Size, class Count>
struct is_odd {
  Count foreign;

  TANDEM_FUNCTION bool operator()(const marked<Size>& x) const {
    if (x.mark != good) tandem::atomic_add(foreign(0), 1);
    return x.value % 2 != 0;
  }
};

/// Counts accesses outside its extents.
template <class Count>
struct inside {
  Count foreign;
  index_t planes, rows, columns;

  TANDEM_FUNCTION void operator()(index_t i) const { (*this)(0, 0, i); }
  TANDEM_FUNCTION void operator()(index_t j, index_t i) const { (*this)(0, j, i); }
  TANDEM_FUNCTION void operator()(index_t k, index_t j, index_t i) const {
    if (k < 0 || k >= planes || j < 0 || j >= rows || i < 0 || i >= columns)
      tandem::atomic_add(foreign(0), 1);
  }
};

template <class Count>
struct finish_inside {
  inside<Count> indices;

  TANDEM_FUNCTION float operator()(index_t i, index_t j, float c) const {
    indices(i, j);
    if (!(c > 0)) tandem::atomic_add(indices.foreign(0), 1);
    return c;
  }
};

/// Runs a team's collectives over values that its lanes set.
template <int Size, class X, class Count>
struct combine_lanes {
  X x;
  Count foreign;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    tandem::per_lane<marked<Size>> mine(t);
    t.for_each_lane([&](int lane) { mine[lane] = x(lane); });
    t.reduce(mine, commutative_of());
    t.inclusive_scan(mine, commutative_of());
    t.exclusive_scan(mine, commutative_of());
  }
  TANDEM_FUNCTION marked_sum<Size, Count> commutative_of() const { return {{}, {foreign}}; }
};

}  // namespace

TEST_CASE_TEMPLATE("foreign values: reductions combine terms and identities alone", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_foreign(space, [&](auto size, const auto& foreign) {
    constexpr int words = decltype(size)::value;
    for (const std::size_t n : hostile_sizes()) {
      auto x = to_space(space, marked_values<words>(n));
      tandem::parallel_reduce(space, x, commutative<words>(foreign));
      tandem::parallel_reduce(space, x, ordered<words>(foreign));
      const auto part = tandem::partial_reduce(space, x, 0, ordered<words>(foreign));
      CHECK(part.end() == static_cast<index_t>(n));
    }
  });
}

TEST_CASE_TEMPLATE("foreign values: reductions along an axis", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_foreign(space, [&](auto size, const auto& foreign) {
    constexpr int words = decltype(size)::value;
    const index_t shapes[][2] = {{1, 1}, {37, 53}, {700, 3}, {3, 9001}, {9001, 3}, {2100, 130}};
    for (const auto& [rows, columns] : shapes) {
      auto x = to_space(space, marked_values<words>(static_cast<std::size_t>(rows * columns)));
      const auto matrix = tandem::reshape(x.view(), rows, columns);
      for (const int axis : {0, 1}) {
        const auto outputs = static_cast<std::size_t>(axis == 0 ? columns : rows);
        auto out = to_space(space, marked_values<words>(outputs));
        tandem::parallel_reduce_into(space, matrix, tandem::axis{axis}, commutative<words>(foreign),
                                     out.view());
        tandem::parallel_reduce_into(space, matrix, tandem::axis{axis}, ordered<words>(foreign),
                                     out.view());
      }
    }
  });
}

TEST_CASE_TEMPLATE("foreign values: scans", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_foreign(space, [&](auto size, const auto& foreign) {
    constexpr int words = decltype(size)::value;
    const auto operation = ordered<words>(foreign);
    const tandem::exclusive<marked<words>> from{operation.identity()};
    for (const std::size_t n : hostile_sizes()) {
      auto x = to_space(space, marked_values<words>(n));
      auto y = to_space(space, marked_values<words>(n));
      tandem::parallel_scan(space, x, y, operation);
      tandem::parallel_scan(space, x, y, operation, from);
    }
  });
}

TEST_CASE_TEMPLATE("foreign values: segments", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_foreign(space, [&](auto size, const auto& foreign) {
    constexpr int words = decltype(size)::value;
    const auto operation = ordered<words>(foreign);
    const tandem::exclusive<marked<words>> from{operation.identity()};
    for (const int n : {1, 20, 600, 150001}) {
      const auto at = segments_of(n);
      auto offsets = to_space(space, at);
      auto x = to_space(space, marked_values<words>(static_cast<std::size_t>(n)));
      auto y = to_space(space, marked_values<words>(static_cast<std::size_t>(n)));
      auto out = to_space(space, marked_values<words>(at.size() - 1));
      tandem::segmented_reduce(space, x, offsets, out, commutative<words>(foreign));
      tandem::segmented_reduce(space, x, offsets, out, operation);
      tandem::segmented_scan(space, x, offsets, y, operation);
      tandem::segmented_scan(space, x, offsets, y, operation, from);
    }
  });
}

TEST_CASE_TEMPLATE("foreign values: keys are compared with keys", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto foreign = to_space(space, std::vector<int>{0});
  for (const std::size_t n : hostile_sizes()) {
    INFO("n = " << n);
    std::vector<counting_key> all(n);
    for (std::size_t i = 0; i < n; ++i)
      all[i] = {static_cast<int>(mix(i / 3) % 5), good, foreign.data_handle()};
    auto keys = to_space(space, all);
    auto kept = to_space(space, all);
    auto values = to_space(space, std::vector<int>(n, 1));
    auto sums = to_space(space, std::vector<std::int64_t>(n));
    const index_t runs = tandem::unique(space, keys, kept);
    CHECK(tandem::reduce_by_key(space, keys, values, kept, sums) == runs);
    CHECK(to_host(space, foreign)[0] == 0);
  }
}

TEST_CASE_TEMPLATE("foreign values: predicates and functions of elements", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_foreign(space, [&](auto size, const auto& foreign) {
    constexpr int words = decltype(size)::value;
    const is_odd<words, std::remove_cvref_t<decltype(foreign)>> odd{foreign};
    for (const std::size_t n : hostile_sizes()) {
      auto x = to_space(space, marked_values<words>(n));
      auto y = to_space(space, marked_values<words>(n));
      auto flags = to_space(space, std::vector<char>(n));
      tandem::transform(space, x, flags, odd);
      tandem::count_if(space, x, odd);
      (void)tandem::all_of(space, x, odd);
      tandem::copy_if(space, x, y, odd);
    }
  });
}

TEST_CASE_TEMPLATE("foreign values: loops and products call functions inside of their extents",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  auto foreign = to_space(space, std::vector<int>{0});
  const auto count = foreign.view();
  using Inside = inside<std::remove_const_t<decltype(count)>>;
  for (const index_t n : {1, 31, 33, 257, 4097}) {
    tandem::parallel_for(space, tandem::range{0, n}, Inside{count, 1, 1, n});
    tandem::parallel_for(space, tandem::grid{n, index_t{3}}, Inside{count, 1, n, 3});
    tandem::parallel_for(space, tandem::grid{index_t{5}, n}, Inside{count, 1, 5, n});
    tandem::parallel_for(space, tandem::grid{index_t{7}, index_t{3}, n}, Inside{count, 7, 3, n});
  }
  for (const index_t m : {1, 33, 130}) {
    for (const index_t n : {1, 17, 200}) {
      const tandem::array<float, 2, Space> a(tandem::extents<2>(m, 19), 0.5f, space);
      const tandem::array<float, 2, Space> b(tandem::extents<2>(19, n), 0.5f, space);
      tandem::array<float, 2, Space> c(tandem::extents<2>(m, n), 0.0f, space);
      tandem::matmul(space, a, b, c, {}, finish_inside<decltype(foreign.view())>{{count, 1, m, n}});
    }
  }
  CHECK(to_host(space, foreign)[0] == 0);
}

TEST_CASE_TEMPLATE("foreign values: collectives of teams of any number of lanes", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_foreign(space, [&](auto size, const auto& foreign) {
    constexpr int words = decltype(size)::value;
    auto x = to_space(space, marked_values<words>(1024));
    using Kernel =
        combine_lanes<words, decltype(x.const_view()), std::remove_cvref_t<decltype(foreign)>>;
    for (const int lanes : {1, 2, 31, 32, 33, 100, 1024})
      tandem::parallel_teams(space, {3, lanes, 0}, Kernel{x.const_view(), foreign});
  });
}
