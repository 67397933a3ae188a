// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong on groups and streams: wrong operands are refused before anything is written,
// errors name the member, and what a callback ends leaves what was promised.

#include <algorithm>
#include <limits>
#include <string>

#include "distributed/support.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

struct add_to {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y) const {
    y(i) += x(i);
  }
};
struct is_large {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};
struct square {
  TANDEM_FUNCTION float operator()(float x) const { return x * x; }
};

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// Calls check(operation on x and y) for operations of every kind.
template <class Space, class Check>
void for_each_operation(const tandem::group<Space>& members, const Check& check) {
  using array = tandem::sharded<float, 1, Space>;
  check([&](array& x, array& y) { tandem::parallel_for(members, x.extent(0), add_to{}, x, y); });
  check([&](array& x, array&) { (void)tandem::parallel_reduce(members, x); });
  check([&](array& x, array&) { tandem::fill(members, x, 1.0f); });
  check([&](array& x, array&) { tandem::iota(members, x); });
  check([&](array& x, array&) { tandem::fill_random(members, x, tandem::normal{}, 1); });
  check([&](array& x, array& y) { tandem::copy(members, x, y); });
  check([&](array& x, array&) { (void)tandem::to_vector(members, x); });
  check([&](array& x, array&) { tandem::exchange(members, x); });
  check([&](array& x, array& y) { tandem::transform(members, x, y, square{}); });
  check([&](array& x, array& y) { tandem::parallel_scan(members, x, y); });
  check([&](array& x, array& y) { (void)tandem::copy_if(members, x, y, is_large{}); });
  check([&](array& x, array& y) { (void)tandem::unique(members, x, y); });
  check([&](array& x, array&) { tandem::sort(members, x); });
  check([&](array& x, array& y) { tandem::reverse(members, x, y); });
  check([&](array& x, array& y) { (void)tandem::dot(members, x, y); });
  check([&](array& x, array&) { (void)tandem::count_if(members, x, is_large{}); });
  check([&](array& x, array&) {
    std::vector<int> counts(3);
    tandem::histogram(members, x, {.lo = 0, .hi = 1}, counts);
  });
}

/// A progress callback's way to end an operation.
struct enough {};

}  // namespace

TEST_CASE_TEMPLATE("faults: empty arrays of other groups, and of none, are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  using array = tandem::sharded<float, 1, typename Backend::space>;
  const auto members = tandem::shards<typename Backend::space>(3);
  const auto others = tandem::shards<typename Backend::space>(2);
  for_each_operation(members, [&](const auto& operation) {
    array none;
    array also_none;
    CHECK(refusal_of([&] { operation(none, also_none); })
              .ends_with(
                  "an array has parts of 0 members, and the group 3: it was moved from, or made "
                  "without one"));
    array x({0}, others);
    array y({0}, others);
    CHECK(refusal_of([&] {
            operation(x, y);
          }).ends_with("an array has parts of 2 members, and the group 3"));
    array ours({0}, members);
    array ours_too({0}, members);
    CHECK(refusal_of([&] { operation(ours, ours_too); }) == "");
  });
}

