// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted bugs of the bug corpus on a GPU, for NVIDIA's compute-sanitizer (zoo_on_gpu.py): runs the
// one that the argument names, or without an argument prints their names.

#include "zoo_loops.cuh"
#include "zoo_teams.cuh"

#include <cstdio>
#include <cstring>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

using namespace zoo;
using tandem::array;
using tandem::cuda;
using tandem::parallel_for;
using tandem::parallel_teams;

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

/// Runs a loop over elements that nothing has written.
template <class Kernel>
void run_unfilled(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), space);
  parallel_for(space, n, Kernel{x.view()});
  space.fence();
}

void run_last_missed(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), space);
  array<int, 1, cuda> y(tandem::extents<1>(n), 0, space);
  parallel_for(space, n, writes_all_but_the_last{x.view()});
  parallel_for(space, n, copies{x.data_handle(), y.view()});
  space.fence();
}

/// Runs a loop on a pointer to the elements.
template <class Kernel>
void run_pointer(const cuda& space) {
  array<int, 1, cuda> x(tandem::extents<1>(n), 1, space);
  parallel_for(space, n, Kernel{x.data_handle()});
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

void run_replaced(const cuda& space) {
  array<int, 1, cuda> y(tandem::extents<1>(n), 0, space);
  array<int, 1, cuda> x(tandem::extents<1>(n), 1, space);
  const int* const gone = x.data_handle();
  x = array<int, 1, cuda>(tandem::extents<1>(n), 2, space);
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
    {"one too many", run_pointer<one_too_many>},
    {"input that nothing filled", run_unwritten},
    {"scratch without a value", run_teams<scratch_without_a_value>},
    {"array that has died", run_dead},
    {"view of another space", run_wrong_space},
    {"leader's local variable", run_teams<stale_state_of_a_lane>},
    {"phase for some lanes", run_teams<phase_for_some_lanes>},
    {"shift in place", run_loop<shift_in_place>},
    {"transpose in place", run_loop<transpose_in_place>},
    {"index that wraps around", run_loop<index_that_wraps_around>},
    {"neighbouring writes", run_loop<neighbouring_writes>},
    {"maximum without atomics", run_loop<maximum_without_atomics>},
    {"plain load behind an atomic", run_loop<load_behind_an_atomic>},
    {"flag that is polled", run_loop<polled_flag>},
    {"bytes of two iterations", run_loop<bytes_of_two_iterations>},
    {"one too few", run_pointer<one_too_few>},
    {"far behind an array", run_pointer<far_behind_an_array>},
    {"array that was replaced", run_replaced},
    {"sum that does not begin with zero", run_unfilled<adds_index>},
    {"bins that begin without zeros", run_unfilled<adds_to_bins>},
    {"last element missed", run_last_missed},
    {"tree in one phase", run_teams<tree_in_one_phase>},
    {"scan in one buffer", run_teams<scan_in_one_buffer>},
    {"items that overlap", run_teams<items_that_overlap>},
    {"padded tile with the plain pitch", run_teams<padded_tile_with_the_plain_pitch>},
    {"plain tile with the padded pitch", run_teams<plain_tile_with_the_padded_pitch>},
    {"read before the next phase writes", run_teams<read_before_the_next_phase_writes>},
    {"halo of the next team", run_teams<halo_of_the_next_team>},
    {"total of all teams", run_teams<total_of_all_teams>},
    {"last team by a plain counter", run_teams<last_team_by_a_plain_counter>},
    {"phases do not order teams", run_teams<phases_do_not_order_teams>},
    {"overrun to the left", run_teams<overrun_to_the_left>},
    {"sum without its zero", run_teams<sum_without_its_zero>},
    {"sum in a local variable", run_teams<sum_in_a_local_variable>},
    {"one counter of all teams", run_teams<one_counter_of_all_teams>},
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
