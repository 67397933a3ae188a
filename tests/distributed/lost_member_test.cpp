// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member of a group disappears at each of its calls, as a GPU that is unplugged, or has no memory
// left at each of its allocations: the error names it, and so do later calls.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "distributed/faulty_space.hpp"
#include "distributed/support.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

using array = tandem::sharded<float, 1, faulty_space>;
using matrix = tandem::sharded<float, 2, faulty_space>;
using numbers = tandem::sharded<int, 1, faulty_space>;

constexpr index_t n = 9001;

struct add_to {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y) const {
    y(i) += x(i);
  }
};
struct zero_team {
  template <class X>
  TANDEM_FUNCTION void operator()(tandem::team& t, const X& x) const {
    t.for_each_lane([&](int) { x(t.index()) = 0; });
  }
};
struct square {
  TANDEM_FUNCTION float operator()(float x) const { return x * x; }
};
struct is_large {
  TANDEM_FUNCTION bool operator()(float x) const { return x > 0.5f; }
};

/// Operands of every operation, cut so that tiles, segments and runs cross members.
struct operands {
  explicit operands(const tandem::group<faulty_space>& members)
      : x({n}, 1.0f, members, where, tandem::halo{1}),
        y({n}, 2.0f, members, where),
        other({n}, 3.0f, members, tandem::cut::of({2000, 4001, 3000})),
        whole({n}, 4.0f, members, tandem::replicated),
        keys({n}, 5, members, where),
        a({90, 100}, 1.0f, members),
        b({100, 100}, 1.0f, members),
        c({90, 100}, 1.0f, members),
        columns({100}, 1.0f, members),
        bins({10}, 0.0f, members, tandem::replicated),
        one({1}, 0.0f, members, tandem::replicated),
        tall({n, 3}, 1.0f, members, where),
        gram({3, 3}, 0.0f, members),
        steps({n}, 1.5f, members, where),
        tiny({n}, 1e-30f, members, where),
        cells({10}, {}, members, tandem::replicated) {
    // One bin then has small weights alone, beside one with a large one.
    steps.part(0)(0) = 0.5f;
    tiny.part(0)(0) = 1.0f;
  }

  tandem::cut where = tandem::cut::of({3000, 3001, 3000});
  array x, y, other, whole;
  numbers keys;
  matrix a, b, c;
  array columns, bins, one;
  matrix tall, gram;
  array steps, tiny;
  tandem::sharded<tandem::order_free_sum<float>, 1, faulty_space> cells;
};

using operation = std::function<void(const tandem::group<faulty_space>&, operands&)>;

struct named_operation {
  std::string name;
  operation run;
};

