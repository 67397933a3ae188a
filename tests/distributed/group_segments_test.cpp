// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments have the bits of serial, wherever the terms are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"
#include "support/results.hpp"

using namespace tandem::test;

namespace {

/// Ascending offsets from `first`: segments of 0 to 2 * `mean` terms, among them one of `long_one`.
std::vector<int> offsets_of(int n, int segments, int mean, int long_one, int first = 0) {
  std::vector<int> at{first};
  for (int s = 0; s < segments; ++s) {
    const auto random = mix(static_cast<std::uint64_t>(n) * 1000 + static_cast<std::uint64_t>(s));
    const int length = s == segments / 3
                           ? long_one
                           : static_cast<int>(random % static_cast<unsigned>(2 * mean + 1));
    at.push_back(std::min(n, at.back() + length));
  }
  return at;
}

template <class T>
bool same_results(const std::vector<T>& a, const std::vector<T>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_result(a[i], b[i]);
  return same;
}

template <class Space, class T, class R>
void check_segments(const std::vector<T>& values, const std::vector<int>& at, const R& reducer) {
  const auto n = static_cast<tandem::index_t>(values.size());
  const auto segments = static_cast<tandem::index_t>(at.size()) - 1;
  using result = typename decltype(tandem::detail::checked_reducer_for<T>(reducer))::result;
  std::vector<result> wanted(at.size() - 1);
  tandem::segmented_reduce(tandem::serial{}, values, at, wanted, reducer);
  bool is_right = true;
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<T, 1, Space> x({n}, members, where, tandem::halo{n > 0 ? 1 : 0});
    tandem::sharded<result, 1, Space> out({segments}, members);
    tandem::sharded<int, 1, Space> offsets({segments + 1}, members);
    tandem::copy(members, values, x);
    tandem::copy(members, at, offsets);
    tandem::segmented_reduce(members, x, offsets, out, reducer);
    is_right = is_right && same_results(tandem::to_vector(members, out), wanted);
    std::vector<result> on_host(at.size() - 1);
    tandem::segmented_reduce(members, x, at, on_host, reducer);
    members.fence();
    is_right = is_right && same_results(on_host, wanted);
  });
  CHECK(is_right);
}

template <class Space, class T, class Operation, class... From>
void check_scans(const std::vector<T>& values, const std::vector<int>& at,
                 const Operation& operation, const From&... from) {
  const auto n = static_cast<tandem::index_t>(values.size());
  std::vector<T> wanted(values.size(), T{7});
  std::vector<T> in_place = values;
  tandem::segmented_scan(tandem::serial{}, values, at, wanted, operation, from...);
  tandem::segmented_scan(tandem::serial{}, in_place, at, in_place, operation, from...);
  bool is_right = true;
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<T, 1, Space> x({n}, members, where);
    tandem::sharded<T, 1, Space> y({n}, T{7}, members, where, tandem::halo{n > 0 ? 1 : 0});
    tandem::sharded<int, 1, Space> offsets({at.size()}, members, tandem::replicated);
    tandem::copy(members, values, x);
    tandem::copy(members, at, offsets);
    tandem::segmented_scan(members, x, offsets, y, operation, from...);
    is_right = is_right && first_difference(tandem::to_vector(members, y), wanted) == -1;
    tandem::segmented_scan(members, x, at, x, operation, from...);
    is_right = is_right && first_difference(tandem::to_vector(members, x), in_place) == -1;
  });
  CHECK(is_right);
}

struct square {
  TANDEM_FUNCTION double operator()(float total) const { return double{total} * double{total}; }
};

}  // namespace

TEST_CASE_TEMPLATE("groups: sums and other reductions of segments", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = random_values<float>(6011, 1);
  const auto some = offsets_of(6011, 60, 100, 2900, 17);
  check_segments<Space>(values, some, tandem::sum{});
  check_segments<Space>(values, {0, 6011}, tandem::sum{});
  check_segments<Space>(values, {3, 6000, 6000, 6005}, tandem::with_initial(tandem::sum{}, 2.f));
  check_segments<Space>(values, offsets_of(6011, 3000, 2, 0), tandem::sum{});
  check_segments<Space>(values, {6011, 6011}, tandem::sum{});
  check_segments<Space>(std::vector<float>(), {0, 0, 0}, tandem::sum{});
  check_segments<Space>(std::vector<float>(), {0}, tandem::sum{});
  check_segments<Space>(random_values<double>(5001, 2), offsets_of(5001, 9, 300, 2500),
                        tandem::sum{});
  check_segments<Space>(values, some, tandem::maxloc{});
  check_segments<Space>(hostile_values<float>(6011, 4), some, tandem::minloc{});
  check_segments<Space>(values, some, tandem::finished_reducer(tandem::sum{}, square{}));
  check_segments<Space>(values, some, tandem::combined_reducer{tandem::sum{}, tandem::maxloc{}});
  std::vector<affine> maps;
  for (std::uint64_t i = 0; i < 1619; ++i)
    maps.push_back({1 + random_value<float>(8, i) * 0.001f, random_value<float>(9, i)});
  check_segments<Space>(maps, offsets_of(1619, 7, 200, 900, 5),
                        tandem::reduction{compose{}, affine{1, -0.0f}});
}

