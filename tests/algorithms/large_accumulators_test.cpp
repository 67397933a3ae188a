// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators of the largest size in reductions; backends keep a tile and a tree of them at a
// time. ctest also runs these cases with small stacks.

#include "support/backends.hpp"
#include "support/class_sums.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

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

}  // namespace

TEST_CASE_TEMPLATE("large accumulators: reductions", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_reductions(space, add_by_class<true>{});
  check_reductions(space, add_by_class<false>{});
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
