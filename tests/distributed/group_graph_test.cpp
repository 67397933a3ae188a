// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph over the members of a group: the bits of the unrecorded sequence, the order of the
// members' streams, and what a recording refuses.

#include <algorithm>
#include <string>
#include <utility>

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

/// v = a weighted sum of the five points of u.
struct heat {
  template <class U, class V>
  TANDEM_FUNCTION void operator()(index_t j, index_t i, const U& u, const V& v) const {
    const float around = u(j - 1, i) + u(j + 1, i) + u(j, i - 1) + u(j, i + 1);
    v(j, i) = u(j, i) + 0.2f * (around - 4.0f * u(j, i));
  }
};

/// x(i) = factor * x(i) + y(i), `rounds` times, so that work enqueued behind it may overtake it if
/// nothing holds it back.
struct scaled {
  float factor;
  int rounds;

  template <class X, class Y>
  TANDEM_FUNCTION void operator()(index_t i, const X& x, const Y& y) const {
    float sum = x(i);
    for (int k = 0; k < rounds; ++k) sum = factor * sum + y(i);
    x(i) = sum;
  }
};

/// Groups of a space: parts of one, and all devices if there are several.
template <class Space>
std::vector<tandem::group<Space>> groups() {
  std::vector<tandem::group<Space>> list;
  for (const int parts : {1, 3, 5}) list.push_back(tandem::shards<Space>(parts));
  if constexpr (requires { Space::devices(); }) {
    if (Space::devices().size() > 1) list.push_back(tandem::devices<Space>());
  }
  return list;
}

/// One step of the heat equation. `Overlapped` exchanges beside the loop.
template <bool Overlapped, class Space, class U>
void step(const tandem::group<Space>& members, U& u, U& v) {
  const tandem::grid inside{{1, u.extent(0) - 1}, {1, u.extent(1) - 1}};
  if constexpr (Overlapped) {
    tandem::parallel_for(members, inside, heat{}, tandem::exchanged(u), v);
  } else {
    tandem::exchange(members, u);
    tandem::parallel_for(members, inside, heat{}, std::as_const(u), v);
  }
}

/// The plate after some steps on one space.
template <class Space>
std::vector<float> plate_after(const Space& space, index_t ny, index_t nx,
                               const std::vector<float>& start, int steps) {
  tandem::array<float, 2, Space> u({ny, nx}, space), v({ny, nx}, space);
  tandem::copy(space, start, u);
  tandem::copy(space, start, v);
  for (int n = 0; n < steps; ++n) {
    tandem::parallel_for(space, tandem::grid{{1, ny - 1}, {1, nx - 1}}, heat{}, std::as_const(u),
                         v);
    std::swap(u, v);
  }
  return tandem::to_vector(space, u);
}

