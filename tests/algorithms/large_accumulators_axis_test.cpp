// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators of the largest size in reductions along an axis and in scans. ctest also runs these
// cases with small stacks.

#include "support/backends.hpp"
#include "support/class_sums.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

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