std::vector<named_operation> operations() {
  using tandem::group;
  using members_type = const group<faulty_space>&;
  const std::vector<float> on_host(static_cast<std::size_t>(n), 1.0f);
  const std::vector<index_t> offsets = {0, 10, 4000, 8000, n};
  return {
      {"parallel_for",
       [](members_type g, operands& o) { tandem::parallel_for(g, n, add_to{}, o.x, o.y); }},
      {"parallel_for of a halo",
       [](members_type g, operands& o) {
         tandem::parallel_for(g, n, add_to{}, tandem::exchanged(o.x), o.y);
       }},
      {"parallel_teams",
       [](members_type g, operands& o) {
         tandem::parallel_teams(g, tandem::team_shape{n, 1}, zero_team{}, o.y);
       }},
      {"parallel_reduce",
       [](members_type g, operands& o) { (void)tandem::parallel_reduce(g, o.x); }},
      {"parallel_reduce_into",
       [](members_type g, operands& o) {
         tandem::parallel_reduce_into(g, o.x, tandem::sum{}, o.one);
       }},
      {"dot", [](members_type g, operands& o) { (void)tandem::dot(g, o.x, o.y); }},
      {"norm2", [](members_type g, operands& o) { (void)tandem::norm2(g, o.x); }},
      {"count_if", [](members_type g, operands& o) { (void)tandem::count_if(g, o.x, is_large{}); }},
      {"axis 0",
       [](members_type g, operands& o) {
         tandem::parallel_reduce_into(g, o.a, tandem::axis{0}, tandem::sum{}, o.columns);
       }},
      {"fill", [](members_type g, operands& o) { tandem::fill(g, o.x, 1.0f); }},
      {"iota", [](members_type g, operands& o) { tandem::iota(g, o.x); }},
      {"fill_random",
       [](members_type g, operands& o) { tandem::fill_random(g, o.x, tandem::normal{}, 1); }},
      {"transform", [](members_type g, operands& o) { tandem::transform(g, o.x, o.y, square{}); }},
      {"copy to another cut", [](members_type g, operands& o) { tandem::copy(g, o.x, o.other); }},
      {"copy to all", [](members_type g, operands& o) { tandem::copy(g, o.x, o.whole); }},
      {"copy from the host",
       [on_host](members_type g, operands& o) { tandem::copy(g, on_host, o.x); }},
      {"to_vector", [](members_type g, operands& o) { (void)tandem::to_vector(g, o.x); }},
      {"exchange", [](members_type g, operands& o) { tandem::exchange(g, o.x); }},
      {"parallel_scan", [](members_type g, operands& o) { tandem::parallel_scan(g, o.x, o.y); }},
      {"copy_if",
       [](members_type g, operands& o) { (void)tandem::copy_if(g, o.x, o.other, is_large{}); }},
      {"unique", [](members_type g, operands& o) { (void)tandem::unique(g, o.x, o.other); }},
      {"sort", [](members_type g, operands& o) { tandem::sort(g, o.x); }},
      {"sort_by_key", [](members_type g, operands& o) { tandem::sort_by_key(g, o.x, o.y); }},
      {"shuffle", [](members_type g, operands& o) { tandem::shuffle(g, o.y, 1); }},
      {"reverse", [](members_type g, operands& o) { tandem::reverse(g, o.x, o.y); }},
      {"adjacent_difference",
       [](members_type g, operands& o) { tandem::adjacent_difference(g, o.x, o.y); }},
      {"gather", [](members_type g, operands& o) { tandem::gather(g, o.x, o.keys, o.y); }},
      {"scatter_add",
       [](members_type g, operands& o) { tandem::scatter_add(g, o.keys, o.y, o.other); }},
      {"scatter_add to few elements",
       [](members_type g, operands& o) { tandem::scatter_add(g, o.keys, o.y, o.bins); }},
      {"merge", [](members_type g, operands& o) { tandem::merge(g, o.cells); }},
      {"histogram",
       [](members_type g, operands& o) {
         std::vector<int> counts(10);
         tandem::histogram(g, o.x, {.lo = 0, .hi = 2}, counts);
       }},
      {"histogram of edges",
       [](members_type g, operands& o) {
         std::vector<int> counts(2);
         tandem::histogram(g, o.x, std::vector<float>{0, 1, 2}, counts);
       }},
      {"histogram of weights",
       [](members_type g, operands& o) {
         tandem::histogram(g, o.x, {.lo = 0, .hi = 2}, o.y, o.bins);
       }},
      {"histogram of small weights between edges",
       [](members_type g, operands& o) {
         std::vector<float> sums(2);
         tandem::histogram(g, o.steps, std::vector<float>{0, 1, 2}, o.tiny, sums);
       }},
      {"segmented_reduce",
       [offsets](members_type g, operands& o) {
         std::vector<float> sums(4);
         tandem::segmented_reduce(g, o.x, offsets, sums);
       }},
      {"segmented_scan",
       [offsets](members_type g, operands& o) { tandem::segmented_scan(g, o.x, offsets, o.y); }},
      {"reduce_by_key",
       [](members_type g, operands& o) {
         std::vector<int> keys(10);
         std::vector<float> sums(10);
         (void)tandem::reduce_by_key(g, o.keys, o.x, keys, sums);
       }},
      {"matmul", [](members_type g, operands& o) { tandem::matmul(g, o.a, o.b, o.c); }},
      {"matmul along k",
       [](members_type g, operands& o) {
         tandem::matmul(g, tandem::transposed(o.tall), o.tall, o.gram);
       }},
      {"matmul along k into the host",
       [](members_type g, operands& o) {
         std::vector<float> gram(9);
         tandem::matmul(g, tandem::transposed(o.tall), o.tall, tandem::reshape(gram, 3, 3));
       }},
      {"fence", [](members_type g, operands&) { g.fence(); }},
      {"record", [](members_type g, operands&) { g.wait(g.record()); }},
      {"sharded array", [](members_type g, operands&) { const array z({n}, 1.0f, g); }},
  };
}

