// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory runs out at each allocation of reductions in parts and to several results, norms and
// predicates, collectives, copies to the host, and operations that fill or transform arrays.

#include "support/data.hpp"
#include "support/out_of_memory.hpp"

#include <cstdint>
#include <stdexcept>

using namespace tandem::test;
using tandem::index_t;

namespace {

constexpr int many = 300007;

struct is_positive {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};

/// Two results per element.
struct parts_of {
  TANDEM_FUNCTION tandem::tuple<float, int> operator()(float x) const {
    return tandem::make_tuple(x - tandem::floor(x), x < 0 ? -1 : 1);
  }
};

/// The largest value that a lane may keep.
struct large_value {
  float of[112];
};

/// Runs collectives over values that the lanes keep, some of them large.
template <class Y>
struct keep_and_combine {
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    tandem::per_lane<float> mine(t, 1.0f);
    t.for_each_lane([&](int lane) { y(t.index(), lane) = static_cast<float>(lane); });
    tandem::per_lane<large_value> kept(t);
    t.for_each_lane([&](int lane) { kept[lane].of[lane % 112] = y(t.index(), lane); });
    const float total = t.reduce(mine);
    const float before = t.exclusive_scan(mine);
    const float last = t.broadcast(mine, t.lanes() - 1);
    tandem::per_lane<bool> is_busy(t, true);
    const bool is_any = t.any(is_busy);
    t.for_each_lane([&](int lane) {
      y(t.index(), lane) =
          kept[lane].of[lane % 112] + total + before + last + (is_any ? 1.0f : 0.0f);
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("out of memory: reductions in parts", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, random_values<float>(many, 1));
  const auto part = [&](index_t first, index_t last) {
    return tandem::partial_reduce(space, tandem::subview(x.view(), tandem::slice{first, last}),
                                  first, tandem::sum<float>{});
  };
  using Partial = decltype(part(0, 0));
  check_out_of_memory("partial_reduce", space, [&] { part(0, many); });
  const Partial left = part(0, 5 * Partial::tile);
  const Partial right = part(5 * Partial::tile, many);
  const auto bytes = [](const Partial& p) { return p.subtrees().size(); };
  check_out_of_memory("", space, [&] { tandem::combine(left, right); });
  Partial all = left;
  for (int number = 0;; ++number) {
    const failed_call call(number, failing::once, [&] { all.append(right); });
    REQUIRE(std::string(call.other) == "");
    if (!call.threw) break;
    CHECK(all.end() == left.end());
    CHECK(bytes(all) == bytes(left));
  }
  CHECK(same_bits(tandem::finish(all), tandem::parallel_reduce(space, x)));
}

TEST_CASE_TEMPLATE("out of memory: several results, norms and predicates", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {std::size_t{5}, std::size_t{6000}, std::size_t{many}}) {
    auto x = to_space(space, random_values<float>(n, 1));
    const auto v = x.const_view();
    check_out_of_memory("parallel_reduce", space, [&] {
      tandem::parallel_reduce(
          space, v, tandem::combined_reducer{tandem::sum<float>{}, tandem::maxloc<float>{}});
    });
    check_out_of_memory("parallel_reduce", space,
                        [&] { tandem::parallel_reduce(space, v, tandem::minmax<float>{}); });
    check_out_of_memory("asum", space, [&] { tandem::asum(space, v); });
    check_out_of_memory("norm2", space, [&] { tandem::norm2(space, v); });
    check_out_of_memory("nrm_inf", space, [&] { tandem::nrm_inf(space, v); });
    check_out_of_memory("argmax", space, [&] { tandem::argmax(space, v); });
    check_out_of_memory("count_if", space, [&] { tandem::count_if(space, v, is_positive{}); });
    check_out_of_memory("all_of", space, [&] { (void)tandem::all_of(space, v, is_positive{}); });
    check_out_of_memory("any_of", space, [&] { (void)tandem::any_of(space, v, is_positive{}); });
    check_out_of_memory("none_of", space, [&] { (void)tandem::none_of(space, v, is_positive{}); });
  }
}

TEST_CASE_TEMPLATE("out of memory: collectives and what lanes keep", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  tandem::array<float, 2, Space> y(tandem::extents<2>(50, 96), 5.0f, space);
  const keep_and_combine<decltype(y.view())> kernel{y.view()};
  check_out_of_memory(
      "parallel_teams", space,
      [&] {
        tandem::parallel_teams(space, {50, 96, 0}, kernel);
      },
      y.view());
}

TEST_CASE_TEMPLATE("out of memory: copies to the host and arrays of other extents", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const std::vector<float> values = random_values<float>(40009, 1);
  auto x = to_space(space, values);
  check_out_of_memory(
      "to_vector", space, [&] { tandem::to_vector(space, x); }, x.view());
  check_out_of_memory(
      "", space, [&] { tandem::mirror(space, x); }, x.view());
  check_out_of_memory("", space,
                      [&] { const tandem::array<float, 1, Space> copied(values, space); });
  check_out_of_memory("", space, [&] {
    const auto listed = tandem::array<int, 1, Space>::of({1, 2, 3}, space);
  });
  tandem::array<float, 1, Space> larger(tandem::extents<1>(1), space);
  for (int number = 0;; ++number) {
    tandem::array<float, 1, Space> grown = to_space(space, values);
    const failed_call call(number, failing::from_then_on,
                           [&] { tandem::resize(space, grown, tandem::extents<1>(50000)); });
    REQUIRE(std::string(call.other) == "");
    REQUIRE(number < 100);
    if (!call.threw) break;
    CHECK(grown.size() == 40009);
    CHECK(to_host(space, grown) == values);
  }
}

TEST_CASE_TEMPLATE("out of memory: loops that write several outputs or random numbers", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {std::size_t{50}, std::size_t{many}}) {
    auto x = to_space(space, random_values<float>(n, 1));
    auto y = to_space(space, random_values<float>(n, 2));
    auto signs = to_space(space, std::vector<int>(n, 7));
    check_out_of_memory(
        "transform", space, [&] { tandem::transform(space, x, tandem::tie(y, signs), parts_of{}); },
        y.view(), signs.view());
    check_out_of_memory(
        "fill_random", space, [&] { tandem::fill_random(space, y, tandem::uniform{}, 3); },
        y.view());
    check_out_of_memory(
        "fill_random", space, [&] { tandem::fill_random(space, y, tandem::normal{}, 3); },
        y.view());
  }
}

TEST_CASE_TEMPLATE("out of memory: comparing runs", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<float> values = random_values<float>(1000, 1);
  check_out_of_memory("", space, [&] {
    const auto found = tandem::compare(tandem::serial{}, space, [&]<class Space>(const Space& one) {
      tandem::array<float, 1, Space> x(tandem::extents<1>(1000), one);
      tandem::copy(one, values, x);
      (void)tandem::parallel_reduce(one, x);
    });
    if (!found.agrees()) throw std::runtime_error("runs that are alike differ");
  });
}
