// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose order is free have the bits of one space, wherever the terms are cut: weighted
// histograms, scatter_add, and cells to which loops add.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;

namespace {

/// Weights of all magnitudes, so that some bins have only small ones; some are not finite.
template <class T>
std::vector<T> wild_weights(std::size_t n, std::uint64_t seed, bool all_finite) {
  std::vector<T> weights;
  for (std::size_t i = 0; i < n; ++i) {
    const T mantissa = random_value<T>(seed, i);
    const int exponent = static_cast<int>(mix(seed + i) % 90) - 80;
    weights.push_back(std::ldexp(mantissa, mix(i) % 5 == 0 ? exponent : 0));
    if (!all_finite && i % 997 == 3)
      weights.back() = i % 2 == 0 ? std::numeric_limits<T>::infinity() : T{0} / T{0};
  }
  return weights;
}

/// Weighted histograms of n elements in a few bins and in many.
template <class Space, class W>
void check_weights(std::size_t n, bool all_finite) {
  const auto values = hostile_values<float>(n, 4);
  const auto keys = random_below<int>(n, 5000, 5);
  const auto weights = wild_weights<W>(n, 6, all_finite);
  const std::vector<float> edges = {-1.0f, -0.5f, -0.5f, 0.25f, 2.0f};
  std::vector<W> wanted(33), wanted_keys(4000), wanted_edges(4);
  const tandem::serial serial;
  tandem::histogram(serial, values, {.lo = -1, .hi = 3}, weights, wanted);
  tandem::histogram(serial, keys, tandem::integer_bins{500}, weights, wanted_keys);
  tandem::histogram(serial, values, edges, weights, wanted_edges);
  const auto size = static_cast<tandem::index_t>(n);
  for_each_cut<Space>(size, [&](const auto& members, const tandem::cut& where) {
    if (members.size() > 8 && n > 1000) return;
    tandem::sharded<float, 1, Space> x({size}, members, where);
    tandem::sharded<int, 1, Space> k({size}, members, where);
    tandem::sharded<W, 1, Space> w({size}, members, where, tandem::halo{n > 0 ? 1 : 0});
    tandem::copy(members, values, x);
    tandem::copy(members, keys, k);
    tandem::copy(members, weights, w);
    std::vector<W> found(33), found_edges(4);
    tandem::sharded<W, 1, Space> found_keys({4000}, members, tandem::replicated);
    tandem::histogram(members, x, {.lo = -1, .hi = 3}, w, found);
    CHECK(first_difference(found, wanted) == -1);
    tandem::histogram(members, k, tandem::integer_bins{500}, w, found_keys);
    CHECK(first_difference(tandem::to_vector(members, found_keys), wanted_keys) == -1);
    tandem::histogram(members, x, edges, w, found_edges);
    CHECK(first_difference(found_edges, wanted_edges) == -1);
  });
}

template <class Space, class T>
void check_scatter(std::size_t n, std::size_t outputs, const std::vector<T>& values) {
  auto at = random_below<int>(n, outputs, 7);
  for (std::size_t i = 0; i < n && !tandem::detail::checks_contents; i += 50)
    at[i] = i % 100 == 0 ? -1 : static_cast<int>(outputs);
  const std::vector<T> before(outputs, T{3});
  std::vector<T> wanted = before;
  tandem::scatter_add(tandem::serial{}, at, values, wanted);
  for_each_cut<Space>(
      static_cast<tandem::index_t>(n), [&](const auto& members, const tandem::cut& where) {
        if (members.size() > 8 && n > 1000) return;
        tandem::sharded<int, 1, Space> indices({n}, members, where);
        tandem::sharded<T, 1, Space> from({n}, members, where);
        tandem::sharded<T, 1, Space> even({outputs}, T{3}, members);
        tandem::sharded<T, 1, Space> uneven(
            {outputs}, T{3}, members,
            hostile_cuts(static_cast<tandem::index_t>(outputs), members.size()).back());
        tandem::sharded<T, 1, Space> copies({outputs}, T{3}, members, tandem::replicated);
        tandem::copy(members, at, indices);
        tandem::copy(members, values, from);
        tandem::scatter_add(members, indices, from, even);
        CHECK(first_difference(tandem::to_vector(members, even), wanted) == -1);
        tandem::scatter_add(members, indices, from, uneven);
        CHECK(first_difference(tandem::to_vector(members, uneven), wanted) == -1);
        tandem::scatter_add(members, indices, from, copies);
        const int last = members.size() - 1;
        CHECK(first_difference(tandem::to_vector(members.member(last), copies.part(last)),
                               wanted) == -1);
      });
}

/// Adds an element to the cell of its residue.
struct deposit {
  tandem::fixed_point<float> scale;