template <bool Overlapped, class Space>
void check_time_loop(const tandem::group<Space>& members, const tandem::cut& where,
                     const std::vector<float>& start, const std::vector<float>& wanted, int pairs) {
  const index_t ny = where.rows(), nx = index_t(start.size()) / ny;
  tandem::sharded<float, 2, Space> u({ny, nx}, members, where, tandem::halo{1});
  tandem::sharded<float, 2, Space> v({ny, nx}, members, where, tandem::halo{1});
  tandem::copy(members, start, u);
  tandem::copy(members, start, v);
  auto two_steps = tandem::record(members, [&](const tandem::group<Space>& on) {
    step<Overlapped>(on, u, v);
    step<Overlapped>(on, v, u);
  });
  CHECK(first_difference(tandem::to_vector(members, u), start) == -1);
  for (int pair = 0; pair < pairs; ++pair) two_steps.replay(members);
  CHECK(first_difference(tandem::to_vector(members, u), wanted) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("group graphs: a recorded time loop has the bits of one space, by any cut",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const index_t ny = 67, nx = 33;
  const int pairs = 6;
  const auto start = random_values<float>(67 * 33, 5);
  const auto wanted = plate_after(Backend::make(), ny, nx, start, 2 * pairs);
  REQUIRE(first_difference(wanted, start) != -1);
  for (const auto& members : groups<Space>()) {
    for (const tandem::cut& where : hostile_cuts(ny, members.size())) {
      check_time_loop<false>(members, where, start, wanted, pairs);
      check_time_loop<true>(members, where, start, wanted, pairs);
    }
  }
}

TEST_CASE_TEMPLATE("group graphs: asynchronous operations give the bits that they give alone",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const index_t n = 20011, m = 70, k = 33;
  for (const auto& members : groups<Space>()) {
    const auto last = members.size() - 1;
    std::vector<index_t> sizes(std::size_t(members.size()), 3);
    sizes[std::size_t(last)] = n - 3 * last;
    tandem::sharded<float, 1, Space> x({n}, members), y({n}, members);
    tandem::sharded<float, 1, Space> z({n}, members, tandem::cut::of(sizes));
    tandem::sharded<float, 2, Space> a({m, k}, members), b({k, m}, members), c({m, m}, members);
    const auto sequence = [&](const tandem::group<Space>& on) {
      tandem::fill_random(on, x, tandem::normal{}, 7);
      tandem::transform(
          on, x, y, TANDEM_LAMBDA(float value) { return value * 3.0f; });
      tandem::parallel_scan(on, y, y);
      tandem::copy(on, y, z);
      tandem::reverse(on, z);
      tandem::fill_random(on, a, tandem::normal{}, 8);
      tandem::fill_random(on, b, tandem::normal{}, 9);
      tandem::matmul(on, a, b, c);
      tandem::fill_random(on, b, tandem::normal{}, 10);  // behind what the product has read
    };
    const auto results = [&] {
      auto all = tandem::to_vector(members, z);
      for (const float value : tandem::to_vector(members, c)) all.push_back(value);
      return all;
    };
    sequence(members);
    const auto alone = results();
    auto graph = tandem::record(members, sequence);
    for (int round = 0; round < 3; ++round) {
      tandem::fill(members, z, -1.0f);
      tandem::fill(members, c, -1.0f);
      tandem::fill(members, b, -1.0f);
      graph.replay(members);
      CHECK(first_difference(results(), alone) == -1);
    }
  }
}

TEST_CASE_TEMPLATE("group graphs: a replay is behind earlier and before later work of all members",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const index_t n = 4 * 1024 * 5;
  const int slow = Space::memory_type::host_accessible ? 2 : 2000;  // enough to overlap on a GPU
  for (const auto& members : groups<Space>()) {
    tandem::sharded<float, 1, Space> x({n}, members), y({n}, members);
    tandem::sharded<float, 1, Space> results({n}, members);
    auto graph = tandem::record(members, [&](const tandem::group<Space>& on) {
      tandem::reverse(on, x, y);  // each member reads what another one has written
      tandem::parallel_for(on, n, scaled{0.5f, slow}, y, std::as_const(x));
    });
    const auto run = [&](const auto& middle) {
      tandem::iota(members, x);
      tandem::fill(members, y, -1.0f);
      members.fence();
      for (int round = 0; round < 3; ++round) {
        tandem::parallel_for(members, n, scaled{0.25f, slow}, x, std::as_const(y));
        middle();
        tandem::copy(members, y, results);
        tandem::fill(members, x, float(round));
      }
      return tandem::to_vector(members, results);
    };
    const auto wanted = run([&] {
      members.fence();
      tandem::reverse(members, x, y);
      tandem::parallel_for(members, n, scaled{0.5f, slow}, y, std::as_const(x));
      members.fence();
    });
    CHECK(first_difference(run([&] { graph.replay(members); }), wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("group graphs: events order the members of a recording", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const index_t n = 3000;
  for (const auto& members : groups<Space>()) {
    tandem::sharded<float, 1, Space> x({n}, 1.0f, members), y({n}, 2.0f, members);
    auto graph = tandem::record(members, [&](const tandem::group<Space>& on) {
      for (int round = 0; round < 3; ++round) {
        tandem::parallel_for(on, n, scaled{0.5f, 1}, x, std::as_const(y));
        on.wait(on.record());  // a kernel then waits for kernels of other members
        tandem::parallel_for(on, n, scaled{0.25f, 1}, y, std::as_const(x));
      }
    });
    graph.replay(members);
    float a = 1, b = 2;
    for (int round = 0; round < 3; ++round) {
      a = 0.5f * a + b;
      b = 0.25f * b + a;
    }
    CHECK(tandem::to_vector(members, x) == std::vector<float>(n, a));
    CHECK(tandem::to_vector(members, y) == std::vector<float>(n, b));
  }
}

TEST_CASE_TEMPLATE("group graphs: an error in the sequence ends the recording, the group works on",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const index_t n = 1000;
  for (const auto& members : groups<Space>()) {
    tandem::sharded<float, 1, Space> x({n}, 1.0f, members, tandem::halo{1}), y({n}, 0.0f, members);
    const auto provoke = [&](const auto& sequence) {
      auto graph = tandem::record(members, sequence);
      graph.replay(members);  // a CPU throws here
    };
    const auto recorded = [&](const auto& failing) {
      return [&](const tandem::group<Space>& on) {
        tandem::sharded<float, 1, Space> kept({n}, 5.0f, on);
        tandem::parallel_for(on, n, scaled{1.0f, 0}, y, tandem::exchanged(x));
        failing(on, kept);
      };
    };
    CHECK_THROWS_AS(provoke(recorded([](const auto& on, auto& kept) {
                      tandem::parallel_for(on, n + 1, scaled{1.0f, 0}, kept, kept);
                    })),
                    tandem::extent_error);
    if constexpr (!Space::memory_type::host_accessible) {
      const auto refused = [&](const auto& failing) {
        CHECK_THROWS_WITH_AS(provoke(recorded(failing)), doctest::Contains("cannot be recorded"),
                             tandem::recording_error);
      };
      refused([](const auto& on, auto&) { on.fence(); });
      refused([](const auto& on, auto& kept) { (void)tandem::parallel_reduce(on, kept); });
      refused([](const auto& on, auto& kept) { (void)tandem::to_vector(on, kept); });
      if (members.size() > 1) {
        refused([](const auto& on, auto& kept) { tandem::sort(on, kept); });
        refused([&](const auto& on, auto&) { on.wait(members.record()); });
        refused([&](const auto& on, auto&) { members.wait(on.record()); });
        refused([&](const auto& on, auto&) { on.record().wait(); });
      }
    }
    tandem::fill(members, x, 4.0f);
    CHECK(tandem::parallel_reduce(members, x) == 4.0f * float(n));
    provoke([&](const tandem::group<Space>& on) { tandem::fill(on, y, 3.0f); });
    CHECK(tandem::to_vector(members, y) == std::vector<float>(n, 3.0f));
  }
}

TEST_CASE_TEMPLATE("group graphs: arrays made while recording live as long as the graph", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const index_t n = 100003;
  for (const auto& members : groups<Space>()) {
    tandem::sharded<float, 1, Space> x({n}, members), y({n}, members);
    tandem::iota(members, x);
    auto made = tandem::record(members, [&](const tandem::group<Space>& on) {
      tandem::sharded<float, 1, Space> between({n}, on);
      tandem::reverse(on, x, between);
      tandem::reverse(on, between, y);
    });
    auto graph = std::move(made);
    // Memory that the pool would reuse if the graph had returned it.
    tandem::sharded<float, 1, Space> other({n}, 7.0f, members);
    graph.replay(members);
    graph.replay(members);
    CHECK(tandem::to_vector(members, y) == tandem::to_vector(members, x));
    CHECK(tandem::to_vector(members, other) == std::vector<float>(n, 7.0f));
  }
}

TEST_CASE_TEMPLATE("group graphs: a group of GPUs has the members that were recorded", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  if constexpr (!Space::memory_type::host_accessible) {
    const auto members = tandem::shards<Space>(3);
    tandem::sharded<float, 1, Space> x({100}, 0.0f, members);
    const auto fill = [&](const tandem::group<Space>& on) { tandem::fill(on, x, 1.0f); };
    auto graph = tandem::record(members, fill);
    CHECK_THROWS_WITH_AS(graph.replay(tandem::shards<Space>(2)),
                         "replay: the graph was recorded for 3 members, and the group has 2",
                         tandem::argument_error);
    CHECK_THROWS_AS(
        tandem::record(members, [&](const tandem::group<Space>& on) { graph.replay(on); }),
        tandem::recording_error);
    graph.replay(tandem::shards<Space>(3));  // other streams of the same devices
    members.fence();
    graph.replay(members);
    CHECK(tandem::to_vector(members, x) == std::vector<float>(100, 1.0f));
    if (Space::devices().size() > 1) {
      const auto elsewhere = tandem::devices<Space>({0, 1, 0});
      CHECK_THROWS_AS(graph.replay(elsewhere), tandem::argument_error);
    }
  }
}

TEST_CASE_TEMPLATE("out of memory: recording the work of a group", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> u({60, 8}, 1.0f, members, tandem::halo{1});
  tandem::sharded<float, 2, Space> v({60, 8}, 1.0f, members);
  const auto sequence = [&](const tandem::group<Space>& on) {
    const tandem::sharded<float, 2, Space> kept({60, 8}, 1.0f, on);
    step<true>(on, u, v);
  };
  check_out_of_memory("", space, [&] {
    auto graph = tandem::record(members, sequence);
    static_cast<void>(graph);
  });
  tandem::fill(members, u, 2.0f);
  auto graph = tandem::record(members, sequence);
  graph.replay(members);
  CHECK(tandem::to_vector(members, v)[8 * 30 + 4] == 2.0f);
}
