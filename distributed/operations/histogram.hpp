// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/histogram.hpp>
#include <tandem/distributed/operations/first_member.hpp>
#include <tandem/distributed/operations/replicas.hpp>
#include <tandem/distributed/operations/weighted_parts.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Counts the elements of each member's rows and adds them up in memory of the first member.
/// `bins_of(p)` are the bins as member p gets them.
template <class Space, class Count, class X, class BinsOf>
array<Count, 1, Space> count_parts(const group<Space>& members, const X& x, index_t size,
                                   const BinsOf& bins_of) {
  require_members("histogram", members, x);
  auto parts = list_for<array<Count, 1, Space>>("histogram", members.size());
  for_each_member(members, [&](int p) {
    if (p > 0 && x.is_replicated()) return;
    parts.emplace_back(extents<1>(size), members.member(p));
    histogram(members.member(p), x.part(p), bins_of(p), parts.back());
  });
  if (!x.is_replicated())
    fence_on_error(members, [&] { add_on_first(members, "histogram", parts); });
  return std::move(parts[0]);
}

/// Writes what results_for(type, size) returns, an array of the first member, to an operand of the
/// host or a replicated array.
template <class Space, class Out, class ResultsFor>
void store_bins(const group<Space>& members, const char* out_name, Out& out, const char* wrong,
                const ResultsFor& results_for) {
  if constexpr (sharded_operand<Out>) {
    require(out.is_replicated(), "histogram", wrong);
    require_members("histogram", members, out);
    using Count = typename std::remove_cvref_t<Out>::value_type;
    const array<Count, 1, Space> total = results_for(std::type_identity<Count>(), out.size());
    transfers<Space> copies("histogram", members);
    for (int p = 0; p < members.size(); ++p)
      copies.add(0, p, make_copy_problem(total.view(), out.part(p)));
    copies.run();
  } else {
    const auto to = as_view(out);
    require_data("histogram", out_name, to);
    using Count = typename std::remove_const_t<decltype(to)>::value_type;
    const array<Count, 1, Space> total = results_for(std::type_identity<Count>(), to.size());
    copy_by_first(members, total, to);
  }
}

/// Counts into an operand of the host or a replicated array.
template <class Space, class X, class Counts, class BinsOf>
void count_on_group(const group<Space>& members, const X& x, Counts& counts,
                    const BinsOf& bins_of) {
  if constexpr (sharded_operand<Counts>) {
    if (members.size() == 1 && counts.is_replicated()) {
      require_members("histogram", members, x);
      require_members("histogram", members, counts);
      return histogram(members.member(0), x.part(0), bins_of(0), counts.part(0));
    }
  }
  store_bins(members, "counts", counts, "the counts are an operand of the host or replicated",
             [&]<class Count>(std::type_identity<Count>, index_t size) {
               return count_parts<Space, Count>(members, x, size, bins_of);
             });
}

/// Sums weights by the first member alone, as one space does.
template <class Space, class X, class Weights, class BinsOf>
auto sum_on_first(const group<Space>& members, const X& x, const Weights& weights, index_t size,
                  const BinsOf& bins_of) {
  return on_first(members, [&](const Space& first) {
    array<typename Weights::value_type, 1, Space> sums(extents<1>(size), first);
    histogram(first, x.part(0), bins_of(0), weights.part(0), sums);
    return sums;
  });
}

/// Sums weights into an operand of the host or a replicated array.
template <class Space, class X, class Weights, class Sums, class BinsOf>
void sum_on_group(const group<Space>& members, const X& x, const Weights& weights, Sums& sums,
                  const BinsOf& bins_of) {
  using W = typename Weights::value_type;
  static_assert(std::same_as<W, float> || std::same_as<W, double>,
                "tandem: histogram: weights are float or double");
  static_assert(compiles_loops<Space>,
                "tandem: weighted histograms on groups of this backend need this file compiled by "
                "its own compiler (tandem_add_sources in CMake does so)");
  if constexpr (check_histogram_input<Space, typename X::const_view_type>()) {
    require_weights(members, "histogram", "x", x, "weights", weights);
    store_bins(members, "sums", sums, "the sums are an operand of the host or replicated",
               [&]<class Sum>(std::type_identity<Sum>, index_t size) {
                 static_assert(std::same_as<W, Sum>,
                               "tandem: histogram: sums have the element type of weights");
                 require(size > 0, "histogram", "sums has 0 bins, fewer than 1");
                 require_few_bins(size);
                 if (members.size() == 1 || x.is_replicated())
                   return sum_on_first(members, x, weights, size, bins_of);
                 return sum_parts(members, "histogram", x, weights, size, bins_of);
               });
  }
}

