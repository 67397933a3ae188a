// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profilers, traces and errors use the caller's name of an operation.

#include "support/backends.hpp"

#include <string>
#include <utility>
#include <vector>

#include <tandem/core/tools/profiling/profiling.hpp>

using namespace tandem::test;

namespace {

/// The outermost operations reported to a profiler.
std::vector<std::string> outermost;
int depth = 0;

tandem::detail::profiler listener{[](const tandem::detail::operation& what, std::uint64_t*) {
                                    if (depth++ == 0) outermost.emplace_back(what.label);
                                  },
                                  [](const tandem::detail::operation&, std::uint64_t) { --depth; },
                                  false, false};

/// Fails unless the profiler sees everything in f as `name`.
template <class Function>
void check_label(const char* name, const Function& f) {
  outermost.clear();
  tandem::detail::add_profiler(listener);
  f();
  tandem::detail::remove_profiler(listener);
  CHECK(outermost == std::vector<std::string>{name});
}

struct store_index {
  template <class View>
  TANDEM_FUNCTION void operator()(tandem::index_t i, View v) const {
    v(i) = static_cast<float>(i);
  }
};
struct is_positive {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0; }
};
struct twice {
  TANDEM_FUNCTION float operator()(float x) const { return 2 * x; }
};
struct index_term {
  TANDEM_FUNCTION float operator()(int i) const { return static_cast<float>(i); }
};
struct idle_team {
  TANDEM_FUNCTION void operator()(tandem::team&) const {}
};

/// One operand of each kind.
template <class Backend>
struct operands {
  using Space = typename Backend::space;
  Space space = Backend::make();
  tandem::array<float, 1, Space> x{tandem::extents<1>(64), 1.0f, space};
  tandem::array<float, 1, Space> y{tandem::extents<1>(64), 2.0f, space};
  tandem::array<int, 1, Space> indices = to_space(space, ascending());
  tandem::array<float, 2, Space> a{tandem::extents<2>(8, 8), 1.0f, space};
  tandem::array<float, 2, Space> c{tandem::extents<2>(8, 8), 0.0f, space};
  tandem::array<float, 1, Space> rows{tandem::extents<1>(8), 0.0f, space};
  tandem::array<int, 1, Space> counts{tandem::extents<1>(4), 0, space};
  tandem::array<float, 0, Space> value{tandem::extents<0>(), 0.0f, space};
  tandem::array<tandem::index_t, 0, Space> count{tandem::extents<0>(), tandem::index_t{0}, space};

