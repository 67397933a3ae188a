// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/operations/parallel_reduce.hpp>
#include <tandem/distributed/operations/sorted_runs.hpp>
#include <tandem/distributed/operations/split_search.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// The rows that member p has of keys, and of values if there are any.
template <class Keys>
keyed_line<typename Keys::value_type, void> line_of_part(Keys& keys, int p) {
  return {const_cast<typename Keys::value_type*>(keys.part(p).data_handle())};
}
template <class Keys, class Values>
keyed_line<typename Keys::value_type, typename Values::value_type> line_of_part(Keys& keys, int p,
                                                                                Values& values) {
  return {const_cast<typename Keys::value_type*>(keys.part(p).data_handle()),
          const_cast<typename Values::value_type*>(values.part(p).data_handle())};
}

/// A sort of elements that are shared out among the members of a group. Each member sorts its part
/// into spare memory. Its rows of the result are computed in pieces: the other members send what
/// the next piece needs, on second streams, while one is merged.
template <class Space, class T, class V>
class group_sort {
 public:
  using line = keyed_line<T, V>;
  using word = key_word<sizeof(T)>;

  /// Allocates what all members need. Errors: out_of_memory_error.
  group_sort(const char* name, const group<Space>& members, const cut& rows, sort_order order)
      : name_(name),
        members_(members),
        senders_(detail::streams_beside("sort", members)),
        rows_(rows),
        order_(order),
        pieces_(piece_count(rows)),
        parts_(list_for<part>(name, members.size())),
        search_(name, part_sizes(), targets()),
        runs_(list_for<merge_input<line>>(name, members.size())) {
    for_each_member(members, [&](int p) { parts_.push_back(part_of(p)); });
  }

  /// Sorts from `from(p)` to `to(p)`, lines of member p, which may be the same. Writes no output
  /// before everything is allocated.
  template <class From, class To>
  void run(const From& from, const To& to) {
    const auto enqueue = [&] {
      for_each_member(members_, [&](int p) {
        if (rows_.size(p) > 0)
          sort_line(members_.member(p), from(p), sorted(p), rows_.size(p), order_);
      });
      find_splits();
      for (int k = 0; k < pieces_; ++k) {
        for_each_member(members_, [&](int p) { send(p, k); });
        for_each_member(members_, [&](int q) { merge_piece(q, k, to(q)); });
      }
      // Later work of a member, such as freeing its memory, waits until it has been sent.
      for_each_member(members_, [&](int p) { members_.member(p).wait(*of(p).sent); });
    };
    fence_on_error(members_, [&] { fence_on_error(senders_, enqueue); });
  }

 private:
  template <class Number>
  using numbers = array<Number, 1, typename mailbox_space<Space>::type>;
  using event = std::optional<typename Space::event_type>;
  using search = split_search<word, Space::memory_type::host_accessible ? 4 : 8>;
  static constexpr int candidates = search::candidates;

  /// Pieces of a part: enough to hide merges behind transfers, and large enough to be worth a
  /// transfer. The host transfers nothing, and its pieces fit its caches.
  static constexpr int most_pieces = 16;
  static constexpr index_t least_piece_bytes = index_t{1}
                                               << (Space::memory_type::host_accessible ? 14 : 25);

  /// What a member has.
  struct part {
    keyed_array<Space, T, V> sorted;
    keyed_array<Space, T, V> arrived[2];  ///< elements of other members, of pieces in turn
    keyed_array<Space, T, V> merged;      ///< room for a piece between two passes
    numbers<word> found;                  ///< what the host tells, and what it is told
    numbers<index_t> counts;
    event sent;       ///< what the last piece of the others needs
    event merges[2];  ///< from arrived
  };

  static int piece_count(const cut& rows) {
    constexpr auto bytes = static_cast<index_t>(sizeof(T) + value_bytes<V>);
    const index_t pieces = rows.rows() / rows.parts() * bytes / least_piece_bytes;
    return static_cast<int>(std::clamp<index_t>(pieces, 1, most_pieces));
  }
  /// The rows of piece k of member q.
  range piece(int q, int k) const {
    const index_t size = rows_.size(q);
    const auto begin = [&](int i) {
      return rows_.begin(q) + size / pieces_ * i + size % pieces_ * i / pieces_;
    };
    return {begin(k), begin(k + 1)};
  }

  part part_of(int p) const {
    const Space& space = members_.member(p);
    const index_t most = ceil_div<index_t>(rows_.size(p), pieces_);
    const index_t between = members_.size() > 2 ? most : 0;
    const index_t targets = search_.target_count();
    return {keyed_array<Space, T, V>(rows_.size(p), space),
            {keyed_array<Space, T, V>(most, space), keyed_array<Space, T, V>(most, space)},
            keyed_array<Space, T, V>(between, space),
            numbers<word>(extents<1>(targets)),
            numbers<index_t>(extents<1>(targets * candidates)),
            {},
            {}};
  }
  part& of(int p) { return parts_[static_cast<std::size_t>(p)]; }
  line sorted(int p) { return of(p).sorted.line(); }

