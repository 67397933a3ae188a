// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scatter_add with many cells, one of which receives many pairs; a GPU combines these before it
// adds them.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/documented_sums.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace tandem::test;
using tandem::slice;

namespace {

constexpr int cells = 400000;

/// How the pairs are distributed over cells.
enum class meeting { in_one_cell, in_two_by_turns, in_runs, mostly_in_one };

int cell_of(meeting kind, std::size_t i) {
  const auto number = static_cast<int>(i);
  if (kind == meeting::in_one_cell) return 123;
  if (kind == meeting::in_two_by_turns) return number % 2 == 0 ? 123 : 321123;
  if (kind == meeting::in_runs) return number / 100 % cells;
  return number % 1000 < 970 ? 5 : number % cells;
}

/// Pairs that include values that are not finite, indices outside, or magnitudes too large for what
/// a sample shows.
template <class T>
void make_hostile(std::vector<int>& at, std::vector<T>& terms) {
  const std::size_t n = at.size();
  terms[n / 3] = T(1e30);
  terms[n / 5] = std::numeric_limits<T>::infinity();
  at[n / 5] = 77;
  terms[n / 7] = std::numeric_limits<T>::quiet_NaN();
  at[n / 7] = cells - 1;
  if (TANDEM_CHECKED > 0) return;  // a checked build refuses indices outside
  at[n / 2] = -1;
  at[n / 2 + 1] = cells;
  at[n - 1] = std::numeric_limits<int>::max();
}

template <class T, class Space>
void check_meeting(const Space& space, meeting kind, std::size_t n, bool hostile) {
  CAPTURE(static_cast<int>(kind));
  CAPTURE(n);
  CAPTURE(hostile);
  std::vector<int> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i] = cell_of(kind, i);
  auto terms = random_values<T>(n, 11);
  if (hostile) make_hostile(at, terms);
  const std::vector<T> sums = documented_scatter(at, terms, cells);
  const std::vector<T> before(cells, T(0.5));
  auto wanted = before;
  for (std::size_t c = 0; c < wanted.size(); ++c) wanted[c] += sums[c];
  CHECK(first_difference(scattered(space, at, terms, before), wanted) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("scatter_add: warps and runs in one cell, beside what is not finite or outside",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const meeting kind :
       {meeting::in_one_cell, meeting::in_two_by_turns, meeting::in_runs, meeting::mostly_in_one}) {
    for (const std::size_t n : {31ul, 128ul, 131ul, 2047ul, 70003ul}) {
      check_meeting<float>(space, kind, n, n > 2047);
      check_meeting<double>(space, kind, n, n > 2047);
    }
  }
}

TEST_CASE_TEMPLATE("scatter_add: millions of pairs in few of many cells", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  // From 2^22 pairs on, a GPU's blocks have slots for hot cells.
  const std::size_t n = (std::size_t{1} << 22) + 131;
  check_meeting<float>(space, meeting::in_one_cell, n, false);
  check_meeting<float>(space, meeting::mostly_in_one, n, true);
  check_meeting<double>(space, meeting::in_two_by_turns, n, true);
}

TEST_CASE_TEMPLATE("scatter_add: strided pairs in one cell of many", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr std::size_t n = 30011;
  auto indices = to_space(space, std::vector<int>(2 * n, cells - 1));
  auto values = to_space(space, std::vector<float>(3 * n, 0.25f));
  auto out = to_space(space, std::vector<float>(cells, 1.0f));
  const auto count = static_cast<tandem::index_t>(n);
  tandem::scatter_add(space, tandem::subview(indices.view(), slice{0, 2 * count, 2}),
                      tandem::subview(values.view(), slice{0, 3 * count, 3}), out);
  std::vector<float> wanted(cells, 1.0f);
  wanted.back() += 0.25f * static_cast<float>(n);
  CHECK(to_host(space, out) == wanted);
}