  static std::vector<int> ascending() {
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i) values[static_cast<std::size_t>(i)] = i;
    return values;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("labels: loops and what is made of them have their own names", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto& space = o.space;
  check_label("parallel_for", [&] { tandem::parallel_for(space, 64, store_index{}, o.x); });
  check_label("parallel_teams",
              [&] { tandem::parallel_teams(space, {.teams = 2, .lanes = 32}, idle_team{}); });
  check_label("transform", [&] { tandem::transform(space, o.x, o.y, twice{}); });
  check_label("iota", [&] { tandem::iota(space, o.x); });
  check_label("gather", [&] { tandem::gather(space, o.x, o.indices, o.y); });
  check_label("scatter", [&] { tandem::scatter(space, o.x, o.indices, o.y); });
  check_label("scatter_add", [&] { tandem::scatter_add(space, o.indices, o.x, o.y); });
  check_label("reverse", [&] { tandem::reverse(space, o.x); });
  check_label("fill", [&] { tandem::fill(space, o.x, 1.0f); });
  check_label("copy", [&] { tandem::copy(space, o.x, o.y); });
  check_label("fill_random", [&] { tandem::fill_random(space, o.x, tandem::uniform{}, 1); });
  check_label("shuffle", [&] { tandem::shuffle(space, o.x, 1); });
  check_label("random_permutation", [&] { tandem::random_permutation(space, o.counts, 1); });
}

TEST_CASE_TEMPLATE("labels: reductions have their own names", Backend, TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto& space = o.space;
  check_label("parallel_reduce", [&] { tandem::parallel_reduce(space, 64, index_term{}); });
  check_label("parallel_reduce", [&] { tandem::parallel_reduce(space, o.x, tandem::sum{}); });
  check_label("parallel_reduce_into",
              [&] { tandem::parallel_reduce_into(space, o.x, tandem::sum{}, o.value); });
  check_label("parallel_reduce_into", [&] {
    tandem::parallel_reduce_into(space, o.a, tandem::axis{0}, tandem::sum{}, o.rows);
  });
  check_label("dot", [&] { tandem::dot(space, o.x, o.y); });
  check_label("asum", [&] { tandem::asum(space, o.x); });
  check_label("nrm_inf", [&] { tandem::nrm_inf(space, o.x); });
  check_label("argmin", [&] { (void)tandem::argmin(space, o.x); });
  check_label("argmax", [&] { (void)tandem::argmax(space, o.x); });
  check_label("count_if", [&] { (void)tandem::count_if(space, o.x, is_positive{}); });
  check_label("all_of", [&] { (void)tandem::all_of(space, o.x, is_positive{}); });
  check_label("any_of", [&] { (void)tandem::any_of(space, o.x, is_positive{}); });
  check_label("none_of", [&] { (void)tandem::none_of(space, o.x, is_positive{}); });
  check_label("segmented_reduce", [&] {
    tandem::segmented_reduce(space, o.x, o.indices,
                             tandem::subview(o.y.view(), tandem::slice{0, 63}));
  });
  check_label("reduce_by_key", [&] {
    auto keys = to_space(space, operands<Backend>::ascending());
    outermost.clear();  // forget the copy
    (void)tandem::reduce_by_key(space, o.indices, o.x, keys, o.y);
  });
}

TEST_CASE_TEMPLATE("labels: scans, selections, sorts and products have their own names", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto& space = o.space;
  check_label("parallel_scan", [&] { tandem::parallel_scan(space, o.x, o.y); });
  check_label("segmented_scan", [&] { tandem::segmented_scan(space, o.x, o.indices, o.y); });
  check_label("copy_if", [&] { (void)tandem::copy_if(space, o.x, o.y, is_positive{}); });
  check_label("copy_if_into",
              [&] { tandem::copy_if_into(space, o.x, o.y, is_positive{}, o.count); });
  check_label("unique", [&] { (void)tandem::unique(space, o.x, o.y); });
  check_label("unique_into", [&] { tandem::unique_into(space, o.x, o.y, o.count); });
  check_label("sort", [&] { tandem::sort(space, o.x); });
  check_label("nth_element", [&] { (void)tandem::nth_element(space, o.x, 5); });
  check_label("sort_by_key", [&] { tandem::sort_by_key(space, o.x, o.y); });
  check_label("histogram",
              [&] { tandem::histogram(space, o.x, {.lo = 0.0f, .hi = 1.0f}, o.counts); });
  check_label("matmul", [&] { tandem::matmul(space, o.a, o.a, o.c); });
}

TEST_CASE_TEMPLATE("labels: a space's label names every operation called on it", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto& advect = o.space.named("advect");
  check_label("advect", [&] { tandem::parallel_for(advect, 64, store_index{}, o.x); });
  check_label("advect", [&] { tandem::parallel_reduce(advect, 64, index_term{}); });
  check_label("advect", [&] { tandem::fill(o.space.named("advect"), o.x, 1.0f); });
  check_label("advect", [&] { tandem::sort(advect, o.x); });
  check_label("advect",
              [&] { tandem::histogram(advect, o.x, {.lo = 0.0f, .hi = 1.0f}, o.counts); });
  check_label("advect", [&] { tandem::matmul(advect, o.a, o.a, o.c); });
  check_label("fill", [&] { tandem::fill(o.space, o.x, 1.0f); });
}

TEST_CASE_TEMPLATE("labels: errors begin with the label and the operation", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto& advect = o.space.named("advect");
  CHECK_THROWS_WITH_AS(tandem::gather(advect, o.x, o.indices, o.rows),
                       "advect (gather): extent 0 of indices (64) != extent 0 of out (8)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::shuffle(advect, tandem::subview(o.x.view(), tandem::slice{0, 64, 2}), 1),
      "advect (shuffle): x has stride 2, not 1", tandem::argument_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_for(advect, tandem::range{0, 4}.with_block(-1), index_term{}),
      "advect (parallel_for): threads of a block (-1) < fewest (1)", tandem::extent_error);
}

TEST_CASE_TEMPLATE("labels: a space keeps its label when it is moved", Backend,
                   TANDEM_TEST_BACKENDS) {
  auto space = Backend::make();
  CHECK(space.label() == nullptr);
  auto advect = space.named("advect");
  const auto moved = std::move(advect);
  CHECK(std::string(moved.label()) == "advect");
  CHECK(space.label() == nullptr);
}