TEST_CASE_TEMPLATE("faults: one array as two operands, and other forms of one", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  for (const int count : {1, 3}) {
    const auto members = tandem::shards<Space>(count);
    tandem::sharded<int, 1, Space> x({100}, 1, members);
    tandem::sharded<int, 1, Space> k({100}, 2, members);
    tandem::sharded<float, 2, Space> a({10, 10}, 1.0f, members);
    tandem::sharded<float, 2, Space> b({10, 10}, 1.0f, members);
    const auto gather = [&](auto& from, auto& indices, auto& out) {
      return refusal_of([&] { tandem::gather(members, from, indices, out); });
    };
    CHECK(gather(x, k, x) == "gather: x and out overlap");
    CHECK(gather(x, k, k) == "gather: indices and out overlap");
    CHECK(refusal_of([&] { tandem::matmul(members, a, b, a); }) == "matmul: c overlaps a");
    CHECK(refusal_of([&] { tandem::matmul(members, a, b, b); }) == "matmul: c overlaps b");
    CHECK(tandem::to_vector(members, x) == std::vector<int>(100, 1));
    CHECK(tandem::to_vector(members, b) == std::vector<float>(100, 1.0f));
    tandem::sharded<float, 1, Space> y({100}, 1.0f, members);
    tandem::sharded<float, 1, Space> out({100}, 0.0f, members);
    tandem::sharded<index_t, 1, Space> kept({1}, members);
    CHECK(refusal_of([&] { tandem::copy_if_into(members, y, out, is_large{}, kept); }) ==
          "copy_if_into: the count is replicated, not sharded");
    CHECK(refusal_of([&] { tandem::unique_into(members, y, out, kept); }) ==
          "unique_into: the count is replicated, not sharded");
    CHECK(tandem::to_vector(members, out) == std::vector<float>(100, 0.0f));
    const auto& constant = y;
    index_t elements = 0;
    for (const auto& part : constant.parts()) elements += part.view.size();
    CHECK(elements == 100);
  }
  CHECK_THROWS_AS((void)tandem::cut::of({std::numeric_limits<index_t>::max(), 1}),
                  tandem::extent_error);
}

TEST_CASE_TEMPLATE("faults: values that elements do not hold are refused, of empty arrays too",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto where = tandem::cut::of({4, 0, 6});
  const std::string range = ") is outside the range of the type that holds it, -128 to 127";
  using bytes = tandem::sharded<signed char, 1, Space>;
  CHECK(refusal_of([&] { bytes({10}, 128, members, where, tandem::halo{1}); }) ==
        "sharded array: value (128" + range);
  CHECK(refusal_of([&] { bytes({10}, std::size_t{1} << 40, members); }) ==
        "sharded array: value (1099511627776" + range);
  bytes x({10}, -128L, members, where);
  bytes y({10}, 7, members, where);
  CHECK(tandem::to_vector(members, x) == std::vector<signed char>(10, -128));
  bytes none({0}, members);
  const std::vector<int> offsets = {0, 10};
  const std::vector<int> no_offsets = {0, 0};
  CHECK(refusal_of([&] {
          tandem::segmented_scan(members, x, offsets, y, tandem::sum{}, tandem::exclusive{128});
        }) == "exclusive: init (128" + range);
  CHECK(refusal_of([&] {
          tandem::segmented_scan(members, none, no_offsets, none, tandem::sum{},
                                 tandem::exclusive{128});
        }) == "exclusive: init (128" + range);
  CHECK(refusal_of([&] {
          tandem::parallel_scan(members, x, y, tandem::sum{}, tandem::exclusive{-129});
        }) == "exclusive: init (-129" + range);
  CHECK(refusal_of([&] { tandem::iota(members, y, 120, 1); }) ==
        "iota: element 8 of 10, 120 + i * 1, is outside the range of x's type, -128 to 127");
  CHECK(tandem::to_vector(members, y) == std::vector<signed char>(10, 7));

  const tandem::streamed big(Backend::make(), {.budget = 1 << 15});
  const std::vector<float> empty;
  std::vector<int> counts(3, 7);
  CHECK(refusal_of([&] { tandem::histogram(big, empty, {.lo = 2, .hi = 1}, counts); }) ==
        "histogram: lo (2) >= hi (1)");
  CHECK(refusal_of([&] {
          tandem::histogram(big, empty, {.lo = 1, .hi = 2}, std::vector<int>());
        }) == "histogram: counts has 0 bins, fewer than 1");
  CHECK(counts == std::vector<int>(3, 7));
  tandem::histogram(big, empty, {.lo = 1, .hi = 2}, counts);
  CHECK(counts == std::vector<int>(3, 0));
}

