// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/reduce_axis/dispatch.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using namespace tandem::openmp_impl;
using tandem::index_t;

namespace {

template <class R>
using slices_of = tandem::strided_slices<float, R>;

/// Reduces `inner` rows of `terms` contiguous elements each.
template <class R>
tandem::reduce_axis_problem<slices_of<R>, R> rows_of(const std::vector<float>& x, index_t inner,
                                                     index_t terms, std::vector<float>& out) {
  tandem::reduce_axis_problem<slices_of<R>, R> problem{};
  problem.slices = {x.data(), 0, terms, 1, R{}};
  problem.inner = inner;
  problem.terms = terms;
  problem.out = out.data();
  return problem;
}

/// Whether each way to group slices gives the bits of the slices one by one.
template <class R>
void check_groups(index_t inner, index_t terms) {
  INFO(inner << " rows of " << terms);
  const auto x = random_values<float>(static_cast<std::size_t>(inner * terms), 3);
  std::vector<float> wanted(static_cast<std::size_t>(inner));
  std::vector<float> got(static_cast<std::size_t>(inner));
  const tandem::openmp space(2);
  reduce_groups<single_slices<slices_of<R>, R>>(space, rows_of<R>(x, inner, terms, wanted));
  const auto problem = rows_of<R>(x, inner, terms, got);
  reduce_groups<neighbouring_slices<slices_of<R>, R, group_columns<float>>>(space, problem);
  CHECK(first_difference(got, wanted) == -1);
  if (!has_short_slices(problem)) return;
  reduce_groups<short_slices<slices_of<R>, R>>(space, problem);
  CHECK(first_difference(got, wanted) == -1);
}

}  // namespace

TEST_CASE("openmp reduce along an axis: groups of slices have the bits of slices one by one") {
  using R = tandem::sum<float>;
  const index_t lanes = tandem::canonical::lanes<R>;
  for (const index_t inner : {1, 7, 8, 9, 65}) {
    for (const index_t terms :
         {index_t{1}, lanes - 1, lanes, lanes + 1, 2 * lanes,
          index_t{tandem::canonical::tile<R>} - 1, index_t{tandem::canonical::tile<R>} + 5}) {
      check_groups<R>(inner, terms);
      check_groups<tandem::minimum<float>>(inner, terms);
    }
  }
}

TEST_CASE("openmp reduce along an axis: short slices fill all lanes but no tile") {
  using R = tandem::sum<float>;
  std::vector<float> x(1);
  std::vector<float> out(1);
  const index_t lanes = tandem::canonical::lanes<R>;
  const index_t tile = tandem::canonical::tile<R>;
  const auto is_short = [&](index_t inner, index_t terms) {
    return has_short_slices(rows_of<R>(x, inner, terms, out));
  };
  CHECK(is_short(short_slices_at_once, lanes));
  CHECK(is_short(short_slices_at_once, tile - 1));
  CHECK(!is_short(short_slices_at_once - 1, lanes));
  CHECK(!is_short(short_slices_at_once, lanes - 1));
  CHECK(!is_short(short_slices_at_once, tile));
  auto strided = rows_of<R>(x, short_slices_at_once, lanes, out);
  strided.slices.term_stride = 2;
  CHECK(!has_short_slices(strided));
}