TEST_CASE_TEMPLATE("groups: scans of segments, inclusive and exclusive", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = random_values<float>(6011, 1);
  const auto some = offsets_of(6011, 60, 100, 2900, 17);
  check_scans<Space>(values, some, tandem::sum{});
  check_scans<Space>(values, some, tandem::sum{}, tandem::exclusive{0.5f});
  check_scans<Space>(values, {0, 6011}, tandem::sum{});
  check_scans<Space>(values, {3, 6000, 6000, 6005}, tandem::maximum{});
  check_scans<Space>(std::vector<float>(), {0, 0}, tandem::sum{});
  check_scans<Space>(random_values<int>(5001, 2), offsets_of(5001, 9, 300, 2500), tandem::sum{},
                     tandem::exclusive{3});
}

TEST_CASE_TEMPLATE("groups: segments of replicated arrays, and what is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto fewer = tandem::shards<Space>(2);
  const auto values = random_values<float>(5000, 1);
  const auto at = offsets_of(5000, 40, 90, 3000);
  std::vector<float> wanted(40);
  std::vector<float> found(40);
  tandem::segmented_reduce(tandem::serial{}, values, at, wanted);
  tandem::sharded<float, 1, Space> everywhere({5000}, members, tandem::replicated);
  tandem::sharded<float, 1, Space> out({40}, members, tandem::replicated);
  tandem::copy(members, values, everywhere);
  tandem::segmented_reduce(members, everywhere, at, out);
  for (const auto& part : out.parts()) {
    tandem::copy(members.member(part.member), part.view, found);
    members.fence();
    CHECK(first_difference(found, wanted) == -1);
  }
  tandem::sharded<float, 1, Space> x({5000}, members, tandem::cut::of({17, 0, 4983}));
  tandem::sharded<float, 1, Space> y({5000}, members, tandem::cut::of({18, 0, 4982}));
  tandem::sharded<float, 1, Space> z({39}, members);
  tandem::copy(members, values, x);
  CHECK_THROWS_WITH_AS(tandem::segmented_reduce(members, x, at, z),
                       "segmented_reduce: extent of offsets (41) != extent of out + 1 (40)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::segmented_reduce(fewer, x, at, out), tandem::argument_error);
  CHECK_THROWS_AS(tandem::segmented_reduce(members, x, std::vector<int>(), out),
                  tandem::extent_error);
  const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> none(nullptr, {2});
  CHECK_THROWS_WITH_AS(tandem::segmented_reduce(members, x, at, none),
                       "segmented_reduce: out has 2 elements but no memory (null)",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::segmented_scan(members, x, at, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::segmented_scan(members, x, std::vector<int>(), x),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::segmented_scan(members, everywhere, at, everywhere),
                  tandem::argument_error);
  check_out_of_memory("", Backend::make(),
                      [&] { tandem::segmented_reduce(members, x, at, found); });
  check_out_of_memory("", Backend::make(), [&] { tandem::segmented_scan(members, x, at, x); });
}

TEST_CASE_TEMPLATE("groups: wrong offsets read nothing outside, or are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(5);
  const auto where = tandem::cut::of({10, 0, 30, 30, 30});
  for (const std::vector<int>& at :
       {std::vector<int>{50, 20, 90, 10}, {-5, 40, 500, 80}, {100, 0, 100, 0}}) {
    tandem::sharded<float, 1, Space> x({100}, 1.0f, members, where);
    std::vector<float> out(3);
    const auto reduce = [&] {
      tandem::segmented_reduce(members, x, at, out);
      tandem::segmented_scan(members, x, at, x);
      members.fence();
    };
    if (tandem::detail::checks_contents) {
      CHECK_THROWS_AS(reduce(), tandem::argument_error);
    } else {
      reduce();
      for (const float sum : out) CHECK(sum <= 100);
    }
  }
}