  template <class X, class Cells>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Cells& cells) const {
    cells(i % 7).add(scale, x(i));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("groups: weighted histograms", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  check_weights<Space, float>(20011, true);
  check_weights<Space, double>(5003, false);
  check_weights<Space, float>(300, false);
  check_weights<Space, double>(300, true);
  check_weights<Space, float>(1, true);
  check_weights<Space, float>(0, true);
}

TEST_CASE_TEMPLATE("groups: the largest weight has no bin, and a member has small weights alone",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  for (const std::size_t n : {std::size_t{60}, std::size_t{6000}}) {
    // Bin 0 has small weights in every part; bin 1 has one that is not small, at the end. In bin 2,
    // two large ones leave the bits of small ones, of which the scale of key 5 would keep fewer.
    std::vector<int> keys = random_below<int>(n, 6, 1);
    std::vector<float> weights = random_values<float>(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      const int exponents[] = {-40, -40, -31, 0, 0, 12};
      weights[i] = std::ldexp(weights[i], exponents[keys[i]]);
    }
    keys[0] = keys[n / 2] = 2;
    weights[0] = 1;
    weights[n / 2] = -1;
    keys[n - 1] = 1;
    weights[n - 1] = 0.75f;
    std::vector<float> wanted(5), found(5);
    tandem::histogram(tandem::serial{}, keys, tandem::integer_bins{}, weights, wanted);
    CHECK(wanted[0] != 0.0f);
    const auto size = static_cast<tandem::index_t>(n);
    for_each_cut<Space>(size, [&](const auto& members, const tandem::cut& where) {
      tandem::sharded<int, 1, Space> x({size}, members, where);
      tandem::sharded<float, 1, Space> w({size}, members, where);
      tandem::copy(members, keys, x);
      tandem::copy(members, weights, w);
      tandem::histogram(members, x, tandem::integer_bins{}, w, found);
      CHECK(first_difference(found, wanted) == -1);
      if (tandem::detail::checks_contents) return;  // refuses index 5
      tandem::sharded<float, 1, Space> out({5}, 0.0f, members);
      tandem::scatter_add(members, x, w, out);
      CHECK(first_difference(tandem::to_vector(members, out), wanted) == -1);
    });
  }
}

TEST_CASE_TEMPLATE("streamed: weighted histograms", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {std::size_t{0}, std::size_t{700}, std::size_t{20011}}) {
    const auto values = hostile_values<float>(n, 4);
    const auto keys = random_below<int>(n, 3000, 5);
    const auto floats = wild_weights<float>(n, 6, true);
    auto doubles = wild_weights<double>(n, 7, false);
    for (std::size_t i = 0; i < n; ++i)
      if (!(values[i] >= -1 && values[i] <= 3)) doubles[i] = 1e30;  // the largest have no bin
    std::vector<float> wanted(2500), found(2500);
    std::vector<double> wanted_values(33), found_values(33);
    tandem::histogram(tandem::serial{}, keys, tandem::integer_bins{100}, floats, wanted);
    tandem::histogram(tandem::serial{}, values, {.lo = -1, .hi = 3}, doubles, wanted_values);
    for (const std::size_t budget : {std::size_t{48} << 10, std::size_t{1} << 20}) {
      const tandem::streamed big(space, {.budget = budget});
      tandem::histogram(big, keys, tandem::integer_bins{100}, floats, found);
      CHECK(first_difference(found, wanted) == -1);
      tandem::histogram(big, values, {.lo = -1, .hi = 3}, doubles, found_values);
      CHECK(first_difference(found_values, wanted_values) == -1);
    }
  }
  const tandem::streamed big(space, {.budget = 1 << 20});
  std::vector<float> sums(3), x(10), none;
  CHECK_THROWS_AS(tandem::histogram(big, x, {.lo = 0, .hi = 1}, std::vector<float>(9), sums),
                  tandem::extent_error);
  CHECK_THROWS_AS(tandem::histogram(big, x, {.lo = 1, .hi = 0}, x, sums), tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(big, x, {.lo = 0, .hi = 1}, x, none), tandem::argument_error);
}

TEST_CASE_TEMPLATE("groups: histograms between explicit edges", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = hostile_values<double>(3001, 4);
  const auto keys = random_below<int>(3001, 300, 5);
  const std::vector<double> edges = {-1.0, -0.5, -0.5, 0.25, 2.0};
  const std::vector<int> limits = {0, 10, 250, 251};
  std::vector<int> wanted(4);
  std::vector<std::int64_t> wanted_keys(3);
  tandem::histogram(tandem::serial{}, values, edges, wanted);
  tandem::histogram(tandem::serial{}, keys, limits, wanted_keys);
  for_each_cut<Space>(3001, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<double, 1, Space> x({3001}, members, where);
    tandem::sharded<int, 1, Space> k({3001}, members, where);
    tandem::sharded<int, 1, Space> between({4}, members);
    tandem::sharded<double, 1, Space> everywhere({5}, members, tandem::replicated);
    tandem::copy(members, values, x);
    tandem::copy(members, keys, k);
    tandem::copy(members, limits, between);
    tandem::copy(members, edges, everywhere);
    std::vector<int> found(4);
    std::vector<std::int64_t> found_keys(3);
    tandem::histogram(members, x, edges, found);
    CHECK(found == wanted);
    std::fill(found.begin(), found.end(), -1);
    tandem::histogram(members, x, everywhere, found);
    CHECK(found == wanted);
    tandem::histogram(members, k, between, found_keys);
    CHECK(found_keys == wanted_keys);
    // What members do with their copies comes behind the sum, for which nobody waits.
    tandem::sharded<int, 1, Space> copies({4}, -1, members, tandem::replicated);
    tandem::histogram(members, x, everywhere, copies);
    for (const auto& part : copies.parts())
      CHECK(tandem::to_vector(members.member(part.member), part.view) == wanted);
  });
}