  std::vector<index_t> part_sizes() const {
    auto sizes = list_for<index_t>(name_, members_.size());
    for (int p = 0; p < members_.size(); ++p) sizes.push_back(rows_.size(p));
    return sizes;
  }
  /// The first rows of all pieces but the first one.
  std::vector<index_t> targets() const {
    auto list = list_for<index_t>(name_, members_.size() * pieces_);
    for (int q = 0; q < members_.size(); ++q)
      for (int k = 0; k < pieces_; ++k)
        if (q + k > 0) list.push_back(piece(q, k).begin);
    return list;
  }

  /// Waits for the members once per byte of a key, or twice on the host.
  void find_splits() {
    while (search_.is_open()) {
      search_.begin_round();
      for_each_member(members_, [&](int p) {
        std::copy(search_.found().begin(), search_.found().end(), of(p).found.data_handle());
        if (order_ == sort_order::ascending) {
          count<sort_order::ascending>(p);
        } else {
          count<sort_order::descending>(p);
        }
      });
      members_.fence();
      search_.end_round([&](index_t p, index_t target, int digit) {
        return parts_[static_cast<std::size_t>(p)]
            .counts.data_handle()[target * candidates + digit - 1];
      });
    }
  }
  template <sort_order Order>
  void count(int p) {
    part& mine = of(p);
    dispatch_for(
        members_.member(p), name_, range(mine.counts.size()),
        count_candidates<Order, T>{sorted(p).keys, rows_.size(p), mine.found.data_handle(),
                                   mine.counts.data_handle(), search_.shift(), candidates});
  }

  /// What piece k of member q gets from member p.
  range run_of(int p, int q, int k) const {
    const index_t piece = index_t{q} * pieces_ + k;
    return {search_.split(p, piece - 1), search_.split(p, piece)};
  }

  /// Where the elements that member p sends for piece k of member q begin among those that arrive.
  index_t arrival_of(int p, int q, int k) const {
    index_t at = 0;
    for (int other = 0; other < p; ++other)
      if (other != q) at += run_of(other, q, k).size();
    return at;
  }

  /// Sends what piece k of the other members needs from member p, to the next one first, so that
  /// no two members send to the same one. All of `sorted` is complete: the host has waited for it.
  void send(int p, int k) {
    const Space& sender = senders_.member(p);
    for (int step = 1; step < members_.size(); ++step) {
      const int q = (p + step) % members_.size();
      const range run = run_of(p, q, k);
      if (run.size() == 0) continue;
      part& other = of(q);
      if (const event& merged = other.merges[k % 2]) sender.wait(*merged);
      copy_run(sender, elements_from(sorted(p), run.begin),
               elements_from(other.arrived[k % 2].line(), arrival_of(p, q, k)), run.size());
    }
    of(p).sent.emplace(sender.record());
  }

  /// Merges piece k of member q.
  void merge_piece(int q, int k, const line& to) {
    const Space& space = members_.member(q);
    part& mine = of(q);
    const line arrived = mine.arrived[k % 2].line();
    runs_.clear();
    for (int p = 0; p < members_.size(); ++p) {
      const range run = run_of(p, q, k);
      if (run.size() == 0) continue;
      runs_.push_back({p == q ? elements_from(sorted(p), run.begin)
                              : elements_from(arrived, arrival_of(p, q, k)),
                       run.size()});
      if (p != q) space.wait(*of(p).sent);
    }
    if (!runs_.empty()) {
      merge_runs_to(space, name_, runs_, mine.merged.line(), arrived, order_,
                    std::optional(elements_from(to, piece(q, k).begin - rows_.begin(q))));
    }
    mine.merges[k % 2].emplace(space.record());
  }

  static void copy_run(const Space& sender, const line& from, const line& to, index_t size) {
    const auto copy = [&]<class E>(const E* source, E* destination) {
      dispatch_copy(sender, make_copy_problem(line_view<Space>(source, size),
                                              line_view<Space>(destination, size)));
    };
    copy(from.keys, to.keys);
    if constexpr (!std::is_void_v<V>) copy(from.values, to.values);
  }

  const char* name_;
  const group<Space>& members_;
  group<Space> senders_;  ///< a second stream for each member
  const cut& rows_;
  sort_order order_;
  int pieces_;
  std::vector<part> parts_;
  search search_;
  std::vector<merge_input<line>> runs_;  ///< of the piece at hand
};

/// Throws unless a sharded array can be an operand of a sort on a group.
template <class Space, class X>
void add_line(common_cut& common, const group<Space>& members, const char* name, const X& x) {
  static_assert(X::rank() == 1, "tandem: sort: operands have one dimension");
  common.add(members, x);
  require(!x.is_replicated(), name, "operands are sharded, not replicated");
}

template <class X>
using part_view = decltype(std::declval<X&>().part(0));

