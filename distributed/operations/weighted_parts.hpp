// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/histogram.hpp>
#include <tandem/algorithms/support/mirror.hpp>
#include <tandem/distributed/operations/first_member.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

/// Weighted sums of the members' elements at one scale (core/numbers/fixed_point.hpp).
namespace tandem::detail {

/// A member's elements as a line.
template <class X>
auto contiguous_part(const X& x, int p) {
  return make_line(flattened(x.part(p)));
}

/// The largest finite magnitude among the terms of all members: those of member p are load_of(p)(i)
/// for i < size_of(p). Waits for the members.
template <class W, class Space, class SizeOf, class LoadOf>
W largest_of_members(const group<Space>& members, const char* name, const SizeOf& size_of,
                     const LoadOf& load_of) {
  auto found = list_for<mailbox<Space, W>>(name, members.size());
  for_each_member(members, [&](int p) {
    found.emplace_back(extents<1>(1));
    dispatch_reduce_into(members.member(p), name, size_of(p), load_of(p), largest_finite<W>{},
                         found.back().data_handle());
  });
  members.fence();
  W largest = 0;
  for (const auto& one : found) largest = std::max(largest, *one.data_handle());
  return largest;
}

/// Adds the integers that `count` others have found, and raises the largest magnitude to theirs.
template <class W>
struct add_integers {
  static constexpr index_t limbs = fixed_point<W>::limbs;

  partial_sums<W> sums;
  W* largest;
  const unsigned char* arrived;  ///< what others have, as weighted_sums places it
  sums_layout<W> places;
  int count;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    for (int p = 0; p < count; ++p) {
      const unsigned char* const from = arrived + p * places.end;
      for (index_t limb = 0; limb < limbs; ++limb)
        sums.of(bin)[limb] += places.limbs_in(from)[bin * limbs + limb];
      sums.flags[bin] |= places.flags_in(from)[bin];
      const W other = places.report_in(from)->largest;
      if (bin == 0 && *largest < other) *largest = other;
    }
  }
};

/// Notes whether bin b may need a scale for itself.
template <class W, bool OneThread>
struct note_small_bin {
  partial_sums<W> sums;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    if (sums.has_own_scale(bin)) or_to<OneThread>(*sums.any_has_own_scale, 1);
  }
};

/// Adds the integers of bins with scales for themselves.
template <class W>
struct add_small_integers {
  partial_sums<W> sums;
  const unsigned char* arrived;
  sums_layout<W> places;
  int others;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    constexpr index_t limbs = fixed_point<W>::limbs;
    if (!sums.has_own_scale(bin)) return;
    for (int p = 0; p < others; ++p) {
      for (index_t limb = 0; limb < limbs; ++limb)
        sums.of(bin)[limb] += places.limbs_in(arrived + p * places.end)[bin * limbs + limb];
    }
  }
};

/// Raises the largest weight of each bin that may need a scale for itself to those that the other
/// members have found, and notes that it needs none if that weight is not small.
template <class W>
struct combine_largest {
  partial_sums<W> sums;
  const W* arrived;
  index_t bins;
  int others;

  TANDEM_FUNCTION void operator()(index_t bin) const {
    if (!sums.has_own_scale(bin)) return;
    W most = sums.largest[bin];
    for (int p = 0; p < others; ++p) most = tandem::max(most, arrived[p * bins + bin]);
    sums.largest[bin] = most;
    if (!sums.scale->is_small(most)) sums.flags[bin] |= weight_is_not_small;
  }
};

/// The elements and weights that the members of a group have, each in one piece.
template <class Space, class X, class Weights>
struct pieces_of_members {
  using x_value = typename X::value_type;
  using weight = typename Weights::value_type;
  static constexpr bool one_per_member = true;

  const group<Space>& members;
  const X& x;
  const Weights& weights;

  index_t size() const { return x.size(); }
  /// Calls step(p, elements, weights) with a piece of member p, for all pieces.
  template <class Step>
  void for_each(const Step& step) const {
    for_each_member(members,
                    [&](int p) { step(p, contiguous_part(x, p), contiguous_part(weights, p)); });
  }
  /// The largest finite magnitude of all weights. Waits for the members.
  weight largest(const char* name) const {
    return largest_of_members<weight>(
        members, name, [&](int p) { return contiguous_part(weights, p).size; },
        [&](int p) {
          return contiguous_load<weight, largest_finite<weight>>{contiguous_part(weights, p).data,
                                                                 {}};
        });
  }
};