TEST_CASE_TEMPLATE("groups: scatter_add to sharded and replicated outputs", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  check_scatter<Space>(20011, 900, wild_weights<float>(20011, 1, true));
  check_scatter<Space>(5003, 3000, wild_weights<double>(5003, 2, false));
  check_scatter<Space>(4001, 1500, wild_weights<float>(4001, 8, true));
  check_scatter<Space>(300, 40, wild_weights<float>(300, 3, true));
  check_scatter<Space>(300, 1, random_values<float>(300, 4));
  check_scatter<Space>(3000, 70, random_below<int>(3000, 1u << 30, 5));
  check_scatter<Space>(3000, 2900, random_below<int>(3000, 1u << 30, 5));
  check_scatter<Space>(1, 5, std::vector<double>{2.5});
  check_scatter<Space>(0, 5, std::vector<float>());
}

TEST_CASE_TEMPLATE("groups: cells to which the members have added", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  using cell = tandem::order_free_sum<float>;
  const auto values = random_values<float>(5003, 1);
  const deposit add{cell::scale(1.0f, 5003)};
  const tandem::serial serial;
  const tandem::array<float, 1, tandem::serial> x0(values, serial);
  tandem::array<cell, 1, tandem::serial> cells0({7}, cell{}, serial);
  tandem::parallel_for(serial, 5003, add, x0, cells0);
  for_each_cut<Space>(5003, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({5003}, members, where);
    tandem::sharded<cell, 1, Space> cells({7}, cell{}, members, tandem::replicated);
    tandem::copy(members, values, x);
    tandem::parallel_for(members, 5003, add, std::as_const(x), cells);
    tandem::merge(members, cells);
    bool is_right = true;
    for (const auto& part : cells.parts()) {
      const auto found = tandem::to_vector(members.member(part.member), part.view);
      for (tandem::index_t i = 0; i < 7; ++i) {
        is_right = is_right && same_bits(found[static_cast<std::size_t>(i)].value(add.scale),
                                         cells0(i).value(add.scale));
      }
    }
    CHECK(is_right);
  });
}

