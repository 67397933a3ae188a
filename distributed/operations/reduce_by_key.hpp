// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy_if.hpp>
#include <tandem/algorithms/reduce_by_key.hpp>
#include <tandem/distributed/operations/segments.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace tandem {

namespace detail {

/// Whether a run of equal keys begins at key number i of the whole. A member has the key before its
/// first one.
template <class Keys>
struct begins_run {
  Keys keys;

  TANDEM_FUNCTION bool operator()(index_t i) const { return i == 0 || !(keys(i) == keys(i - 1)); }
};

/// The runs of equal keys of a group: where they begin, and how many begin in each part.
template <class Space, class Key>
class runs_of_group {
 public:
  template <class Keys>
  runs_of_group(const group<Space>& members, const Keys& keys)
      : members_(members),
        keys_(keys.extents(), members, keys.rows(), halo{1}),
        begins_(list_for<array<index_t, 1, Space>>(name, members.size())),
        counts_(list_for<index_t>(name, members.size())) {}

  /// Finds them. Waits for the keys.
  template <class Keys>
  void find(const Keys& keys) {
    copy(members_, keys, keys_);
    exchange(members_, keys_);
    auto found = list_for<array<index_t, 1, Space>>(name, members_.size());
    for_each_member(members_, [&](int p) {
      const Space& space = members_.member(p);
      const range own(keys_.rows().begin(p), keys_.rows().end(p));
      begins_.emplace_back(extents<1>(own.size()), space);
      found.emplace_back(extents<1>(1), 0, space);
      if (own.size() == 0) return;
      const auto there = std::as_const(keys_).whole(p);
      const view<index_t, 0, layout_right, typename Space::memory_type> count(
          found.back().data_handle(), extents<0>());
      copy_if_into(space, own, begins_run<std::remove_const_t<decltype(there)>>{there},
                   begins_.back(), count);
    });
    for_each_member(members_, [&](int p) {
      counts_.push_back(to_vector(members_.member(p), found[static_cast<std::size_t>(p)])[0]);
    });
  }

  index_t size() const {
    index_t all = 0;
    for (const index_t count : counts_) all += count;
    return all;
  }

  /// The members in whose parts the first `stored` runs begin.
  cut owners(index_t stored) const {
    auto sizes = list_for<index_t>(name, members_.size());
    for (const index_t count : counts_) {
      sizes.push_back(std::min(count, stored));
      stored -= sizes.back();
    }
    return cut::of(sizes);
  }

  /// Stores where the first runs begin, and at last where the one behind them does, or the keys
  /// end.
  void store_begins(array<index_t, 1, group<Space>, layout_right>& offsets) const {
    const index_t stored = offsets.extent(0) - 1;
    transfers<Space> copies(name, members_);
    index_t first = 0;
    for (int p = 0; p < members_.size(); ++p) {
      const index_t count = std::min(counts_[static_cast<std::size_t>(p)], stored + 1 - first);
      for (int q = 0; q < members_.size() && count > 0; ++q) {
        copies.add(p, q,
                   make_copy_problem(
                       subview(begins_[static_cast<std::size_t>(p)].const_view(), slice{0, count}),
                       subview(offsets.whole(q), slice{first, first + count})));
      }
      first += std::max<index_t>(count, 0);
    }
    copies.run();
    if (first > stored) return;
    for_each_member(members_, [&](int q) {
      dispatch_for(members_.member(q), name, range(1),
                   store_known<index_t>{offsets.whole(q).data_handle() + stored, keys_.size()});
    });
  }

  /// Stores the keys of the first runs, on their owners.
  void store_keys(array<Key, 1, group<Space>, layout_right>& kept) const {
    for_each_member(members_, [&](int p) {
      const auto out = kept.part(p);
      if (out.empty()) return;
      const auto there = keys_.whole(p);
      using Store =
          store_run_key<std::remove_const_t<decltype(there)>, std::remove_const_t<decltype(out)>>;
      dispatch_for(members_.member(p), name, range(out.size()),
                   Store{there, begins_[static_cast<std::size_t>(p)].data_handle(), out});
    });
  }