/// Weighted sums of bins of which every member has all. The first one combines what the members
/// have found.
template <class Space, class Pieces, class BinsOf>
class weighted_parts {
  using T = typename Pieces::x_value;
  using W = typename Pieces::weight;
  using rule = decltype(make_bin_rule<T>(std::declval<const BinsOf&>()(0), 0));
  using sums_type = weighted_sums<Space, rule, W>;

 public:
  /// Errors: those of the bins, which bins_of(p) returns as member p gets them.
  weighted_parts(const group<Space>& members, const char* name, const Pieces& pieces, index_t bins,
                 const BinsOf& bins_of)
      : members_(members),
        name_(name),
        pieces_(pieces),
        bins_(bins),
        problems_(list_for<histogram_problem>(name, members.size())),
        parts_(list_for<sums_type>(name, members.size())),
        found_(list_for<sums_type>(name, members.size())) {
    for_each_member(members, [&](int p) {
      problems_.emplace_back();
      describe_bins<T>(members.member(p), problems_.back(), bins_of(p), bins);
    });
    for_each_member(members, [&](int p) {
      const auto rule_of = make_bin_rule<T>(bins_of(p), bins);
      parts_.emplace_back(members.member(p), name, rule_of, pieces.size());
      if constexpr (!Pieces::one_per_member)
        found_.emplace_back(members.member(p), name, rule_of, pieces.size());
    });
  }

  /// The sums of the bins, in memory of the first member. Waits for the members.
  array<W, 1, Space> sums() {
    const W most = pieces_.largest(name_);
    sum_report<W> found = add(most);
    // The largest weight may have had no bin.
    const auto exponent_of = [](W w) {
      return fixed_point<W>::exponent_of(static_cast<double>(w));
    };
    if (exponent_of(found.largest) != exponent_of(most)) found = add(found.largest);
    if (found.any_is_small != 0) add_small();
    return on_first(members_, [&](const Space& first) {
      array<W, 1, Space> results(extents<1>(bins_), first);
      of(0).finish(results.data_handle(), false);
      return results;
    });
  }

 private:
  static constexpr bool one_thread = runs_on_one_thread<Space>;

  sums_type& of(int p) { return parts_[static_cast<std::size_t>(p)]; }
  int others() const { return members_.size() - 1; }

  /// Adds the weights of a piece at the scale of a magnitude, to sums that are overwritten.
  template <class Line, class WeightLine>
  void add_piece(int p, sums_type& to, const Line& x, const WeightLine& weights, W most) {
    if constexpr (uses_hook<Space, hook::histogram>()) {
      histogram_problem& problem = problems_[static_cast<std::size_t>(p)];
      problem.x = x.data;
      problem.x_type = element_type_of<T>;
      problem.size = x.size;
      problem.x_stride = x.stride;
      problem.weights = weights.data;
      problem.weight_type = element_type_of<W>;
      problem.weight_stride = weights.stride;
      problem.terms = pieces_.size();
      problem.has_largest = true;
      problem.largest = static_cast<double>(most);
      problem.integers = to.integers();
      problem.label = name_;
      dispatch_histogram(members_.member(p), problem);
    } else {
      to.clear();
      to.set_scale(most);
      to.find_largest(x, weights);
      to.add(x, weights);
    }
  }

  /// Adds all weights at the scale of a magnitude. Waits for the members.
  sum_report<W> add(W most) {
    on_first(members_, [&](const Space&) { of(0).set_scale(most); });
    if constexpr (!Pieces::one_per_member) {
      for_each_member(members_, [&](int p) {
        if (p > 0) of(p).set_scale(most);
        of(p).clear();
      });
    }
    pieces_.for_each([&](int p, const auto& x, const auto& weights) {
      if constexpr (Pieces::one_per_member) {
        add_piece(p, of(p), x, weights, most);
      } else {
        sums_type& found = found_[static_cast<std::size_t>(p)];
        add_piece(p, found, x, weights, most);
        add_found(p, found.bytes, 1);
      }
    });
    add_found(0, gather(), others());
    loop_on_first(members_, name_, bins_, note_small_bin<W, one_thread>{of(0).sums()});
    const auto places = of(0).places;
    mailbox<Space, unsigned char> report(extents<1>(places.flags - places.report));
    const auto from = subview(of(0).bytes.view(), slice{places.report, places.flags});
    on_first(members_, [&](const Space& first) {
      dispatch_copy(first, make_copy_problem(from, report.view()));
      first.fence();
    });
    sum_report<W> found;
    std::memcpy(&found, report.data_handle(), sizeof found);
    return found;
  }

