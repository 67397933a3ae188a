// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted bugs of the zoo on a GPU, for NVIDIA's compute-sanitizer (zoo_on_gpu.py): the one that
// the argument names runs, or without an argument their names are printed.

#include <cstdio>
#include <cstring>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

using tandem::array;
using tandem::cuda;
using tandem::parallel_for;
using tandem::parallel_teams;
using tandem::team;
template <class T>
using line = tandem::view<T, 1, tandem::layout_right, tandem::device_memory>;

constexpr int lanes = 64;
constexpr int teams = 4;
constexpr int n = lanes * teams;

struct racing_counter {
  line<int> count;
  TANDEM_FUNCTION void operator()(int) const { count(0) += 1; }
};

struct bins_without_atomics {
  line<int> bins;
  TANDEM_FUNCTION void operator()(int i) const { bins(i % 8) += 1; }
};

struct stencil_in_place {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i > 0) x(i) += x(i - 1);
  }
};

struct copies {
  const int* from;
  line<int> to;
  TANDEM_FUNCTION void operator()(int i) const { to(i) = from[i]; }
};

struct one_too_many {
  int* first;
  TANDEM_FUNCTION void operator()(int i) const { first[i + 1] = i; }
};

struct plain_beside_atomics {
  line<int> x;
  TANDEM_FUNCTION void operator()(int i) const {
    if (i % 2 == 0) {
      x(0) = i;
    } else {
      tandem::atomic_add(x(0), 1);
    }
  }
};

/// Kernels of teams, all on one line of elements.
struct no_barrier_behind_a_load {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const tile = t.scratch<int>(lanes);
    const auto first = t.index() * lanes;
    t.for_each_lane([&](int lane) {
      tile[lane] = x(first + lane);
      x(first + lane) = tile[lanes - 1 - lane];
    });
  }
};

struct no_barrier_before_the_next_load {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const tile = t.scratch<int>(lanes);
    const auto first = t.index() * lanes;
    t.for_each_lane([&](int lane) { tile[lane] = x(first + lane); });
    t.for_each_lane([&](int lane) {
      x(first + lane) = tile[(lane + 33) % lanes];
      tile[lane] = 2;
    });
  }
};

struct team_bins_without_atomics {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const bins = t.scratch<int>(8);
    t.for_each(8, [&](int i) { bins[i] = 0; });
    t.for_each_lane([&](int lane) { bins[lane % 8] += 1; });
    t.for_each(8, [&](int i) { x(t.index() * 8 + i) = bins[i]; });
  }
};

struct leaders_result_in_its_phase {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const result = t.scratch<int>(1);
    const auto first = t.index() * lanes;
    t.for_each_lane([&](int lane) {
      if (lane == 0) result[0] = 5;
      x(first + lane) = result[0];
    });
  }
};

struct tile_of_two_teams {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    t.for_each_lane([&](int lane) { x(lane) = static_cast<int>(t.index()); });
  }
};

struct overrun_into_the_neighbour {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const a = t.scratch<int>(lanes);
    int* const b = t.scratch<int>(lanes);
    t.for_each_lane([&](int lane) { b[lane] = 1; });
    t.for_each_lane([&](int lane) { a[lane + 1] = 2; });
    t.for_each_lane([&](int lane) { x(lane) = b[lane]; });
  }
};

struct scratch_without_a_value {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const tile = t.scratch<int>(lanes + 2);
    t.for_each_lane([&](int lane) { tile[lane + 1] = lane; });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = tile[lane]; });
  }
};

struct stale_state_of_a_lane {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int leaders = 0;
    t.for_each_lane([&](int lane) {
      if (lane == 0) leaders = 7;
    });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = leaders; });
  }
};

struct phase_for_some_lanes {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    bool goes_on = false;
    t.for_each_lane([&](int lane) { goes_on = lane % 2 == 0; });
    if (goes_on) t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = lane; });
  }
};

template <class Kernel>
void run_teams(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), 1, space);
  parallel_teams(space, {teams, lanes, 1024}, Kernel{x.view()});
  space.fence();
}

template <class Kernel>
void run_loop(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), 1, space);
  parallel_for(space, n, Kernel{x.view()});
  space.fence();
}

void run_unwritten(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), space);
  array<int, 1, cuda> y(tandem::extents<1>(n), 0, space);
  parallel_for(space, n, copies{x.data_handle(), y.view()});
  space.fence();
}

void run_overrun(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), 1, space);
  parallel_for(space, n, one_too_many{x.data_handle()});
  space.fence();
}

void run_dead(const cuda& space) {
  array<int, 1, cuda> y(tandem::extents<1>(n), 0, space);
  const int* gone = nullptr;
  {
    array<int, 1, cuda> x(tandem::extents<1>(n), 1, space);
    gone = x.data_handle();
  }
  parallel_for(space, n, copies{gone, y.view()});
  space.fence();
}

void run_wrong_space(const cuda& space) {
  array<int, 1, cuda> y(tandem::extents<1>(n), 0, space);
  const std::vector<int> x(n, 1);
  parallel_for(space, n, copies{x.data(), y.view()});
  space.fence();
}

constexpr struct {
  const char* name;
  void (*run)(const cuda& space);
} bugs[] = {
    {"racing counter", run_loop<racing_counter>},
    {"histogram without atomics", run_loop<bins_without_atomics>},
    {"stencil in place", run_loop<stencil_in_place>},
    {"plain store beside atomics", run_loop<plain_beside_atomics>},
    {"no barrier behind a load", run_teams<no_barrier_behind_a_load>},
    {"no barrier before the next load", run_teams<no_barrier_before_the_next_load>},
    {"bins of a team without atomics", run_teams<team_bins_without_atomics>},
    {"leader's result in its own phase", run_teams<leaders_result_in_its_phase>},
    {"output tile of two teams", run_teams<tile_of_two_teams>},
    {"overrun into the neighbour", run_teams<overrun_into_the_neighbour>},
    {"one too many", run_overrun},
    {"input that nothing filled", run_unwritten},
    {"scratch without a value", run_teams<scratch_without_a_value>},
    {"array that has died", run_dead},
    {"view of another space", run_wrong_space},
    {"leader's local variable", run_teams<stale_state_of_a_lane>},
    {"phase for some lanes", run_teams<phase_for_some_lanes>},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& bug : bugs) {
    if (argc < 2) {
      std::puts(bug.name);
    } else if (std::strcmp(argv[1], bug.name) == 0) {
      try {
        bug.run(cuda(0));
      } catch (const tandem::error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
      }
    }
  }
  return 0;
}
