// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans over the members of a group have the bits of one space, wherever the rows are cut.

#include "distributed/support.hpp"

using namespace tandem::test;

namespace {

template <class Space, class T, class Operation, class... From>
void check_scan(const std::vector<T>& values, const Operation& operation, const From&... from) {
  const auto n = static_cast<tandem::index_t>(values.size());
  std::vector<T> wanted(values.size());
  tandem::parallel_scan(tandem::serial{}, values, wanted, operation, from...);
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<T, 1, Space> x({n}, members, where);
    tandem::sharded<T, 1, Space> y({n}, members, where, tandem::halo{n > 0 ? 1 : 0});
    tandem::copy(members, values, x);
    tandem::parallel_scan(members, x, y, operation, from...);
    CHECK(first_difference(tandem::to_vector(members, y), wanted) == -1);
    tandem::parallel_scan(members, x, x, operation, from...);
    CHECK(first_difference(tandem::to_vector(members, x), wanted) == -1);
  });
}

/// Composes x -> a x + b of 32 bits each, with a in the upper half and b in the lower one.
struct compose_maps {
  TANDEM_FUNCTION std::uint64_t operator()(std::uint64_t f, std::uint64_t g) const {
    const auto a = static_cast<std::uint32_t>((f >> 32) * (g >> 32));
    const auto b = static_cast<std::uint32_t>((g >> 32) * (f & 0xffffffffu) + g);
    return std::uint64_t{a} << 32 | b;
  }
};

/// A value of x times an element of a table.
struct weighted {
  template <class X, class W>
  TANDEM_FUNCTION float operator()(tandem::index_t i, const X& x, const W& table) const {
    return x(i) * table(i % 4);
  }
};

struct square {
  TANDEM_FUNCTION std::int64_t operator()(tandem::index_t i) const { return i * i; }
};

}  // namespace

TEST_CASE_TEMPLATE("groups: scans of sums, extremes and others, inclusive and exclusive", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  check_scan<Space>(random_values<float>(300007, 1), tandem::sum{});
  for (const int n : {0, 1, 16, 4096, 4097}) {
    const auto count = static_cast<std::size_t>(n);
    check_scan<Space>(random_values<double>(count, 2), tandem::sum{}, tandem::exclusive{0.5});
  }
  check_scan<Space>(random_values<int>(20011, 3), tandem::sum{}, tandem::exclusive{7});
  check_scan<Space>(random_values<float>(20011, 4), tandem::maximum{});
  check_scan<Space>(random_values<float>(20011, 5), tandem::with_initial(tandem::sum{}, 3.0f));
}

TEST_CASE_TEMPLATE("groups: scans by operations that do not commute", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto maps = random_values<std::uint64_t>(140003, 6);
  check_scan<Space>(maps, compose_maps{});
  check_scan<Space>(maps, compose_maps{}, tandem::exclusive{(std::uint64_t{3} << 32) + 1});
}

