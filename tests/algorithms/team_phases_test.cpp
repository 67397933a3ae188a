// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <vector>

using namespace tandem::test;

namespace {

/// Counts the calls of each item of a phase.
template <class Calls, class Index>
struct count_calls {
  Calls calls;
  Index count;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    const auto& of = calls;
    t.for_each(count, [&](Index i) { of(static_cast<int>(i)) += 1; });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_teams: a phase calls each item once, whatever their number", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int lanes = 32;
  constexpr int most = 9 * lanes;
  const auto calls_of = [&]<class Index>(Index count) {
    tandem::array<int, 1, typename Backend::space> calls({most}, 0, space);
    const auto v = calls.view();
    tandem::parallel_teams(space, {1, lanes, 0}, count_calls<decltype(v), Index>{v, count});
    return to_host(space, calls);
  };
  for (const int count : {0, 1, lanes, 3 * lanes, 3 * lanes + 1, 4 * lanes, 5 * lanes + 3, most}) {
    CAPTURE(count);
    std::vector<int> once(most, 0);
    std::fill_n(once.begin(), count, 1);
    CHECK(calls_of(count) == once);
    CHECK(calls_of(tandem::index_t{count}) == once);
    CHECK(calls_of(static_cast<unsigned>(count)) == once);
    if (count <= 96) CHECK(calls_of(static_cast<signed char>(count)) == once);
    CHECK(calls_of(static_cast<unsigned short>(count)) == once);
  }
}
