// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/team.hpp>

#include <cstddef>

/// Teams and lanes of two and three dimensions, like CUDA's blocks and threads.
namespace tandem {

/// The position of a team or a lane; x varies fastest. It converts to its number.
template <class Integer>
struct position_2d {
  Integer y;
  Integer x;
  Integer columns;  ///< of all teams, or of the team's lanes

  // NOLINTNEXTLINE(google-explicit-constructor): a lane is an index of per_lane.
  TANDEM_FUNCTION constexpr operator Integer() const { return y * columns + x; }
};
template <class Integer>
struct position_3d {
  Integer z;
  Integer y;
  Integer x;
  Integer rows;
  Integer columns;

  // NOLINTNEXTLINE(google-explicit-constructor): a lane is an index of per_lane.
  TANDEM_FUNCTION constexpr operator Integer() const { return (z * rows + y) * columns + x; }
};

/// A lane: lane.y, lane.x, and lane.z in three dimensions. Its number is y * columns + x.
using lane_2d = position_2d<int>;
using lane_3d = position_3d<int>;

/// How many teams run a kernel and how many lanes each has, slowest dimension first, and how many
/// bytes of scratch its lanes share: team_shape_2d{{rows, columns}, {8, 32}, bytes}.
template <int Rank>
struct basic_team_shape {
  static_assert(Rank == 2 || Rank == 3, "tandem: teams have 1, 2 or 3 dimensions");
  extents<Rank> teams;
  extents<Rank> lanes;
  std::size_t scratch_bytes = 0;
};
using team_shape_2d = basic_team_shape<2>;
using team_shape_3d = basic_team_shape<3>;

namespace detail {

/// Returns the position of number `n` in a grid of `sizes`.
template <class Integer>
TANDEM_FUNCTION constexpr position_2d<Integer> position_at(Integer n, const extents<2>& sizes) {
  const auto columns = static_cast<Integer>(sizes[1]);
  return {n / columns, n % columns, columns};
}
template <class Integer>
TANDEM_FUNCTION constexpr position_3d<Integer> position_at(Integer n, const extents<3>& sizes) {
  const auto rows = static_cast<Integer>(sizes[1]);
  const auto columns = static_cast<Integer>(sizes[2]);
  const Integer row = n / columns;
  return {row / rows, row % rows, n % columns, rows, columns};
}

template <int Rank>
struct positions;
template <>
struct positions<2> {
  using lane = lane_2d;
  using team = position_2d<index_t>;
};
template <>
struct positions<3> {
  using lane = lane_3d;
  using team = position_3d<index_t>;
};

}  // namespace detail

namespace host {

/// A phase of a team whose lanes have several dimensions.
template <int Rank, class Lane, class Function>
void for_each_lane(const extents<Rank>& lanes, const Function& f) {
#if TANDEM_CHECKED > 1
  struct bound {
    const Function& f;
    extents<Rank> lanes;
  };
  const bound object{f, lanes};
  const auto call = [](const void* phase) {
    checked::for_each_item<bound>(phase, [](const bound& b, index_t lane) {
      b.f(detail::position_at(static_cast<int>(lane), b.lanes));
    });
  };
  if (checked::run_phase(lanes.size(), false, &object, call)) return;
#endif
#if TANDEM_CHECKED == 1
  detail::call_lanes(static_cast<int>(lanes.size()),
                     [&](int lane) { f(detail::position_at(lane, lanes)); });
#else
  const auto columns = static_cast<int>(lanes[Rank - 1]);
  const auto rows = static_cast<int>(lanes[Rank - 2]);
  if constexpr (Rank == 2) {
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) f(Lane{y, x, columns});
    }
  } else {
    for (int z = 0; z < static_cast<int>(lanes[0]); ++z) {
      for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) f(Lane{z, y, x, rows, columns});
      }
    }
  }
#endif
}

}  // namespace host

/// A team of two or three dimensions: like team, with t.index().y, t.index().x and phases of
/// f(lane) with lane.y, lane.x. Lanes are numbered row by row, which is their order in collectives.
template <int Rank>
class basic_team : public detail::team_base<Rank> {
 public:
  using lane_type = typename detail::positions<Rank>::lane;
  using index_type = typename detail::positions<Rank>::team;

  /// For backends: the team at `index` of `shape.teams`, on the memory of a one-dimensional team.
  TANDEM_FUNCTION basic_team(const index_type& index, const basic_team_shape<Rank>& shape,
                             void* scratch)
      : detail::team_base<Rank>(
            index, {shape.teams.size(), static_cast<int>(shape.lanes.size()), shape.scratch_bytes},
            scratch),
        position_(index),
        teams_(shape.teams),
        lanes_(shape.lanes) {}

  /// This team's position among all; it converts to its number.
  TANDEM_FUNCTION index_type index() const { return position_; }
  /// The number of teams.
  TANDEM_FUNCTION index_t teams() const { return teams_.size(); }
  TANDEM_FUNCTION int lanes() const { return static_cast<int>(lanes_.size()); }
  /// The extents along each dimension, slowest first.
  TANDEM_FUNCTION const extents<Rank>& team_extents() const { return teams_; }
  TANDEM_FUNCTION const extents<Rank>& lane_extents() const { return lanes_; }

  /// Runs one phase: f(lane) for each lane, then a barrier.
  ///
  /// Complexity  as for team
  template <class Function>
  TANDEM_FUNCTION void for_each_lane(const Function& f) const {
    this->enter("for_each_lane");
    detail::target::for_each_lane<Rank, lane_type>(lanes_, f);
    this->leave();
  }

 private:
  index_type position_;
  extents<Rank> teams_;
  extents<Rank> lanes_;
};
using team_2d = basic_team<2>;
using team_3d = basic_team<3>;

namespace detail {

/// Adapts a kernel of teams of several dimensions to one-dimensional teams, for backends without
/// other teams.
template <int Rank, class Kernel>
struct flat_teams {
  using user_function = Kernel;

  Kernel kernel;
  basic_team_shape<Rank> shape;

  TANDEM_FUNCTION void operator()(team& t) const {
    basic_team<Rank> one(position_at(t.index(), shape.teams), shape, t.memory());
    kernel(one);
  }
};

}  // namespace detail
}  // namespace tandem
