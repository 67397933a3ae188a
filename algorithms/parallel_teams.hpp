// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/loop_arguments.hpp>
#include <tandem/algorithms/detail/run.hpp>
#include <tandem/core/kernel/failure.hpp>
#include <tandem/core/team/grid.hpp>

#include <string>

namespace tandem {

namespace detail {

/// Shared memory that a block may have on sm_90; checked builds apply this limit on every space.
inline constexpr std::size_t most_scratch = std::size_t{227} << 10;

/// Throws unless such teams are possible.
template <class Kernel>
void require_teams(index_t teams, index_t lanes, std::size_t scratch_bytes) {
  const auto say = [](const char* what, auto value, const std::string& limit) {
    return message({"parallel_teams: ", what, " (", value, ") ", limit, kernel_note<Kernel>()});
  };
  if (teams < 0)
    throw extent_error(say("teams", teams, message({"< fewest (0)", negative_size_hint})));
  if (lanes < 1) throw extent_error(say("lanes", lanes, "< fewest (1)"));
  if (lanes > block_threads)
    throw argument_error(
        say("lanes", lanes, message({"> ", block_threads, ", the threads of a device's block"})));
  if (checks_contents && scratch_bytes > most_scratch)
    throw argument_error(
        say("bytes of scratch", scratch_bytes,
            message({"> ", most_scratch, ", the most that a GPU has for a team"})));
}

template <int Rank, class Kernel>
void require_teams(const basic_team_shape<Rank>& shape) {
  index_t teams = 1;
  index_t lanes = 1;
  for (int d = 0; d < Rank; ++d) {
    require_teams<Kernel>(shape.teams[d], shape.lanes[d], shape.scratch_bytes);
    if (__builtin_mul_overflow(teams, shape.teams[d], &teams))
      throw extent_error(
          message({"parallel_teams: there are 2^63 teams or more", kernel_note<Kernel>()}));
    lanes *= shape.lanes[d];
  }
  if (Rank == 3 && shape.lanes[0] > block_depth)
    throw argument_error(
        message({"parallel_teams: lanes along z (", shape.lanes[0], ") > ", block_depth,
                 ", the most of a device's block", kernel_note<Kernel>()}));
  require_teams<Kernel>(teams, lanes, shape.scratch_bytes);
}

/// Reports in one line what a kernel of teams must be.
template <class Space, class Team, class Kernel>
consteval bool check_team_kernel() {
  static_assert(compiles_loops<Space>,
                "tandem: teams of this backend need this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  if constexpr (check_kernel<Kernel, Space>()) {
    constexpr bool takes_a_team = std::is_invocable_v<const Kernel&, Team&>;
    static_assert(takes_a_team,
                  "tandem: parallel_teams: a kernel takes a team&, for shapes of two and three "
                  "dimensions a team_2d& or team_3d&, and has a const call operator");
    return takes_a_team;
  }
  return false;
}

/// How many teams or lanes a shape of any rank has.
template <class Counts>
index_t number_of(const Counts& counts) {
  if constexpr (requires { counts.size(); }) {
    return counts.size();
  } else {
    return counts;
  }
}

/// Teams that have been checked, of which there are some.
template <class Team, class Space, class Shape, class Kernel>
struct teams {
  const Space& space;
  const Shape& shape;
  const Kernel& kernel;

