// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/scatter_add.hpp>
#include <tandem/algorithms/sort.hpp>
#include <tandem/core/numbers/order_free_sum.hpp>
#include <tandem/distributed/operations/first_member.hpp>
#include <tandem/distributed/operations/weighted_parts.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// Adds element i of the sums to its element of the output.
template <class T>
struct add_known_sum {
  const T* sums;
  T* out;

  TANDEM_FUNCTION void operator()(index_t i) const {
    if constexpr (std::floating_point<T>) {
      store_sum(out[i], sums[i], true);
    } else {
      add_to<true>(out[i], sums[i]);
    }
  }
};

/// Finds the owner of pair i, the member that has the row of its index: `members` if there is none.
template <class Index, class Position>
struct find_owner {
  strided_line<Index> indices;
  integer_bin_rule<Index> rows;  ///< of all members
  const index_t* begins;         ///< the first row of each member
  int members;
  std::uint16_t* owners;
  Position* positions;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const index_t row = rows.locate(indices[i]);
    int owner = 0;
    for (int end = members; end - owner > 1;) {
      const int middle = owner + (end - owner) / 2;
      (begins[middle] <= row ? owner : end) = middle;
    }
    owners[i] = static_cast<std::uint16_t>(row == no_bin ? members : owner);
    positions[i] = static_cast<Position>(i);
  }
};

/// Copies the pair at position number i.
template <class Index, class T, class Position>
struct take_pair {
  strided_line<Index> indices;
  strided_line<T> values;
  const Position* positions;
  Index* indices_to;
  T* values_to;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const auto at = static_cast<index_t>(positions[i]);
    indices_to[i] = indices[at];
    values_to[i] = values[at];
  }
};

/// Indices and values in memory of one member.
template <class Space, class Index, class T>
struct pair_arrays {
  array<Index, 1, Space> indices;
  array<T, 1, Space> values;

  pair_arrays(const Space& space, index_t size)
      : indices(extents<1>(size), space), values(extents<1>(size), space) {}
};

/// The pairs of all members on their way to the members that own the rows of their indices.
template <class Space, class Index, class T>
class pairs_by_owner {
 public:
  using pairs = pair_arrays<Space, Index, T>;

  explicit pairs_by_owner(const group<Space>& members)
      : members_(members),
        sorted_(list_for<pairs>(name, members.size())),
        counts_(list_for<mailbox<Space, index_t>>(name, members.size())),
        arrived_(list_for<pairs>(name, members.size())) {}

  /// Sends each pair to the owner of its index; others stay behind. Waits for the members.
  template <class Indices, class Values>
  void send(const Indices& indices, const Values& values, const cut& owners) {
    auto begins = make_vector<index_t>(name, members_.size());
    for (int q = 0; q < members_.size(); ++q) begins[static_cast<std::size_t>(q)] = owners.begin(q);
    for_each_member(members_, [&](int p) {
      const auto at = contiguous_part(indices, p);
      const auto from = contiguous_part(values, p);
      const integer_bin_rule<Index> rows(0, owners.rows());
      at.size <= std::numeric_limits<int>::max() ? sort<int>(p, at, from, rows, begins)
                                                 : sort<index_t>(p, at, from, rows, begins);
    });
    members_.fence();
    for_each_member(members_, [&](int q) {
      index_t size = 0;
      for (int p = 0; p < members_.size(); ++p) size += count(p, q);
      arrived_.emplace_back(members_.member(q), size);
    });
    transfers<Space> moves(name, members_);
    for (int q = 0; q < members_.size(); ++q) {
      index_t to = 0;
      for (int p = 0; p < members_.size(); ++p) {
        index_t from = 0;
        for (int other = 0; other < q; ++other) from += count(p, other);
        const slice read(from, from + count(p, q));
        const slice written(to, to + count(p, q));
        to = written.end;
        if (read.size() == 0) continue;
        moves.add(p, q,
                  make_copy_problem(subview(sorted(p).indices.view(), read),
                                    subview(arrived(q).indices.view(), written)));
        moves.add(p, q,
                  make_copy_problem(subview(sorted(p).values.view(), read),
                                    subview(arrived(q).values.view(), written)));
      }
    }
    moves.run();
  }

  /// The pairs that member q owns.
  pairs& arrived(int q) { return arrived_[static_cast<std::size_t>(q)]; }

 private:
  static constexpr const char* name = "scatter_add";

  pairs& sorted(int p) { return sorted_[static_cast<std::size_t>(p)]; }
  /// The number of pairs that member p sends to q.
  index_t count(int p, int q) const {
    return counts_[static_cast<std::size_t>(p)].data_handle()[q];
  }

