// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/scatter_add.hpp>
#include <tandem/core/numbers/order_free_sum.hpp>
#include <tandem/distributed/operations/weighted_parts.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
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

/// The indices and values of all members, which pass by each member one part after the other.
template <class Space, class Index, class T>
class passing_parts {
 public:
  passing_parts(const group<Space>& members, const cut& rows) : members_(members), rows_(rows) {
    index_t longest = 0;
    for (int p = 0; p < rows.parts(); ++p) longest = std::max(longest, rows.size(p));
    if (members.size() == 1) longest = 0;
    indices_ = list_for<array<Index, 1, Space>>(name, members.size());
    values_ = list_for<array<T, 1, Space>>(name, members.size());
    for_each_member(members, [&](int p) {
      indices_.emplace_back(extents<1>(longest), members.member(p));
      values_.emplace_back(extents<1>(longest), members.member(p));
    });
  }

  /// Calls f(q, indices, values) for every member q with the lines of each part.
  template <class Indices, class Values, class Function>
  void for_each(const Indices& indices, const Values& values, const Function& f) {
    const int parts = members_.size();
    for (int turn = 0; turn < parts; ++turn) {
      const auto source = [&](int q) { return (q + turn) % parts; };
      if (turn > 0) pass(indices, values, source);
      for_each_member(members_, [&](int q) {
        const index_t count = rows_.size(source(q));
        if (count == 0) return;
        const auto at = static_cast<std::size_t>(q);
        const Index* i = turn == 0 ? indices.part(q).data_handle() : indices_[at].data_handle();
        const T* v = turn == 0 ? values.part(q).data_handle() : values_[at].data_handle();
        f(q, strided_line<Index>{i, count, 1}, strided_line<T>{v, count, 1});
      });
    }
  }

 private:
  static constexpr const char* name = "scatter_add";

  /// Copies the part of member source(q) to q.
  template <class Indices, class Values, class Source>
  void pass(const Indices& indices, const Values& values, const Source& source) {
    transfers<Space> copies(name, members_);
    const auto add = [&](const auto& from, auto& buffer, int q) {
      const auto to = subview(buffer.view(), slice{0, from.extent(0)});
      copies.add(source(q), q, make_copy_problem(from, to));
    };
    for (int q = 0; q < members_.size(); ++q) {
      if (rows_.size(source(q)) == 0) continue;
      add(indices.part(source(q)), indices_[static_cast<std::size_t>(q)], q);
      add(values.part(source(q)), values_[static_cast<std::size_t>(q)], q);
    }
    copies.run();
  }

  const group<Space>& members_;
  const cut& rows_;
  std::vector<array<Index, 1, Space>> indices_;
  std::vector<array<T, 1, Space>> values_;
};

/// Adds floating point to the elements of a sharded output: each member finds the values of its
/// elements among those of all, at one scale.
template <class Space, class Indices, class Values, class Out>
void add_floats_to_owners(const group<Space>& members, const Indices& indices, const Values& values,
                          Out& out) {
  constexpr const char* name = "scatter_add";
  using Index = typename Indices::value_type;
  using T = typename Values::value_type;
  using sums_type = weighted_sums<Space, integer_bin_rule<Index>, T>;
  auto sums = list_for<sums_type>(name, members.size());
  auto largest = list_for<array<T, 1, Space>>(name, members.size());
  passing_parts<Space, Index, T> parts(members, indices.rows());
  for_each_member(members, [&](int p) {
    const index_t first = out.rows().begin(p);
    sums.emplace_back(members.member(p), name, integer_bin_rule<Index>(first, out.rows().size(p)),
                      indices.size());
    largest.emplace_back(extents<1>(1), members.member(p));
  });
  const auto of = [&](int p) -> sums_type& { return sums[static_cast<std::size_t>(p)]; };
  fence_on_error(members, [&] {
    T most = 0;
    const integer_bin_rule<Index> all(0, out.size());
    for_each_member(members, [&](int p) {
      const auto line = contiguous_part(indices, p);
      dispatch_reduce_into(
          members.member(p), name, line.size,
          counted_magnitude<integer_bin_rule<Index>, T>{line, contiguous_part(values, p), all},
          largest_finite<T>{}, largest[static_cast<std::size_t>(p)].data_handle());
    });
    for_each_member(members, [&](int p) {
      most = std::max(most, to_vector(members.member(p), largest[static_cast<std::size_t>(p)])[0]);
    });
    for_each_member(members, [&](int p) {
      dispatch_for(members.member(p), name, range(1),
                   store_known<T>{of(p).largest_of_all.data_handle(), most});
      of(p).set_scale();
    });
    const auto pass = [&](const auto& step) {
      parts.for_each(indices, values,
                     [&](int q, const auto& i, const auto& v) { step(of(q), i, v); });
    };
    pass([](sums_type& sum, const auto& i, const auto& v) { sum.add(i, v); });
    bool any_is_small = false;
    for_each_member(members, [&](int p) {
      of(p).clear_small();
      const auto flags = to_vector(members.member(p), of(p).flags);
      any_is_small =
          any_is_small || std::find(flags.begin(), flags.end(), weight_is_small) != flags.end();
    });
    if (any_is_small) {
      pass([](sums_type& sum, const auto& i, const auto& v) { sum.find_largest_of_small(i, v); });
      pass([](sums_type& sum, const auto& i, const auto& v) { sum.add_small(i, v); });
    }
    for_each_member(members, [&](int p) {
      if (out.rows().size(p) > 0) of(p).finish(out.part(p).data_handle(), true);
    });
  });
}