TEST_CASE_TEMPLATE("groups: what sums in any order refuse, and memory that runs out", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto where = tandem::cut::of({100, 0, 200});
  tandem::sharded<int, 1, Space> at({300}, 5, members, where);
  tandem::sharded<int, 1, Space> others({300}, 5, members);
  tandem::sharded<float, 1, Space> x({300}, 2.0f, members, where);
  tandem::sharded<float, 1, Space> copies({300}, 1.0f, members, tandem::replicated);
  tandem::sharded<int, 1, Space> index_copies({300}, 5, members, tandem::replicated);
  tandem::sharded<float, 1, Space> out({10}, 0.0f, members);
  tandem::sharded<float, 1, Space> copies10({10}, 1.0f, members, tandem::replicated);
  std::vector<float> sums(10);
  CHECK_THROWS_AS(tandem::scatter_add(members, others, x, out), tandem::extent_error);
  CHECK_THROWS_AS(tandem::scatter_add(members, at, copies, out), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::scatter_add(members, index_copies, copies, out),
                       "scatter_add: indices and values are replicated, and out is not",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(members, others, tandem::integer_bins{}, x, sums),
                  tandem::extent_error);
  CHECK_THROWS_AS(tandem::histogram(members, x, {.lo = 2, .hi = 1}, x, sums),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(members, x, {.lo = 1, .hi = 2}, x, out),
                  tandem::argument_error);
  const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> none(nullptr, {10});
  CHECK_THROWS_WITH_AS(tandem::histogram(members, x, {.lo = 1, .hi = 2}, x, none),
                       "histogram: sums has 10 elements but no memory (null)",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(members, x, std::vector<float>{1, 2}, x, sums),
                  tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::histogram(members, x, std::vector<float>{1, 3, 2}, std::vector<int>(2)),
      "histogram: edge 1 (3) is not <= edge 2 (2)", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::histogram(members, x, std::vector<float>{2, 1}, x, sums),
                       "histogram: edge 0 (2) is not <= edge 1 (1)", tandem::argument_error);
  tandem::scatter_add(members, index_copies, copies, copies10);
  CHECK(tandem::to_vector(members.member(2), copies10.part(2))[5] == 301.0f);
  tandem::histogram(members, index_copies, tandem::integer_bins{}, copies, sums);
  CHECK(sums == std::vector<float>{0, 0, 0, 0, 0, 300, 0, 0, 0, 0});
  const auto space = Backend::make();
  check_out_of_memory("", space,
                      [&] { tandem::histogram(members, x, {.lo = 1, .hi = 2}, x, sums); });
  check_out_of_memory("", space, [&] { tandem::scatter_add(members, at, x, out); });
  tandem::sharded<float, 1, Space> everywhere({10}, 0.0f, members, tandem::replicated);
  check_out_of_memory("", space, [&] { tandem::scatter_add(members, at, x, everywhere); });
}
