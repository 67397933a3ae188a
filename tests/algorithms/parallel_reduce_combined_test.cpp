// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several results of one pass, each with the bits that it has alone.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;
using tandem::axis;
using tandem::index_t;

namespace {

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return same_bits(a, b);
  } else {
    return a == b;
  }
}
template <class T>
bool same(const tandem::value_index<T>& a, const tandem::value_index<T>& b) {
  return same_bits(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same(const tandem::min_max_values<T>& a, const tandem::min_max_values<T>& b) {
  return same_bits(a.minimum, b.minimum) && same_bits(a.maximum, b.maximum);
}

/// A sum with a user-defined operation.
template <class T>
struct plus {
  TANDEM_FUNCTION T operator()(T a, T b) const { return a + b; }
};

constexpr index_t columns = 70;

/// Checks that each result of `all` equals that of its reducer alone, over terms from memory and
/// from a function, over the whole and along both axes of a matrix.
template <class T, class Space, class... R>
void check_alone(const Space& space, std::size_t n, const tandem::combined_reducer<R...>& all) {
  auto x = to_space(space, random_values<T>(n, n));
  const auto v = x.const_view();
  const auto rows = static_cast<index_t>(n) / columns;
  const auto matrix =
      tandem::as_view<typename decltype(v)::memory_type>(v.data_handle(), rows, columns);
  const auto f = TANDEM_LAMBDA(index_t i) { return v(i); };
  const auto from_memory = tandem::parallel_reduce(space, v, all);
  const auto from_function = tandem::parallel_reduce(space, static_cast<index_t>(n), f, all);
  using result = typename tandem::combined_reducer<R...>::result;
  // Copied to the device so that compute-sanitizer sees the padding of results as written.
  auto sums_down = to_space(space, std::vector<result>(columns));
  auto sums_across = to_space(space, std::vector<result>(static_cast<std::size_t>(rows)));
  tandem::parallel_reduce_into(space, matrix, axis{0}, all, sums_down.view());
  tandem::parallel_reduce_into(space, matrix, axis{1}, all, sums_across.view());
  const auto down = to_host(space, sums_down);
  const auto across = to_host(space, sums_across);
  const auto check_one = [&]<std::size_t I, class One>(std::integral_constant<std::size_t, I>,
                                                       const One& one) {
    using tandem::get;
    CAPTURE(n);
    CAPTURE(I);
    const auto wanted = tandem::parallel_reduce(space, v, one);
    CHECK(same(get<I>(from_memory), wanted));
    CHECK(same(get<I>(from_function), wanted));
    if (rows == 0) return;
    for (const index_t c : {index_t{0}, columns - 1}) {
      const auto column = tandem::subview(matrix, tandem::all, c);
      CHECK(same(get<I>(down[static_cast<std::size_t>(c)]),
                 tandem::parallel_reduce(space, column, one)));
    }
    for (const index_t r : {index_t{0}, rows - 1}) {
      const auto row = tandem::subview(matrix, r, tandem::all);
      CHECK(same(get<I>(across[static_cast<std::size_t>(r)]),
                 tandem::parallel_reduce(space, row, one)));
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (check_one(std::integral_constant<std::size_t, I>{}, tandem::get<I>(all.reducers)), ...);
  }(std::index_sequence_for<R...>{});
}

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: each of several results has the bits that it has alone",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {1ul, 63ul, 70ul, 2048ul, 9001ul, 143360ul, 300007ul}) {
    check_alone<float>(
        space, n,
        tandem::combined_reducer{tandem::sum<float>{}, tandem::minmax<float>{},
                                 tandem::commutative_reduction(plus<float>{}, -0.0f)});
    check_alone<double>(space, n,
                        tandem::combined_reducer{tandem::sum<double>{}, tandem::minimum<double>{}});
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: results that no order changes leave the bits of the others",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {64ul, 3000ul, 70001ul})
    check_alone<float>(space, n,
                       tandem::combined_reducer{tandem::sum<float>{}, tandem::maxloc<float>{},
                                                tandem::sum<std::int64_t>{}});
}