  /// Adds what `count` others have found to the sums of a member.
  template <class Bytes>
  void add_found(int p, const Bytes& arrived, int count) {
    for_member(p, members_.size(), [&] {
      dispatch_for(members_.member(p), name_, range(bins_),
                   add_integers<W>{of(p).sums(), static_cast<W*>(of(p).integers().largest),
                                   arrived.data_handle(), of(p).places, count});
    });
  }

  /// Adds the weights of bins that have small ones alone again, at a scale for each.
  void add_small() {
    give_flags();
    for_each_member(members_, [&](int p) { of(p).start_small(); });
    pieces_.for_each(
        [&](int p, const auto& x, const auto& w) { of(p).find_largest_of_small(x, w); });
    const auto largest_of = [&](int p) { return of(p).largest.view(); };
    const auto largest = gather_on_first<W>(members_, name_, bins_, largest_of);
    loop_on_first(members_, name_, bins_,
                  combine_largest<W>{of(0).sums(), largest.data_handle(), bins_, others()});
    give_flags();
    give_from_first(members_, name_, largest_of);
    for_each_member(members_, [&](int p) { of(p).clear_small(); });
    pieces_.for_each([&](int p, const auto& x, const auto& w) { of(p).add_small(x, w); });
    const auto arrived = gather();
    loop_on_first(
        members_, name_, bins_,
        add_small_integers<W>{of(0).sums(), arrived.data_handle(), of(0).places, others()});
  }

  array<unsigned char, 1, Space> gather() {
    return gather_on_first<unsigned char>(members_, name_, of(0).places.end,
                                          [&](int p) { return of(p).bytes.view(); });
  }
  /// Gives the flags of the bins to all members, and whether any bin may need a scale for itself.
  void give_flags() {
    give_from_first(members_, name_, [&](int p) {
      return subview(of(p).bytes.view(), slice{of(p).places.report, of(p).places.end});
    });
  }

  const group<Space>& members_;
  const char* name_;
  const Pieces& pieces_;
  index_t bins_;
  std::vector<histogram_problem> problems_;
  std::vector<sums_type> parts_;
  std::vector<sums_type> found_;  ///< in one piece, of members that have several
};

/// Weighted sums of pieces, in memory of the first member. Waits for the members.
template <class Space, class Pieces, class BinsOf>
auto sum_pieces(const group<Space>& members, const char* name, const Pieces& pieces, index_t bins,
                const BinsOf& bins_of) {
  weighted_parts<Space, Pieces, BinsOf> parts(members, name, pieces, bins, bins_of);
  array<typename Pieces::weight, 1, Space> results;
  fence_on_error(members, [&] { results = parts.sums(); });
  return results;
}

/// Weighted sums of the elements of a sharded array, as above.
template <class Space, class X, class Weights, class BinsOf>
auto sum_parts(const group<Space>& members, const char* name, const X& x, const Weights& weights,
               index_t bins, const BinsOf& bins_of) {
  return sum_pieces(members, name, pieces_of_members<Space, X, Weights>{members, x, weights}, bins,
                    bins_of);
}

/// Throws unless weights belong to the elements of x.
template <class Space, class X, class Weights>
void require_weights(const group<Space>& members, const char* operation, const char* a_name,
                     const X& x, const char* b_name, const Weights& weights) {
  common_cut common(operation);
  common.add(members, x);
  common.add(members, weights);
  require_same_extents(operation, a_name, x, b_name, weights);
  require(x.is_replicated() == weights.is_replicated(), operation,
          "one operand is replicated and the other one is not");
}

}  // namespace tandem::detail