/// Calls use(edges_of) with edges that every member has.
template <class Space, class Edges, class Use>
void with_edges(const group<Space>& members, const Edges& edges, const Use& use) {
  const auto use_line = [&]<class Line>(const Line& line) {
    static_assert(Line::rank() == 1, "tandem: histogram: edges have one dimension");
    on_every_member<Space, Line> everywhere("histogram", members, line);
    fence_on_error(members, [&] {
      everywhere.fill(members, line);
      use([&](int p) { return everywhere->part(p); });
    });
  };
  if constexpr (sharded_operand<Edges>) {
    use_line(edges);
  } else {
    const auto line = read_only(as_view(edges));
    if constexpr (decltype(line)::rank() == 1 && is_known_to_host<Space, decltype(line)>)
      require_ascending(line);
    use_line(line);
  }
  members.fence();
}

/// What holds edges: an array of a group, or an operand of the host.
template <class Edges>
concept edges_operand = sharded_operand<Edges> || viewable<const Edges>;

}  // namespace detail

/// Counts the values of a sharded array in bins, as histogram() on one space.
///
/// @param x       sharded or replicated array
/// @param bins    {.lo, .hi} for float and double, {.first} for integers, which may be left out if
///                it is 0
/// @param counts  operand of the host, or replicated array, of rank 1; overwritten
/// Errors         argument_error for arrays of other members, and for counts that are sharded;
///                those of histogram on one space
/// Complexity     each member counts its rows; the first one adds the counts of all. Scratch there:
///                the counts of every member
/// Asynchronous on the members if the counts are replicated; waits for the group otherwise.
template <class Space, detail::sharded_operand X, class Counts>
void histogram(const group<Space>& members, const X& x, uniform_bins<typename X::value_type> bins,
               Counts&& counts) {
  detail::count_on_group(members, x, counts, [&](int) { return bins; });
}
template <class Space, detail::sharded_operand X, class Counts>
  requires std::integral<typename X::value_type>
void histogram(const group<Space>& members, const X& x, integer_bins bins, Counts&& counts) {
  detail::count_on_group(members, x, counts, [&](int) { return bins; });
}
template <class Space, detail::sharded_operand X, class Counts>
  requires std::integral<typename X::value_type>
void histogram(const group<Space>& members, const X& x, Counts&& counts) {
  detail::count_on_group(members, x, counts, [](int) { return integer_bins{}; });
}

/// Counts the values of a sharded array between explicit edges, as histogram() on one space.
///
/// @param x       sharded or replicated array
/// @param edges   as on one space: a replicated array, or a sharded one or an operand of the host,
///                of which every member gets a copy for the time of the call. Those in ordinary
///                memory of the host are checked on every space: they ascend
/// @param counts  as for equal bins
/// Errors         as for equal bins, and those of explicit edges on one space
/// Complexity     as for equal bins
/// Waits for the group.
template <class Space, detail::sharded_operand X, detail::edges_operand Edges, class Counts>
void histogram(const group<Space>& members, const X& x, const Edges& edges, Counts&& counts) {
  detail::with_edges(members, edges, [&](const auto& edges_of) {
    detail::count_on_group(members, x, counts, edges_of);
  });
}

/// Sums weights in the bins of a sharded array, as histogram() on one space and with its bits.
///
/// @param x, weights  arrays of equal extents, sharded by one cut or both replicated
/// @param bins        as for counts
/// @param sums        operand of the host, or replicated array, of the type of the weights;
///                    overwritten
/// Errors             extent_error when extents or cuts differ; argument_error for arrays of other
///                    members, and for sums that are sharded; those of histogram on one space
/// Complexity         each member reads its weights for the largest one, then its x and weights as
///                    on one space, and again if that weight had no bin; the first one adds up
///                    integers of 12 or 20 bytes per bin and member, for which it needs scratch.
///                    Bins of small weights alone take two more passes, with an atomic addition per
///                    weight. One member, and the first one for a replicated x, sums as one space
///                    does
/// Waits for the group; replicated sums arrive in the order of the members.
template <class Space, detail::sharded_operand X, detail::sharded_operand Weights, class Sums>
void histogram(const group<Space>& members, const X& x, uniform_bins<typename X::value_type> bins,
               const Weights& weights, Sums&& sums) {
  detail::sum_on_group(members, x, weights, sums, [&](int) { return bins; });
}
template <class Space, detail::sharded_operand X, detail::sharded_operand Weights, class Sums>
  requires std::integral<typename X::value_type>
void histogram(const group<Space>& members, const X& x, integer_bins bins, const Weights& weights,
               Sums&& sums) {
  detail::sum_on_group(members, x, weights, sums, [&](int) { return bins; });
}

/// Sums weights between explicit edges.
///
/// @param x, weights, sums  as for equal bins
/// @param edges             as for counts between explicit edges
/// Errors, complexity       as for weights in equal bins
/// Waits for the group.
template <class Space, detail::sharded_operand X, detail::edges_operand Edges,
          detail::sharded_operand Weights, class Sums>
void histogram(const group<Space>& members, const X& x, const Edges& edges, const Weights& weights,
               Sums&& sums) {
  detail::with_edges(members, edges, [&](const auto& edges_of) {
    detail::sum_on_group(members, x, weights, sums, edges_of);
  });
}

}  // namespace tandem