  /// Sorts the pairs of member p by owner, and counts those of each.
  template <class Position>
  void sort(int p, const strided_line<Index>& indices, const strided_line<T>& values,
            const integer_bin_rule<Index>& rows, const std::vector<index_t>& begins) {
    const Space& space = members_.member(p);
    const extents<1> size(indices.size);
    sorted_.emplace_back(space, indices.size);
    counts_.emplace_back(extents<1>(members_.size()));
    array<index_t, 1, Space> first_rows(begins, space);
    array<index_t, 1, Space> counts(extents<1>(members_.size()), space);
    array<std::uint16_t, 1, Space> owners(size, space);
    array<Position, 1, Space> positions(size, space);
    dispatch_for(
        space, name, range(indices.size),
        find_owner<Index, Position>{indices, rows, first_rows.data_handle(), members_.size(),
                                    owners.data_handle(), positions.data_handle()});
    histogram(space, owners, counts);
    sort_by_key(space, owners, positions);
    dispatch_for(space, name, range(indices.size),
                 take_pair<Index, T, Position>{indices, values, positions.data_handle(),
                                               sorted(p).indices.data_handle(),
                                               sorted(p).values.data_handle()});
    dispatch_copy(space, make_copy_problem(counts.view(), counts_.back().view()));
  }

  const group<Space>& members_;
  std::vector<pairs> sorted_;
  std::vector<mailbox<Space, index_t>> counts_;
  std::vector<pairs> arrived_;
};

/// Adds to the elements of a sharded output: each member gets the pairs of its elements.
template <class Space, class Indices, class Values, class Out>
void add_to_owners(const group<Space>& members, const Indices& indices, const Values& values,
                   Out& out) {
  constexpr const char* name = "scatter_add";
  using Index = typename Indices::value_type;
  using T = typename Values::value_type;
  pairs_by_owner<Space, Index, T> pairs(members);
  fence_on_error(members, [&] {
    T largest{};
    if constexpr (std::floating_point<T>) {
      using rule = integer_bin_rule<Index>;
      largest = largest_of_members<T>(
          members, name, [&](int p) { return contiguous_part(indices, p).size; },
          [&](int p) {
            return counted_magnitude<rule, T>{contiguous_part(indices, p),
                                              contiguous_part(values, p), rule(0, out.size())};
          });
    }
    pairs.send(indices, values, out.rows());
    for_each_member(members, [&](int q) {
      const auto at = pairs.arrived(q).indices.const_view();
      const auto from = pairs.arrived(q).values.const_view();
      const auto to = out.part(q);
      const index_t first = out.rows().begin(q);
      if (at.size() == 0) return;
      if constexpr (std::floating_point<T>) {
        scatter_add_floats(members.member(q), at, from, to, first, indices.size(), &largest);
      } else {
        using Add = add_integer<Index, T, runs_on_one_thread<Space>>;
        dispatch_for(members.member(q), name, range(at.size()),
                     Add{make_line(at), make_line(from), {first, to.size()}, to.data_handle()});
      }
    });
  });
}

/// The sums that the values have for each element of the output, in memory of the first member.
template <class Space, class Indices, class Values>
auto sums_of_values(const group<Space>& members, const Indices& indices, const Values& values,
                    index_t size) {
  using T = typename Values::value_type;
  if constexpr (std::floating_point<T>) {
    return sum_parts(members, "scatter_add", indices, values, size,
                     [](int) { return integer_bins{}; });
  } else {
    auto parts = list_for<array<T, 1, Space>>("scatter_add", members.size());
    fence_on_error(members, [&] {
      for_each_member(members, [&](int p) {
        parts.emplace_back(extents<1>(size), 0, members.member(p));
        scatter_add(members.member(p), indices.part(p), values.part(p), parts.back());
      });
      add_on_first(members, "scatter_add", parts);
    });
    return std::move(parts[0]);
  }
}

/// Whether sums of all elements of the output, which the first member then has from every member,
/// take less time and memory than the values on their way to the members that own their elements.
inline bool sums_are_few(index_t values, index_t size, int members) {
  constexpr index_t most = index_t{1} << 27;  // 1.5 GiB of floats' sums, 2.5 of doubles'
  return size <= std::min(values / 2, most) / members;
}

/// Adds sums that the first member has to the elements of an output, on all members that have them.
template <class Space, class T, class Out>
void add_sums(const group<Space>& members, const array<T, 1, Space>& sums, Out& out) {
  auto added = list_for<array<T, 1, Space>>("scatter_add", members.size());
  fence_on_error(members, [&] {
    transfers<Space> copies("scatter_add", members);
    for_each_member(members, [&](int p) {
      const range rows = own_rows(out, p);
      added.emplace_back(extents<1>(rows.size()), members.member(p));
      if (rows.size() == 0) return;
      copies.add(0, p,
                 make_copy_problem(subview(sums.view(), slice{rows.begin, rows.end}),
                                   added.back().view()));
    });
    copies.run();
    for_each_member(members, [&](int p) {
      dispatch_for(members.member(p), "scatter_add", range(own_rows(out, p).size()),
                   add_known_sum<T>{added[static_cast<std::size_t>(p)].data_handle(),
                                    out.part(p).data_handle()});
    });
  });
}

