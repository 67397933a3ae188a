// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_teams.hpp>
#include <tandem/core/numbers/order_free_sum.hpp>
#include <tandem/distributed/group/arguments.hpp>

#include <algorithm>
#include <type_traits>

namespace tandem {

namespace detail {

/// A kernel of the teams of a whole, as a member calls it for those from number `first` on.
template <class Team, class Shape, class Kernel>
struct teams_from {
  using user_function = Kernel;

  Kernel kernel;
  Shape whole;
  index_t first;

  TANDEM_FUNCTION index_t number_of(const Team& t) const { return first + t.index(); }
  TANDEM_FUNCTION void operator()(Team& t) const {
    if constexpr (std::is_same_v<Team, team>) {
      Team one(number_of(t), whole, t.memory());
      kernel(one);
    } else {
      Team one(position_at(number_of(t), whole.teams), whole, t.memory());
      kernel(one);
    }
  }
};

/// The teams of a shape along its first dimension.
inline index_t& rows_of_teams(team_shape& shape) { return shape.teams; }
template <int Rank>
index_t& rows_of_teams(basic_team_shape<Rank>& shape) {
  return shape.teams[0];
}

template <class T>
inline constexpr bool is_cell = false;
template <class T>
inline constexpr bool is_cell<order_free_sum<T>> = true;

/// How teams are shared out: by the cuts of the sharded arguments, of each of which teams have
/// equal numbers of neighbouring rows, or evenly if there is none.
class shared_teams {
 public:
  template <class Space, class... Argument>
  shared_teams(const group<Space>& members, index_t teams, const Argument&... arguments)
      : teams_(teams) {
    (add(members, arguments), ...);
    if (cut_.parts() == 0) cut_ = cut::even(teams, members.size(), granule);
  }

  const cut& teams() const { return cut_; }

  /// Throws argument_error for a replicated array that kernels could write, unless it has cells.
  template <class Argument>
  static void require_no_copies_written(Argument& x) {
    if constexpr (sharded_operand<Argument> && !std::is_const_v<Argument>) {
      require(!x.is_replicated() || is_cell<typename Argument::value_type>, name,
              "a replicated argument is const: pass it by std::as_const, or a sharded array");
    }
  }

 private:
  static constexpr const char* name = "parallel_teams";
  static constexpr index_t granule = 4096;  // teams are cut one by one

  template <class Space, class Argument>
  void add(const group<Space>& members, const Argument& argument) {
    common_cut one(name);
    one.add(members, argument);
    if (one.rows() == nullptr) return;
    const cut given = teams_of(*one.rows());
    if (cut_.parts() == 0) cut_ = given;
    if (!(cut_ == given)) {
      throw extent_error(message(
          {name, ": sharded arguments cut the teams at ", cut_.text(), " and ", given.text()}));
    }
  }

  /// The cut of the teams that belongs to one of rows: each team has the same number of them, but
  /// the last one may have fewer. Only one number fits a cut between two teams.
  cut teams_of(const cut& rows) const {
    const index_t count = rows.rows();
    const index_t fewest = std::max<index_t>(1, teams_ == 0 ? 1 : ceil_div(count, teams_));
    if (ceil_div(count, fewest) != teams_)
      fail_extents(name, "rows of a sharded argument", count, "cannot be shared equally by",
                   "teams", teams_);
    index_t each = 0;  // rows of a team, once a cut says so
    auto sizes = list_for<index_t>(name, rows.parts());
    index_t before = 0;
    for (int p = 0; p < rows.parts(); ++p) {
      const index_t row = rows.end(p);
      const index_t team = row == count ? teams_ : row / fewest;
      if (row < count && row > 0) {
        const bool fits = team > 0 && row % team == 0 && (each == 0 || row == team * each);
        if (fits && each == 0) each = row / team;
        if (!fits || ceil_div(count, each) != teams_)
          fail_extents(name, "a cut of a sharded argument at row", row, "splits the rows of one of",
                       "teams", teams_);
      }
      sizes.push_back(team - before);
      before = team;
    }
    return cut::of(sizes);
  }