TEST_CASE_TEMPLATE("groups: scans over three levels of nodes", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::index_t n = 4096 * 32 * 40 + 77;
  const auto values = random_values<float>(static_cast<std::size_t>(n), 7);
  std::vector<float> wanted(values.size());
  tandem::parallel_scan(tandem::serial{}, values, wanted);
  const auto members = tandem::shards<Space>(4);
  const tandem::index_t tile = 4096;
  for (const auto& where :
       {tandem::cut::even(n, 4), tandem::cut::of({31 * tile, tile * 1000, 7, n - tile * 1031 - 7}),
        tandem::cut::of({n / 2 + 1, 0, n / 3, n - n / 2 - 1 - n / 3})}) {
    tandem::sharded<float, 1, Space> x({n}, members, where);
    tandem::copy(members, values, x);
    tandem::parallel_scan(members, x, x);
    CHECK(first_difference(tandem::to_vector(members, x), wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("groups: scans of terms see the arguments of their index", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::index_t n = 20011;
  const auto values = random_values<float>(static_cast<std::size_t>(n), 8);
  const std::vector<float> table = {0.5f, 2, -1, 3};
  std::vector<float> sums(values.size());
  std::vector<float> before(values.size());
  std::vector<std::int64_t> squares(values.size());
  const tandem::serial serial;
  tandem::parallel_scan(serial, n, weighted{}, sums, tandem::sum{}, values, table);
  tandem::parallel_scan(serial, n, weighted{}, before, tandem::maximum{}, tandem::exclusive{-9.0f},
                        values, table);
  tandem::parallel_scan(serial, tandem::range{-7, n - 7}, square{}, squares);
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({n}, members, where);
    tandem::sharded<float, 1, Space> y({n}, members, where);
    tandem::sharded<float, 1, Space> weights({4}, members, tandem::replicated);
    tandem::sharded<std::int64_t, 1, Space> z({n}, members, where);
    tandem::copy(members, values, x);
    tandem::copy(members, table, weights);
    tandem::parallel_scan(members, n, weighted{}, y, tandem::sum{}, std::as_const(x), weights);
    CHECK(first_difference(tandem::to_vector(members, y), sums) == -1);
    tandem::parallel_scan(members, n, weighted{}, x, tandem::maximum{}, tandem::exclusive{-9.0f}, x,
                          weights);
    CHECK(first_difference(tandem::to_vector(members, x), before) == -1);
    tandem::parallel_scan(members, tandem::range{-7, n - 7}, square{}, z);
    CHECK(first_difference(tandem::to_vector(members, z), squares) == -1);
  });
}

TEST_CASE("the nodes that cover a part follow each other without gaps") {
  for (const std::int64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    for (int draw = 0; draw < 200; ++draw) {
      const auto at = [&](std::uint64_t i) {
        const auto bits = mix(static_cast<std::uint64_t>(seed) * 1000 + 3 * i +
                              static_cast<std::uint64_t>(draw) * 7);
        return static_cast<tandem::index_t>((bits >> 8) % (std::uint64_t{1} << (seed * 4)));
      };
      const tandem::index_t begin = at(0);
      const tandem::detail::whole_nodes part{{begin, begin + at(1)}};
      tandem::index_t known = part.tiles.begin;
      for (int r = 0; r < tandem::detail::whole_nodes::ranges; ++r) {
        const tandem::range some = part.at(r);
        if (some.size() == 0) continue;
        const tandem::index_t covered = tandem::index_t{1}
                                        << (5 * tandem::detail::whole_nodes::level_of(r));
        CHECK(some.begin * covered == known);
        CHECK(some.size() <= 62);
        known = some.end * covered;
      }
      CHECK(known == part.tiles.end);
    }
  }
}

TEST_CASE_TEMPLATE("groups: what scans refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 1, Space> x({10}, 1.0f, members, tandem::cut::of({5, 5, 0}));
  tandem::sharded<float, 1, Space> y({10}, 1.0f, members, tandem::cut::of({5, 4, 1}));
  tandem::sharded<float, 1, Space> z({9}, 1.0f, members);
  tandem::sharded<float, 1, Space> everywhere({10}, 1.0f, members, tandem::replicated);
  CHECK_THROWS_AS(tandem::parallel_scan(members, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_scan(members, x, z), tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(members, everywhere, everywhere),
                       "parallel_scan: x and y are sharded, not replicated",
                       tandem::argument_error);
  CHECK_THROWS_AS(
      tandem::parallel_scan(members, 8, weighted{}, z, tandem::sum{}, everywhere, everywhere),
      tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_scan(members, 10, weighted{}, y, tandem::sum{}, x, everywhere),
                  tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_scan(members, 10, weighted{}, everywhere, tandem::sum{}, x, x),
                  tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(members, tandem::range{1, 11}, weighted{}, x,
                                             tandem::sum{}, x, everywhere),
                       "parallel_scan: the indices are rows of the sharded arguments, and begin at "
                       "0",
                       tandem::argument_error);
}