/// Sorts `keys`, with `values` or none, to `keys_out` and `values_out`.
template <class Space, class Keys, class KeysOut, class... Values, class... ValuesOut>
void sort_on_group(const char* name, const group<Space>& members, sort_order order,
                   std::tuple<const Keys&, const Values&...> from,
                   std::tuple<KeysOut&, ValuesOut&...> to) {
  using T = typename Keys::value_type;
  if constexpr (check_keys<Space, part_view<const Keys>, part_view<KeysOut>>() &&
                (check_lines<Space, part_view<const Values>, part_view<ValuesOut>>() && ...)) {
    common_cut common(name);
    const auto& keys = std::get<0>(from);
    const auto require_operand = [&](const auto& x) {
      add_line(common, members, name, x);
      require_same_extents(name, "keys", keys, "an operand", x);
    };
    std::apply([&](const auto&... x) { (require_operand(x), ...); }, from);
    std::apply([&](const auto&... x) { (require_operand(x), ...); }, to);
    if (keys.size() == 0) return;
    using V = std::tuple_element_t<0, std::tuple<typename Values::value_type..., void>>;
    const auto lines_of = [](const auto& operands) {
      return [&operands](int p) {
        return std::apply([&](auto& k, auto&... v) { return line_of_part(k, p, v...); }, operands);
      };
    };
    if (members.size() > 1) {
      group_sort<Space, T, V> sort(name, members, keys.rows(), order);
      sort.run(lines_of(from), lines_of(to));
    } else {
      sort_line<Space, T, V>(members.member(0), lines_of(from)(0), lines_of(to)(0), keys.size(),
                             order);
    }
  }
}

}  // namespace detail

/// Sorts the elements of a sharded array in place, as sort() on one space, and with its result: all
/// elements in order, shared out by the array's cut, whatever the keys.
///
/// @param keys   sharded array of one dimension, of what sort() on one space takes
/// @param order  sort_order::ascending, the default, or sort_order::descending
/// Order         that of sort() on one space; stable
/// Errors        argument_error for an array of other members and for a replicated one;
///               out_of_memory_error, before anything is written; those of sort() on one space,
///               whose largest number of keys applies to each member
/// Complexity    each member sorts its part to scratch, receives as many elements as it has but for
///               those that are there, and merges them in log2(members) passes, rounded up, while
///               the next ones arrive. Scratch of a member: its part once more, and what its sort
///               takes
/// Waits for the members once per byte of a key (on the host: twice), to find out which elements
/// belong to which member; asynchronous from then on.
template <class Space, detail::sharded_operand Keys>
void sort(const group<Space>& members, Keys&& keys, sort_order order = sort_order::ascending) {
  detail::sort_on_group("sort", members, order, std::tie(std::as_const(keys)), std::tie(keys));
}

/// Sorts the elements of the sharded array x into `out` and leaves x unchanged.
///
/// @param x, out  sharded arrays of one cut and equal extent; out may be x
/// @param order   sort_order::ascending or sort_order::descending
/// Errors         those of sort() in place; extent_error when extents or cuts differ
/// Complexity     as for sort() in place
/// Waits for the members, as sort() in place.
template <class Space, detail::sharded_operand X, detail::sharded_operand Out>
void sort(const group<Space>& members, const X& x, Out&& out,
          sort_order order = sort_order::ascending) {
  detail::sort_on_group("sort", members, order, std::tie(x), std::tie(out));
}

/// Sorts the elements of a sharded array in place, as sort() does, and values along with them.
///
/// @param keys    as for sort()
/// @param values  another sharded array of its cut and extent, of trivially copyable elements of
///                any size; values of equal keys keep their order
/// @param order   sort_order::ascending or sort_order::descending
/// Errors         those of sort(); extent_error when extents or cuts differ
/// Complexity     as for sort(), with values in each step
/// Waits for the members, as sort().
template <class Space, detail::sharded_operand Keys, detail::sharded_operand Values>
void sort_by_key(const group<Space>& members, Keys&& keys, Values&& values,
                 sort_order order = sort_order::ascending) {
  detail::sort_on_group("sort_by_key", members, order,
                        std::tie(std::as_const(keys), std::as_const(values)),
                        std::tie(keys, values));
}

/// Sorts sharded keys with their values into keys_out and values_out, and leaves the inputs as they
/// are.
///
/// @param keys, values          as for sort_by_key() in place
/// @param keys_out, values_out  sharded arrays of the inputs' types, cut and extent; each may be
///                              its input
/// @param order                 sort_order::ascending or sort_order::descending
/// Errors, complexity           as for sort_by_key() in place
/// Waits for the members, as sort().
template <class Space, detail::sharded_operand Keys, detail::sharded_operand Values,
          detail::sharded_operand KeysOut, detail::sharded_operand ValuesOut>
void sort_by_key(const group<Space>& members, const Keys& keys, const Values& values,
                 KeysOut&& keys_out, ValuesOut&& values_out,
                 sort_order order = sort_order::ascending) {
  detail::sort_on_group("sort_by_key", members, order, std::tie(keys, values),
                        std::tie(keys_out, values_out));
}

}  // namespace tandem