/// Adds integers to the elements of a sharded output.
template <class Space, class Indices, class Values, class Out>
void add_integers_to_owners(const group<Space>& members, const Indices& indices,
                            const Values& values, Out& out) {
  using Index = typename Indices::value_type;
  using T = typename Values::value_type;
  using Add = add_integer<Index, T, runs_on_one_thread<Space>>;
  passing_parts<Space, Index, T> parts(members, indices.rows());
  fence_on_error(members, [&] {
    parts.for_each(indices, values, [&](int q, const auto& i, const auto& v) {
      const cut& rows = out.rows();
      dispatch_for(members.member(q), "scatter_add", range(i.size),
                   Add{i, v, {rows.begin(q), rows.size(q)}, out.part(q).data_handle()});
    });
  });
}

/// The sums that the values have for each element of the output.
template <class Space, class Indices, class Values>
auto sums_of_values(const group<Space>& members, const Indices& indices, const Values& values,
                    index_t size) {
  using T = typename Values::value_type;
  if constexpr (std::floating_point<T>) {
    return sum_parts(members, "scatter_add", indices, values, size,
                     [&](int) { return integer_bin_rule<typename Indices::value_type>(0, size); });
  } else {
    auto parts = list_for<array<T, 1, Space>>("scatter_add", members.size());
    for_each_member(members, [&](int p) {
      parts.emplace_back(extents<1>(size), 0, members.member(p));
      scatter_add(members.member(p), indices.part(p), values.part(p), parts.back());
    });
    auto total = make_vector<T>("scatter_add", size);
    for_each_member(members, [&](int p) {
      const auto found = to_vector(members.member(p), parts[static_cast<std::size_t>(p)]);
      for (std::size_t i = 0; i < total.size(); ++i) add_to<true>(total[i], found[i]);
    });
    return total;
  }
}

/// Adds sums that the host has to every copy of a replicated output.
template <class Space, class T, class Out>
void add_to_replicas(const group<Space>& members, const std::vector<T>& sums, Out& out) {
  array<T, 1, group<Space>, layout_right> added(out.extents(), members, replicated);
  copy(members, sums, added);
  for_each_member(members, [&](int p) {
    dispatch_for(members.member(p), "scatter_add", range(out.size()),
                 add_known_sum<T>{added.part(p).data_handle(), out.part(p).data_handle()});
  });
  members.fence();
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
/// Complexity      a sharded out: the indices and values of each member pass by all others, which
///                 add what belongs to their elements; scratch for the longest part of them and 12
///                 or 20 bytes per element of out. A replicated out: members add their values, and
///                 the host combines the sums, as for weighted histograms. Values of floating point
///                 that are small beside others take two more passes. One member, and members with
///                 replicated inputs, add as on one space
/// Waits for the group, unless the values are integers and out is sharded.
template <class Space, detail::sharded_operand Indices, detail::sharded_operand Values,
          detail::sharded_operand Out>
void scatter_add(const group<Space>& members, const Indices& indices, const Values& values,
                 Out& out) {
  constexpr const char* name = "scatter_add";
  using T = typename Values::value_type;
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
    } else if (out.is_replicated()) {
      detail::add_to_replicas(members, detail::sums_of_values(members, indices, values, out.size()),
                              out);
    } else if constexpr (std::floating_point<T>) {
      detail::add_floats_to_owners(members, indices, values, out);
    } else {
      detail::add_integers_to_owners(members, indices, values, out);
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
  const auto line = [&](cell* data) {
    return view<cell, 1, layout_right, typename Space::memory_type>(data, extents<1>(size));
  };
  const auto cells_of = [&](int p) { return line(cells.part(p).data_handle()); };
  array<cell, 1, Space> arrived(extents<1>(others * size), members.member(0));
  detail::fence_on_error(members, [&] {
    detail::transfers<Space> there(name, members);
    detail::transfers<Space> back(name, members);
    for (int p = 1; p <= others; ++p) {
      there.add(
          p, 0,
          detail::make_copy_problem(cells_of(p), line(arrived.data_handle() + (p - 1) * size)));
      back.add(0, p, detail::make_copy_problem(cells_of(0), cells_of(p)));
    }
    there.run();
    dispatch_for(
        members.member(0), name, range(size),
        detail::merge_cells<T>{cells_of(0).data_handle(), arrived.data_handle(), size, others});
    back.run();
  });
}

}  // namespace tandem