/// Whether a call throws an Error that names the member, once.
template <class Error>
bool names_member(int p, const std::function<void()>& call) {
  std::string said;
  try {
    call();
  } catch (const Error& e) {
    said = e.what();
  } catch (const std::exception& e) {
    said = std::string("another type: ") + e.what();
  }
  const std::string member = "(member " + std::to_string(p) + " of 3)";
  const auto at = said.find(member);
  const bool is_named = at != std::string::npos && said.find("(member ", at + 1) == said.npos;
  if (!is_named) MESSAGE("said: " << said);
  return is_named;
}

/// Calls check(members, operands, call, member, plan) for a fault at the first call of a member in
/// an operation, then at the second one, until the operation needs no more.
template <class Check>
void for_each_fault(fault::kind what, const Check& check) {
  for (const named_operation& one : operations()) {
    CAPTURE(one.name);
    for (int p = 0; p < 3; ++p) {
      CAPTURE(p);
      bool has_happened = true;
      for (int first = 0; has_happened; ++first) {
        CAPTURE(first);
        fault plan;
        const auto members = members_with(p, plan);
        operands of(members);
        plan = {.first = first, .what = what};
        const auto call = [&] {
          plan.seen = 0;
          one.run(members, of);
          if (what == fault::kind::device) members.fence();
        };
        try {
          call();
        } catch (const tandem::error&) {
        }
        has_happened = plan.has_happened();
        if (has_happened) check(members, of, call, p, plan);
      }
    }
  }
}

}  // namespace

TEST_CASE("faults: a device that disappears at any call of an operation") {
  for_each_fault(fault::kind::device, [](const auto& members, operands& of, const auto& call, int p,
                                         fault& plan) {
    CHECK(names_member<tandem::device_error>(p, call));
    // Later calls say the same, and destructors throw nothing.
    plan.first = 0;
    CHECK(names_member<tandem::device_error>(p, [&] { tandem::fill(members, of.y, 1.0f); }));
    CHECK(names_member<tandem::device_error>(p, [&] { members.fence(); }));
    CHECK(names_member<tandem::device_error>(p, [&] { (void)members.record(); }));
  });
}

TEST_CASE("faults: one member has no memory left at any allocation of an operation") {
  for_each_fault(fault::kind::memory,
                 [](const auto&, operands&, const auto& call, int p, fault& plan) {
                   CHECK(names_member<tandem::out_of_memory_error>(p, call));
                   plan.first = fault::never;  // with memory again, all is well
                   CHECK_NOTHROW(call());
                 });
}

TEST_CASE("faults: a group waits for all members, and says what the first one failed with") {
  fault plan;
  std::vector<faulty_space> spaces;
  for (int p = 0; p < 3; ++p) spaces.emplace_back(&plan);
  const tandem::group<faulty_space> members(std::move(spaces));
  plan.first = 0;
  CHECK(names_member<tandem::device_error>(0, [&] { members.fence(); }));
  CHECK(plan.seen == 3);
}