 private:
  static constexpr const char* name = "reduce_by_key";

  const group<Space>& members_;
  array<Key, 1, group<Space>, layout_right> keys_;
  std::vector<array<index_t, 1, Space>> begins_;
  std::vector<index_t> counts_;
};

/// Copies a sharded line to the first elements of an output.
template <class Space, class Line, class Out>
void copy_to_front(const group<Space>& members, const Line& from, Out& out) {
  if constexpr (sharded_operand<Out>) {
    transfers<Space> copies("reduce_by_key", members);
    for (int q = 0; q < out.members(); ++q) {
      const range own = own_rows(out, q);
      copies.add_rows(from, {own.begin, std::min(own.end, from.extent(0))}, q, out.whole(q));
    }
    copies.run();
  } else {
    copy(members, from, subview(as_view(out), slice{0, from.extent(0)}));
  }
}

}  // namespace detail

/// Reduces the values of each run of equal neighbouring keys and returns the number of runs, as
/// reduce_by_key() on one space and with its bits.
///
/// @param keys, values          sharded arrays of one cut and equal extent, of one dimension; keys
///                              are trivially copyable
/// @param keys_out, values_out  sharded or replicated arrays, or operands of the host, of one
///                              dimension and equal extent. If there are more runs than elements,
///                              they hold the first ones; elements behind the last run are
///                              unchanged
/// @param reducer               as on one space; one with positions reports indices of the whole
/// Errors          extent_error when extents or cuts differ; argument_error for arrays of other
///                 members, and for replicated inputs; those of one space. Memory that runs out
///                 leaves the outputs unchanged
/// Complexity      each member finds the runs that begin in its part, of a copy of its keys; then
///                 as for segmented_reduce() on a group. Scratch: the copy, an index per key, and
///                 on every member an index for each run that is stored
/// Waits until the number is available; the outputs are written in the order of the members' work.
template <class Space, detail::sharded_operand Keys, detail::sharded_operand Values, class KeysOut,
          class ValuesOut, reducer_or_deduced Reducer = sum<>>
index_t reduce_by_key(const group<Space>& members, const Keys& keys, const Values& values,
                      KeysOut&& keys_out, ValuesOut&& values_out, const Reducer& reducer = {}) {
  constexpr const char* name = "reduce_by_key";
  using Key = typename Keys::value_type;
  static_assert(Keys::rank() == 1 && Values::rank() == 1,
                "tandem: reduce_by_key: keys and values have one dimension");
  static_assert(std::is_trivially_copyable_v<Key>,
                "tandem: reduce_by_key: keys of a group are trivially copyable");
  const auto chosen = detail::checked_reducer_for<typename Values::value_type>(reducer);
  using R = std::remove_const_t<decltype(chosen)>;
  detail::common_cut common(name);
  common.add(members, keys);
  common.add(members, values);
  detail::require_same_extents(name, "keys", keys, "values", values);
  detail::require(!keys.is_replicated() && !values.is_replicated(), name,
                  "keys and values are sharded, not replicated");
  const index_t room = detail::size_of_results(members, name, values_out);
  detail::require_equal(name, "extent of keys_out",
                        detail::size_of_results(members, name, keys_out), "extent of values_out",
                        room);
  if (keys.size() == 0) return 0;
  detail::runs_of_group<Space, Key> runs(members, keys);
  detail::fence_on_error(members, [&] { runs.find(keys); });
  const index_t stored = std::min(runs.size(), room);
  if (stored == 0) return runs.size();
  const cut owners = runs.owners(stored);
  array<index_t, 1, group<Space>, layout_right> offsets({stored + 1}, members, replicated);
  array<Key, 1, group<Space>, layout_right> kept({stored}, members, owners);
  array<typename R::result, 1, group<Space>, layout_right> results({stored}, members, owners);
  detail::fence_on_error(members, [&] {
    runs.store_begins(offsets);
    runs.store_keys(kept);
    detail::reduce_segments_of_group(members, values, offsets, results, chosen);
    detail::copy_to_front(members, kept, keys_out);
    detail::copy_to_front(members, results, values_out);
  });
  return runs.size();
}

}  // namespace tandem
