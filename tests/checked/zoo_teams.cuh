// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "zoo_loops.cuh"

#include <tandem/tandem.hpp>

/// Planted bugs in GPU teams, all on one rank-1 view (zoo.cu).
namespace zoo {

using tandem::team;

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

struct tree_in_one_phase {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const sums = t.scratch<int>(lanes);
    t.for_each_lane([&](int lane) { sums[lane] = 1; });
    t.for_each_lane([&](int lane) {
      for (int half = lanes / 2; half > 0; half /= 2) {
        if (lane < half) sums[lane] += sums[lane + half];
      }
    });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = sums[0]; });
  }
};

struct scan_in_one_buffer {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const sums = t.scratch<int>(lanes);
    t.for_each_lane([&](int lane) { sums[lane] = lane; });
    t.for_each_lane([&](int lane) {
      if (lane > 0) sums[lane] += sums[lane - 1];
    });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = sums[lane]; });
  }
};

struct items_that_overlap {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const tile = t.scratch<int>(100);
    t.for_each(99, [&](int i) {
      tile[i] = i;
      tile[i + 1] = 2;
    });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = tile[lane]; });
  }
};

struct padded_tile_with_the_plain_pitch {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const tile = t.scratch<int>(8 * 9);
    t.for_each(8, [&](int row) {
      for (int i = 0; i < 9; ++i) tile[row * 8 + i] = row;
    });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = tile[lane]; });
  }
};

struct plain_tile_with_the_padded_pitch {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const tile = t.scratch<int>(8 * 8);
    t.for_each(8, [&](int row) {
      for (int i = 0; i < 8; ++i) tile[row * 9 + i] = row;
    });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = tile[lane]; });
  }
};

struct read_before_the_next_phase_writes {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const flag = t.scratch<int>(1);
    t.for_each_lane([&](int lane) {
      if (lane == 0) flag[0] = 3;
    });
    const int seen = flag[0];
    t.for_each_lane([&](int lane) {
      if (lane == seen) flag[0] = 4;
      x(t.index() * lanes + lane) = seen;
    });
  }
};

struct halo_of_the_next_team {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    t.for_each_lane([&](int lane) {
      const auto i = t.index() * lanes + lane;
      x(i) = i + 1 < n ? x(i + 1) + 1 : 0;
    });
  }
};

struct total_of_all_teams {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    t.for_each_lane([&](int lane) {
      if (lane == 0) x(0) += 1;
    });
  }
};

struct last_team_by_a_plain_counter {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    t.for_each_lane([&](int lane) {
      if (lane == 0) tandem::atomic_add(x(0), 1);
    });
    t.for_each_lane([&](int lane) {
      if (lane == 0 && x(0) == teams) x(1) = 1;
    });
  }
};

struct phases_do_not_order_teams {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    t.for_each_lane([&](int lane) {
      if (t.index() == 0) x(lane) = 9;
    });
    t.for_each_lane([&](int lane) {
      if (t.index() == 1) x(lanes + lane) = x(lane);
    });
  }
};

struct overrun_to_the_left {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const a = t.scratch<int>(lanes);
    int* const b = t.scratch<int>(lanes);
    t.for_each_lane([&](int lane) { a[lane] = 1; });
    t.for_each_lane([&](int lane) { b[lane - 1] = 2; });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = a[lane]; });
  }
};

struct sum_without_its_zero {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int* const sums = t.scratch<int>(lanes);
    t.for_each_lane([&](int lane) { sums[lane] += 1; });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = sums[lane]; });
  }
};

struct sum_in_a_local_variable {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    int sum = 0;
    t.for_each_lane([&](int lane) { sum += x(t.index() * lanes + lane); });
    t.for_each_lane([&](int lane) { x(t.index() * lanes + lane) = sum; });
  }
};

struct one_counter_of_all_teams {
  line<int> x;
  TANDEM_FUNCTION void operator()(team& t) const {
    t.for_each_lane([&](int) { tandem::atomic_add(x(0), 1, tandem::scope::team); });
  }
};

}  // namespace zoo