  index_t teams_;
  cut cut_;
};

template <class Kernel>
void require_teams_of(const team_shape& shape) {
  require_teams<Kernel>(shape.teams, shape.lanes, shape.scratch_bytes);
}
template <class Kernel, int Rank>
void require_teams_of(const basic_team_shape<Rank>& shape) {
  require_teams<Rank, Kernel>(shape);
}

/// Runs the teams that belong to each member.
template <class Team, class Space, class Shape, class Kernel, class... Argument>
void teams_on_group(const group<Space>& members, const Shape& shape, const Kernel& kernel,
                    Argument&... arguments) {
  const auto bound = [&](int p) {
    return bind_to_teams<Space, Team>(kernel, argument_of(arguments, p)...);
  };
  using Bound = std::remove_cvref_t<decltype(bound(0))>;
  if constexpr (check_team_kernel<Space, Team, Bound>()) {
    Shape whole = shape;
    require_teams_of<Bound>(shape);
    (shared_teams::require_no_copies_written(arguments), ...);
    const index_t rows = rows_of_teams(whole);
    const index_t all = number_of(shape.teams);
    const shared_teams shared(members, all == 0 ? 0 : rows, arguments...);
    if (all == 0) return;
    for_each_member(members, [&](int p) {
      Shape own = shape;
      rows_of_teams(own) = shared.teams().size(p);
      if (rows_of_teams(own) == 0) return;
      const index_t first = shared.teams().begin(p) * (all / rows);
      teams_over(members.member(p), own, teams_from<Team, Shape, Bound>{bound(p), whole, first});
    });
  }
}

}  // namespace detail

/// Runs kernel(team&, arguments...) for each of shape.teams teams, each on the member that holds
/// its rows: all teams have the same number of neighbouring rows of a sharded argument, but the
/// last one may have fewer; the cuts say how many. Team numbers are those of the whole.
///
///   // blocks of 256 elements of x, and a sum of each in y
///   tandem::parallel_teams(gpus, {blocks, 256, bytes}, block_sums{}, std::as_const(x), y);
///
/// @param shape      as on one space
/// @param kernel     as on one space. It sees the member's rows of arrays, at the indices of the
///                   whole; atomics reach the member's own part
/// @param arguments  sharded arrays, cut between the rows of two teams, all so that a member has
///                   the same teams; replicated arrays by std::as_const, or with cells of
///                   order_free_sum, which merge() adds up; values by copy. Without sharded arrays
///                   members share the teams evenly
/// Errors            extent_error if teams cannot have equal numbers of rows, a cut splits a team's
///                   rows, or arguments are cut for different teams; argument_error for arrays of
///                   other members, and for a replicated array that is not const; those of one
///                   space. A member's error names it
/// Complexity        as on one space, for each member's teams
/// Asynchronous on the members.
template <class Space, class Kernel, class... Argument>
void parallel_teams(const group<Space>& members, const team_shape& shape, const Kernel& kernel,
                    Argument&&... arguments) {
  detail::teams_on_group<team>(members, shape, kernel, arguments...);
}

/// Runs kernel(team_2d&, arguments...) or kernel(team_3d&, arguments...) for a grid of teams, whose
/// first dimension the members share out.
///
/// @param shape, kernel, arguments  as for teams of one dimension, with the teams along the first
///                                  dimension in the place of all
/// Errors, complexity               as for teams of one dimension
/// Asynchronous on the members.
template <class Space, int Rank, class Kernel, class... Argument>
void parallel_teams(const group<Space>& members, const basic_team_shape<Rank>& shape,
                    const Kernel& kernel, Argument&&... arguments) {
  detail::teams_on_group<basic_team<Rank>>(members, shape, kernel, arguments...);
}

}  // namespace tandem
