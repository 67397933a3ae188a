// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/histogram.hpp>
#include <tandem/distributed/operations/replicas.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Weighted sums of the members' elements at one scale (core/numbers/fixed_point.hpp).
namespace tandem::detail {

/// A member's elements as a line.
template <class X>
auto contiguous_part(const X& x, int p) {
  return make_line(flattened(x.part(p)));
}

/// Weighted sums of bins of which every member has all. The host combines what they have found.
template <class Space, class Rule, class W>
class weighted_parts {
 public:
  using sums_type = weighted_sums<Space, Rule, W>;
  using line = typename sums_type::line;
  using weight_line = typename sums_type::weight_line;

  /// `rule_of(p)` is the rule in the memory of member p; `terms` is the number of all terms.
  template <class RuleOf>
  weighted_parts(const group<Space>& members, const char* name, index_t bins, index_t terms,
                 const RuleOf& rule_of)
      : members_(members),
        name_(name),
        bins_(bins),
        terms_(terms),
        parts_(list_for<sums_type>(name, members.size())),
        limbs_(make_vector<std::uint64_t>(name, bins * index_t{fixed_point<W>::limbs})),
        flags_(make_vector<std::uint32_t>(name, bins)),
        largest_(make_vector<W>(name, bins)) {
    for_each_member(
        members, [&](int p) { parts_.emplace_back(members.member(p), name, rule_of(p), terms); });
  }

  /// The sums of the bins. Member p has the elements x_of(p) and weights_of(p).
  template <class XOf, class WeightsOf>
  std::vector<W> sums(const XOf& x_of, const WeightsOf& weights_of) {
    const auto each = [&](const auto& step) {
      for_each_member(members_, [&](int p) { step(of(p), x_of(p), weights_of(p)); });
    };
    each([](auto& part, const auto& x, const auto& w) { part.find_largest(x, w); });
    const W most = find_scale();
    each([](auto& part, const auto& x, const auto& w) { part.add(x, w); });
    combine(flags_, &sums_type::flags, [](std::uint32_t& a, std::uint32_t b) { a |= b; });
    combine(limbs_, &sums_type::limbs, [](std::uint64_t& a, std::uint64_t b) { a += b; });
    if (std::find(flags_.begin(), flags_.end(), weight_is_small) != flags_.end()) add_small(each);
    fixed_point<W> scale(most, terms_);
    const partial_sums<W> all{limbs_.data(), flags_.data(), largest_.data(), &scale, nullptr};
    auto results = make_vector<W>(name_, bins_);
    const finish_sum<W> finish{all, terms_, results.data(), false};
    for (index_t bin = 0; bin < bins_; ++bin) finish(bin);
    return results;
  }

 private:
  sums_type& of(int p) { return parts_[static_cast<std::size_t>(p)]; }

  /// Gives every member the largest magnitude of all.
  W find_scale() {
    auto most = make_vector<W>(name_, 1);
    combine(most, &sums_type::largest_of_all, larger);
    give(most, &sums_type::largest_of_all);
    for_each_member(members_, [&](int p) { of(p).set_scale(); });
    return most[0];
  }

  /// Adds the weights of bins without others again, at a scale for each.
  template <class Each>
  void add_small(const Each& each) {
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      if (flags_[i / fixed_point<W>::limbs] == weight_is_small) limbs_[i] = 0;
    }
    give(flags_, &sums_type::flags);
    for_each_member(members_, [&](int p) { of(p).clear_small(); });
    each([](auto& part, const auto& x, const auto& w) { part.find_largest_of_small(x, w); });
    combine(largest_, &sums_type::largest, larger);
    give(largest_, &sums_type::largest);
    each([](auto& part, const auto& x, const auto& w) { part.add_small(x, w); });
    std::size_t i = 0;
    combine(limbs_, &sums_type::limbs, [&](std::uint64_t& a, std::uint64_t b) {
      const std::size_t bin = i++ % limbs_.size() / fixed_point<W>::limbs;
      if (flags_[bin] == weight_is_small) a += b;
    });
  }

  static void larger(W& a, W b) {
    if (a < b) a = b;
  }

  /// Combines an array of all members with `total`, element by element.
  template <class T, class Member, class Combine>
  void combine(std::vector<T>& total, const Member& member, const Combine& with) {
    for_each_member(members_, [&](int p) {
      const auto found = to_vector(members_.member(p), of(p).*member);
      for (std::size_t i = 0; i < total.size(); ++i) with(total[i], found[i]);
    });
  }
  /// Gives an array to all members.
  template <class T, class Member>
  void give(const std::vector<T>& values, const Member& member) {
    for_each_member(members_, [&](int p) { copy(members_.member(p), values, of(p).*member); });
    members_.fence();
  }

  const group<Space>& members_;
  const char* name_;
  index_t bins_;
  index_t terms_;
  std::vector<sums_type> parts_;
  std::vector<std::uint64_t> limbs_;
  std::vector<std::uint32_t> flags_;
  std::vector<W> largest_;
};

/// Weighted sums of the elements of a sharded array.
template <class Space, class X, class Weights, class RuleOf>
auto sum_parts(const group<Space>& members, const char* name, const X& x, const Weights& weights,
               index_t bins, const RuleOf& rule_of) {
  using W = typename Weights::value_type;
  weighted_parts<Space, decltype(rule_of(0)), W> parts(members, name, bins, x.size(), rule_of);
  std::vector<W> results;
  fence_on_error(members, [&] {
    results = parts.sums([&](int p) { return contiguous_part(x, p); },
                         [&](int p) { return contiguous_part(weights, p); });
  });
  return results;
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