TEST_CASE_TEMPLATE("faults: streamed operands that overlap across chunks are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const tandem::streamed big(Backend::make(), {.budget = 1 << 15});
  const auto before = random_values<float>(20000, 1);
  std::vector<float> values = before;
  const auto part = [&](index_t begin) {
    return tandem::subview(tandem::as_view(values), tandem::slice{begin, begin + 10000});
  };
  const std::string refused = ": an operand that is written overlaps another one";
  // Chunks have fewer than 6000 elements: no chunk overlaps itself.
  CHECK(refusal_of([&] { tandem::transform(big, part(0), part(6000), square{}); }) ==
        "transform: x and y overlap");
  CHECK(refusal_of([&] { tandem::parallel_for(big, 10000, add_to{}, part(0), part(6000)); }) ==
        "parallel_for" + refused);
  CHECK(refusal_of([&] { tandem::parallel_for(big, 10000, add_to{}, part(0), part(0)); }) ==
        "parallel_for" + refused);
  CHECK(values == before);
  const auto same = [&] { tandem::transform(big, part(0), part(0), square{}); };
  CHECK(refusal_of(same) == "");
  CHECK(values[5] == before[5] * before[5]);
  CHECK(refusal_of([&] { tandem::transform(big, part(0), part(10000), square{}); }) == "");
  // Columns of one matrix share no element.
  const auto matrix = tandem::reshape(values, 10000, 2);
  const auto column = [&](index_t c) { return tandem::subview(matrix, tandem::all, c); };
  CHECK(refusal_of([&] { tandem::parallel_for(big, 10000, add_to{}, column(0), column(1)); }) ==
        "");
}

TEST_CASE_TEMPLATE("faults: a callback that ends a streamed sort loses no element", Backend,
                   TANDEM_TEST_BACKENDS) {
  constexpr int n = 50000;
  std::vector<float> keys(n);
  for (int i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % n);
  std::vector<int> values(keys.begin(), keys.end());
  const auto all_of_them = values;
  for (int calls = 0, most = 1; calls < most; ++calls) {
    int seen = 0;
    const tandem::streamed big(Backend::make(), {.budget = 1 << 17, .progress = [&](auto, auto) {
                                                   if (seen++ == calls) throw enough();
                                                 }});
    const auto ended = [&](const auto& sort) {
      seen = 0;
      try {
        sort();
      } catch (const enough&) {
        most = calls + 2;
      }
    };
    std::vector<float> sorted = keys;
    ended([&] { tandem::sort(big, sorted); });
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted[0] == 0);
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    // Values in place, keys not: these have all their elements as well.
    std::vector<int> numbers = all_of_them;
    std::vector<float> out(n);
    ended([&] { tandem::sort_by_key(big, keys, numbers, out, numbers); });
    std::sort(numbers.begin(), numbers.end());
    CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
    CHECK(numbers.back() == n - 1);
  }
}

TEST_CASE_TEMPLATE("faults: a budget that is too small is refused with one that is enough", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<float> x = random_values<float>(20000, 1);
  std::vector<float> y(x.size());
  std::vector<int> counts(3);
  const auto needed = [](const std::string& said) {
    const auto begin = said.rfind(": ");
    REQUIRE(said.ends_with(" bytes"));
    return std::stoul(said.substr(begin + 2));
  };
  const auto check = [&](const auto& operation) {
    const tandem::streamed small(space, {.budget = 100});
    const std::size_t bytes = needed(refusal_of([&] { operation(small); }));
    CHECK(refusal_of([&] { operation(tandem::streamed(space, {.budget = bytes - 3})); }) != "");
    CHECK(refusal_of([&] { operation(tandem::streamed(space, {.budget = bytes})); }) == "");
  };
  check([&](const auto& big) { (void)tandem::parallel_reduce(big, x); });
  check([&](const auto& big) { tandem::transform(big, x, y, square{}); });
  check([&](const auto& big) { tandem::parallel_for(big, 20000, add_to{}, x, y); });
  check([&](const auto& big) { tandem::parallel_scan(big, x, y); });
  check([&](const auto& big) { (void)tandem::copy_if(big, x, y, is_large{}); });
  check([&](const auto& big) { (void)tandem::unique(big, x, y); });
  check([&](const auto& big) { tandem::histogram(big, x, {.lo = 0, .hi = 1}, counts); });
  check([&](const auto& big) { tandem::sort(big, x, y); });
  check([&](const auto& big) { (void)tandem::parallel_reduce(big, tandem::reshape(x, 2, 10000)); });
}
