// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/sort.hpp>
#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/operations/parallel_reduce.hpp>
#include <tandem/distributed/operations/split_search.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// Memory for keys, and for values unless V is void.
template <class Space, class T, class V>
class keyed_array {
 public:
  keyed_array(index_t size, const Space& space) : keys_(extents<1>(size), space) {
    if constexpr (!std::is_void_v<V>) values_.emplace(extents<1>(size), space);
  }

  keyed_line<T, V> line() {
    if constexpr (std::is_void_v<V>) {
      return {keys_.data_handle()};
    } else {
      return {keys_.data_handle(), values_->data_handle()};
    }
  }

 private:
  using value = std::conditional_t<std::is_void_v<V>, char, V>;
  array<T, 1, Space> keys_;
  std::optional<array<value, 1, Space>> values_;
};

/// The elements from number `first` on.
template <class T, class V>
keyed_line<T, V> elements_from(const keyed_line<T, V>& line, index_t first) {
  if constexpr (std::is_void_v<V>) {
    return {line.keys + first};
  } else {
    return {line.keys + first, line.values + first};
  }
}

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

/// Elements in memory of a space as a view.
template <class Space, class T>
auto line_view(T* data, index_t size) {
  return view<T, 1, layout_right, typename Space::memory_type>(data, extents<1>(size));
}

/// Sorts on one space, to `to`, which may be `from`.
template <class Space, class T, class V>
void sort_line(const Space& space, const keyed_line<T, V>& from, const keyed_line<T, V>& to,
               index_t size, sort_order order) {
  const auto keys = line_view<Space, const T>(from.keys, size);
  if constexpr (std::is_void_v<V>) {
    tandem::sort(space, keys, line_view<Space>(to.keys, size), order);
  } else {
    tandem::sort_by_key(space, keys, line_view<Space, const V>(from.values, size),
                        line_view<Space>(to.keys, size), line_view<Space>(to.values, size), order);
  }
}

/// Merges runs that follow each other in `from`, run i of elements begins[i] to begins[i + 1] - 1:
/// neighbours in each pass, in ceil(log2(runs)) passes between `from` and `spare`. Returns which of
/// the two has the result.
template <class Space, class T, class V>
keyed_line<T, V> merge_neighbours(const Space& space, const char* name, keyed_line<T, V> from,
                                  keyed_line<T, V> spare, const std::vector<index_t>& begins,
                                  sort_order order) {
  const std::size_t runs = begins.size() - 1;
  const auto begin_of = [&](std::size_t run) { return begins[std::min(run, runs)]; };
  for (std::size_t width = 1; width < runs; width *= 2) {
    for (std::size_t run = 0; run < runs; run += 2 * width) {
      const index_t begin = begin_of(run);
      const index_t middle = begin_of(run + width);
      const index_t end = begin_of(run + 2 * width);
      using Input = merge_input<keyed_line<T, V>>;
      merge_sorted(space, name, Input{elements_from(from, begin), middle - begin},
                   Input{elements_from(from, middle), end - middle}, elements_from(spare, begin),
                   order);
    }
    std::swap(from, spare);
  }
  return from;
}

/// Passes of merge_neighbours.
inline int merge_passes(int runs) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(runs, 1) - 1)));
}

/// A sort of elements that are shared out among the members of a group.
template <class Space, class T, class V>
class group_sort {
 public:
  using line = keyed_line<T, V>;
  using word = key_word<sizeof(T)>;

  /// Allocates what all members need. Errors: out_of_memory_error.
  group_sort(const char* name, const group<Space>& members, const cut& rows, sort_order order)
      : name_(name),
        members_(members),
        rows_(rows),
        order_(order),
        spare_(list_for<keyed_array<Space, T, V>>(name, members.size())),
        counters_(list_for<counter>(name, members.size())),
        search_(name, part_sizes(), targets()) {
    for_each_member(members, [&](int p) {
      spare_.emplace_back(members.size() == 1 ? 0 : rows.size(p), members.member(p));
      counters_.push_back({numbers<word>(extents<1>(search_.target_count())),
                           numbers<index_t>(extents<1>(search_.target_count() * candidates))});
    });
  }

  /// Sorts from `from(p)` to `to(p)`, lines of member p. Each merge of neighbours moves all elements
  /// between the output and the spare memory, so the first one starts where the last one ends in the
  /// output.
  template <class From, class To>
  void run(const From& from, const To& to) {
    const bool ends_where_it_began = merge_passes(members_.size()) % 2 == 0;
    const auto spare = [&](int p) { return spare_[static_cast<std::size_t>(p)].line(); };
    const auto sorted = [&](int p) { return ends_where_it_began ? spare(p) : to(p); };
    const auto received = [&](int p) { return ends_where_it_began ? to(p) : spare(p); };
    if (members_.size() == 1) return sort_part(0, from(0), to(0));
    for_each_member(members_, [&](int p) { sort_part(p, from(p), sorted(p)); });
    find_splits(sorted);
    auto begins = list_for<std::vector<index_t>>(name_, members_.size());
    for (int q = 0; q < members_.size(); ++q) begins.push_back(begins_of_runs(q));
    transfers<Space> runs(name_, members_);
    for (int q = 0; q < members_.size(); ++q)
      add_runs(runs, q, sorted, received(q), begins[static_cast<std::size_t>(q)]);
    runs.run();  // nothing below allocates: elements may be in the spare memory alone
    for_each_member(members_, [&](int q) {
      merge_neighbours(members_.member(q), name_, received(q), sorted(q),
                       begins[static_cast<std::size_t>(q)], order_);
    });
  }