  void operator()() const {
    if constexpr (Space::memory_type::host_accessible) {
      dispatch_teams(space, "parallel_teams", shape, placed_kernel<Team, Kernel>{kernel});
    } else {
      try {
        dispatch_teams(space, "parallel_teams", shape, kernel);
      } catch (const argument_error& e) {  // the device cannot run such a team
        throw argument_error(message({e.what(), kernel_note<Kernel>()}));
      }
    }
  }
  void checked() const { run_checked_teams(title_of(space, "parallel_teams"), shape, kernel); }
};

/// Runs teams of a shape for which check() holds.
template <class Team, class Space, class Shape, class Kernel, class Check>
void run_teams(const Space& space, const Shape& shape, const Kernel& kernel, const Check& check) {
  const auto check_teams = [&] {
    check();
    return number_of(shape.teams) > 0;
  };
  run(space, call{"parallel_teams",
                  profile_kind::loop,
                  {number_of(shape.teams), number_of(shape.lanes)},
                  operands<>(),
                  check_teams,
                  teams<Team, Space, Shape, Kernel>{space, shape, kernel}});
}

/// Runs a kernel for teams of a shape of one dimension, which it checks.
template <class Space, class Kernel>
void teams_over(const Space& space, const team_shape& shape, const Kernel& kernel) {
  if constexpr (check_team_kernel<Space, team, Kernel>()) {
    run_teams<team>(space, shape, kernel,
                    [&] { require_teams<Kernel>(shape.teams, shape.lanes, shape.scratch_bytes); });
  }
}

/// Runs a kernel for a grid of teams whose shape it checks.
template <class Space, int Rank, class Kernel>
void teams_over(const Space& space, const basic_team_shape<Rank>& shape, const Kernel& kernel) {
  const auto check = [&] { require_teams<Rank, Kernel>(shape); };
  if constexpr (!check_team_kernel<Space, basic_team<Rank>, Kernel>()) {
    return;
  } else if constexpr (requires { dispatch_teams(space, "parallel_teams", shape, kernel); }) {
    run_teams<basic_team<Rank>>(space, shape, kernel, check);
  } else {
    const team_shape flat{shape.teams.size(), static_cast<int>(shape.lanes.size()),
                          shape.scratch_bytes};
    run_teams<team>(space, flat, flat_teams<Rank, Kernel>{kernel, shape}, check);
  }
}

}  // namespace detail

/// Runs kernel(team&) for each of shape.teams teams of shape.lanes lanes on shape.scratch_bytes
/// bytes of shared scratch.
///
/// kernel      a lambda TANDEM_LAMBDA(tandem::team& t) or a function object; see team for its
///             phases
/// arguments   follow the team in each call of the kernel, as for parallel_for: values by copy,
///             arrays as their views
/// lanes       1 to 1024; a team is a block on a GPU and a task on a CPU
/// scratch     dynamic shared memory on a GPU: at most what a block may have
///             (cuda_device::block_shared); a checked build allows 227 KiB on a CPU as well
/// Errors      extent_error for a negative number of teams, no lanes; argument_error for more than
///             1024 lanes, or when the device cannot run such a team: both name the kernel, the
///             value and the limit; out_of_memory_error for scratch on a CPU, before any team has
///             run
/// Complexity  one call of the kernel per team, and of each phase per lane. Scratch: that of the
///             shape, once per thread on a CPU and in shared memory on a GPU
/// Asynchronous on `space`.
template <execution_space Space, class Kernel, class... Argument>
void parallel_teams(const Space& space, const team_shape& shape, const Kernel& kernel,
                    Argument&&... arguments) {
  detail::teams_over(
      space, shape,
      detail::bind_to_teams<Space, team>(kernel, std::forward<Argument>(arguments)...));
}

/// Runs kernel(team_2d&) or kernel(team_3d&) for a grid of teams, whose lanes are a grid as well:
/// team_shape_2d{{rows, columns}, {8, 32}, bytes}.
///
/// @param shape      teams and lanes along each dimension, the last one fastest: at most 1024 lanes
///                   in all and 64 along z; and bytes of scratch
/// @param kernel     a lambda TANDEM_LAMBDA(tandem::team_2d& t), or of a team_3d, or a function
///                   object
/// @param arguments  as for teams of one dimension
/// Errors            those of teams of one dimension
/// Complexity        as for teams of one dimension
template <execution_space Space, int Rank, class Kernel, class... Argument>
void parallel_teams(const Space& space, const basic_team_shape<Rank>& shape, const Kernel& kernel,
                    Argument&&... arguments) {
  detail::teams_over(
      space, shape,
      detail::bind_to_teams<Space, basic_team<Rank>>(kernel, std::forward<Argument>(arguments)...));
}

/// Calls parallel_teams(space, shape, kernel, arguments...) on the default space.
template <class Kernel, class... Argument>
void parallel_teams(const team_shape& shape, const Kernel& kernel, Argument&&... arguments) {
  parallel_teams(detail::here(), shape, kernel, std::forward<Argument>(arguments)...);
}
template <int Rank, class Kernel, class... Argument>
void parallel_teams(const basic_team_shape<Rank>& shape, const Kernel& kernel,
                    Argument&&... arguments) {
  parallel_teams(detail::here(), shape, kernel, std::forward<Argument>(arguments)...);
}

}  // namespace tandem