/// Adds the cells of the other members to those of the first one.
template <class T>
struct merge_cells {
  order_free_sum<T>* cells;
  const order_free_sum<T>* others;
  index_t size;
  int count;

  TANDEM_FUNCTION void operator()(index_t i) const {
    for (int p = 0; p < count; ++p) cells[i].merge(others[p * size + i]);
  }
};

}  // namespace detail

/// Adds values by index, as scatter_add() on one space and with its bits: out(indices(i)) +=
/// values(i) for all i.
///
/// @param indices, values  sharded arrays of one cut and equal extent, of one dimension; or both
///                         replicated if out is
/// @param out              array of one dimension, sharded by any cut or replicated
/// Errors          extent_error when extents or cuts differ; argument_error for arrays of other
///                 members, and if only some of the inputs are replicated; those of one space
/// Complexity      members sum their values as for weighted histograms, and those that have an
///                 element of out add its sum. If out is sharded and large, more than one element
///                 per two values and member or 2^27 for all members, each member sorts its pairs
///                 by the owner of their index instead; pairs move to their owners, which add them
///                 as one space does. Scratch: the pairs that a member has and those that its rows
///                 get, and 12 bytes per pair. One member, and members with replicated inputs, add
///                 as on one space
/// Waits for the group unless the values are integers of which every member sums its own; out is
/// written in the order of the members.
template <class Space, detail::sharded_operand Indices, detail::sharded_operand Values,
          detail::sharded_operand Out>
void scatter_add(const group<Space>& members, const Indices& indices, const Values& values,
                 Out& out) {
  constexpr const char* name = "scatter_add";
  static_assert(detail::compiles_loops<Space>,
                "tandem: scatter_add on groups of this backend needs this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  if constexpr (detail::check_scatter_add<Space, typename Indices::const_view_type,
                                          typename Values::const_view_type,
                                          typename Out::view_type>()) {
    detail::require_weights(members, name, "indices", indices, "values", values);
    detail::require_members(name, members, out);
    detail::require(out.is_replicated() || !indices.is_replicated(), name,
                    "indices and values are replicated, and out is not");
    detail::for_each_member(members, [&](int p) {
      detail::require_scatter_add(indices.part(p), values.part(p), out.part(p));
    });
    if constexpr (detail::checks_contents) {
      detail::for_each_member(members, [&](int p) {
        const auto line = detail::contiguous_part(indices, p);
        if (line.size > 0) detail::require_indices(members.member(p), name, line, out.size());
      });
    }
    if (out.size() == 0 || indices.size() == 0) return;
    if (members.size() == 1 || indices.is_replicated()) {
      detail::for_each_member(members, [&](int p) {
        scatter_add(members.member(p), indices.part(p), values.part(p), out.part(p));
      });
    } else if (out.is_replicated() ||
               detail::sums_are_few(indices.size(), out.size(), members.size())) {
      detail::add_sums(members, detail::sums_of_values(members, indices, values, out.size()), out);
    } else {
      detail::add_to_owners(members, indices, values, out);
    }
  }
}

/// Adds up the cells of a replicated array of order_free_sum to which the members have added in
/// loops: every member gets the sums of all members' cells, which no order of addition changes.
///
///   tandem::sharded<tandem::order_free_sum<float>> cells({n}, {}, gpus, tandem::replicated);
///   tandem::parallel_for(gpus, particles, deposit{scale}, std::as_const(mass), cells);
///   tandem::merge(gpus, cells);
///
/// @param cells  replicated array, whose cells were equal to {} before the loops, and whose terms
///               have one scale for the number of all terms
/// Errors        argument_error for an array of other members, and for a sharded one
/// Complexity    moves the cells to the first member and back. Scratch: the cells of all members on
///               the first one
/// Asynchronous on the members.
template <class Space, class T, int Rank>
void merge(const group<Space>& members,
           array<order_free_sum<T>, Rank, group<Space>, layout_right>& cells) {
  constexpr const char* name = "merge";
  using cell = order_free_sum<T>;
  detail::require_members(name, members, cells);
  detail::require(cells.is_replicated(), name, "the cells are not replicated");
  const int others = members.size() - 1;
  const index_t size = cells.size();
  if (others == 0 || size == 0) return;
  const auto cells_of = [&](int p) { return detail::flattened(cells.part(p)); };
  detail::fence_on_error(members, [&] {
    const auto arrived = detail::gather_on_first<cell>(members, name, size, cells_of);
    detail::loop_on_first(
        members, name, size,
        detail::merge_cells<T>{cells_of(0).data_handle(), arrived.data_handle(), size, others});
    detail::give_from_first(members, name, cells_of);
  });
}

}  // namespace tandem