 private:
  template <class Number>
  using numbers = array<Number, 1, typename mailbox_space<Space>::type>;
  using search = split_search<word, 4>;
  static constexpr int candidates = search::candidates;

  /// What a member and the host tell each other.
  struct counter {
    numbers<word> found;
    numbers<index_t> counts;
  };

  std::vector<index_t> part_sizes() const {
    auto sizes = list_for<index_t>(name_, members_.size());
    for (int p = 0; p < members_.size(); ++p) sizes.push_back(rows_.size(p));
    return sizes;
  }
  std::vector<index_t> targets() const {
    auto list = list_for<index_t>(name_, members_.size() - 1);
    for (int p = 1; p < members_.size(); ++p) list.push_back(rows_.begin(p));
    return list;
  }

  void sort_part(int p, const line& from, const line& to) {
    if (rows_.size(p) > 0) sort_line(members_.member(p), from, to, rows_.size(p), order_);
  }

  /// Waits for the members once for every four bits of a key.
  template <class Sorted>
  void find_splits(const Sorted& sorted) {
    while (search_.is_open()) {
      search_.begin_round();
      for_each_member(members_, [&](int p) {
        counter& of = counters_[static_cast<std::size_t>(p)];
        std::copy(search_.found().begin(), search_.found().end(), of.found.data_handle());
        if (order_ == sort_order::ascending) {
          count<sort_order::ascending>(p, sorted(p).keys, of);
        } else {
          count<sort_order::descending>(p, sorted(p).keys, of);
        }
      });
      members_.fence();
      search_.end_round([&](index_t p, index_t target, int digit) {
        return counters_[static_cast<std::size_t>(p)]
            .counts.data_handle()[target * candidates + digit - 1];
      });
    }
  }
  template <sort_order Order>
  void count(int p, const T* keys, counter& of) {
    dispatch_for(members_.member(p), name_, range(of.counts.size()),
                 count_candidates<Order, T>{keys, rows_.size(p), of.found.data_handle(),
                                            of.counts.data_handle(), search_.shift(), candidates});
  }

  /// What member q gets from member p.
  range run_of(int p, int q) const { return {search_.split(p, q - 1), search_.split(p, q)}; }

  std::vector<index_t> begins_of_runs(int q) const {
    auto begins = list_for<index_t>(name_, members_.size() + 1);
    begins.push_back(0);
    for (int p = 0; p < members_.size(); ++p) begins.push_back(begins.back() + run_of(p, q).size());
    return begins;
  }

  /// Adds the copies that bring member q its run of every member. No two members begin with the same
  /// one.
  template <class Sorted>
  void add_runs(transfers<Space>& runs, int q, const Sorted& sorted, const line& received,
                const std::vector<index_t>& begins) const {
    for (int turn = 0; turn < members_.size(); ++turn) {
      const int p = (q + turn) % members_.size();
      const range run = run_of(p, q);
      if (run.size() == 0) continue;
      const auto add = [&]<class E>(const E* from, E* to) {
        runs.add(p, q,
                 make_copy_problem(line_view<Space>(from, run.size()),
                                   line_view<Space>(to, run.size())));
      };
      const line from = elements_from(sorted(p), run.begin);
      const line to = elements_from(received, begins[static_cast<std::size_t>(p)]);
      add(from.keys, to.keys);
      if constexpr (!std::is_void_v<V>) add(from.values, to.values);
    }
  }

  const char* name_;
  const group<Space>& members_;
  const cut& rows_;
  sort_order order_;
  std::vector<keyed_array<Space, T, V>> spare_;
  std::vector<counter> counters_;
  search search_;
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
    group_sort<Space, T, V> sort(name, members, keys.rows(), order);
    const auto lines_of = [](const auto& operands) {
      return [&operands](int p) {
        return std::apply([&](auto& k, auto&... v) { return line_of_part(k, p, v...); }, operands);
      };
    };
    fence_on_error(members, [&] { sort.run(lines_of(from), lines_of(to)); });
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
///               out_of_memory_error: keys then has its elements, of each member in another order;
///               those of sort() on one space, whose largest number of keys applies to each member
/// Complexity    each member sorts its part, receives as many elements as it has and merges them in
///               log2(members) passes, rounded up. Scratch of a member: its part once more, and what
///               its sort takes
/// Waits for the members 2 times per byte of a key, to find out which elements belong to which
/// member; asynchronous from then on.
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
/// @param values  another sharded array of its cut and extent, of trivially copyable elements of any
///                size; values of equal keys keep their order
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
/// @param keys_out, values_out  sharded arrays of the inputs' types, cut and extent; each may be its
///                              input
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
