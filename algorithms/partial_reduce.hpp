// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_reduce.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

/// A reduction of the terms begin() to end() - 1 of a larger whole. combine() joins it with its
/// neighbours, and finish() turns it into a result that has the bits of parallel_reduce over the
/// whole, however the whole was split.
///
/// It holds the largest complete subtrees of the reduction tree (docs/numerics.md) that lie within
/// the part: one accumulator for one tile, and at most 2 log2(m) for m tiles. It is a value: copy
/// it, keep it while more terms arrive, or send it to another process, accumulator by accumulator.
/// Copying it and appending to it throw out_of_memory_error if the subtrees cannot be allocated;
/// nothing changes then.
template <reducer R>
class partial {
 public:
  using reducer_type = R;
  using accumulator = typename R::accumulator;

  /// Terms per tile. Every part begins at a multiple of it.
  static constexpr index_t tile = R::commutative ? canonical::tile<R> : canonical::segment;

  /// Combines tiles `first` to first + 2^level - 1; tiles behind the last term are left out.
  struct subtree {
    index_t first;
    int level;
    accumulator total;
  };

  /// Creates a part without terms that begins at `begin`, a multiple of the tile. partial_reduce
  /// makes parts with terms.
  /// Errors: argument_error if `begin` is not a multiple of the tile.
  explicit partial(const R& reducer, index_t begin = 0)
      : reducer_(reducer), begin_(begin), end_(begin) {
    if (begin < 0 || begin % tile != 0) {
      throw argument_error(detail::message(
          {"partial_reduce: offset (", begin, ") is not a multiple of the tile (", tile, ")"}));
    }
  }

  /// Copies the subtrees; a move transfers them.
  ///
  /// Complexity  O(log n) for n terms if it copies
  partial(const partial& other)
      : reducer_(other.reducer_),
        begin_(other.begin_),
        end_(other.end_),
        subtrees_(copied(other.subtrees_)) {}
  partial(partial&&) noexcept = default;
  partial& operator=(const partial& other)
    requires(std::is_move_assignable_v<R>)
  {
    *this = partial(other);
    return *this;
  }
  partial& operator=(partial&&) noexcept = default;
  ~partial() = default;

  index_t begin() const { return begin_; }
  index_t end() const { return end_; }
  const std::vector<subtree>& subtrees() const { return subtrees_; }

  /// Appends the next 2^level tiles, which have `terms` terms and combine to `total`. For callers
  /// that compute subtrees themselves.
  ///
  /// Complexity  at most one combination per level of the tree, O(log n) for n terms
  void append(int level, index_t terms, const accumulator& total) {
    make_room("partial_reduce", 1);
    push({end_ / tile, level, total});
    end_ += terms;
  }

  /// Appends the part that begins at the end of this one.
  /// Errors: argument_error, naming both numbers, if it begins elsewhere; nothing changes then.
  ///
  /// Complexity  O(log n) combinations for n terms of both
  void append(const partial& next) {
    if (next.begin_ != end_) {
      throw argument_error(detail::message({"combine: the second part begins at ", next.begin_,
                                            ", not where the first one ends (", end_, ")"}));
    }
    make_room("combine", next.subtrees_.size());
    for (const subtree& one : next.subtrees_) push(one);
    end_ = next.end_;
  }

  /// Returns the result. Errors: argument_error if the part does not begin at 0.
  ///
  /// Complexity  one combination per subtree, O(log n) for n terms
  typename R::result finish() const {
    if (begin_ != 0) {
      throw argument_error(detail::message({"finish: the part begins at ", begin_, ", not at 0"}));
    }
    if (subtrees_.empty()) return reducer_.empty();
    accumulator total = subtrees_.back().total;
    for (auto one = subtrees_.rbegin() + 1; one != subtrees_.rend(); ++one)
      total = reducer_.combine(one->total, total);
    return reducer_.finish(total);
  }

 private:
  static std::vector<subtree> copied(const std::vector<subtree>& from) {
    try {
      return from;
    } catch (const std::bad_alloc&) {
      detail::fail_host_memory("partial", from.size() * sizeof(subtree));
    }
  }

  /// Reserves memory for `more` subtrees.
  void make_room(const char* operation, std::size_t more) {
    const std::size_t count = subtrees_.size() + more;
    if (count <= subtrees_.capacity()) return;
    try {
      subtrees_.reserve(count);
    } catch (const std::bad_alloc&) {
      detail::fail_host_memory(operation, count * sizeof(subtree));
    }
  }

  /// Adds a subtree on the right and merges it with its sibling as long as there is one.
  void push(subtree last) {
    while (!subtrees_.empty()) {
      const subtree& before = subtrees_.back();
      const bool is_left_child = (before.first >> before.level) % 2 == 0;
      if (before.level != last.level || !is_left_child) break;
      last = {before.first, last.level + 1, reducer_.combine(before.total, last.total)};
      subtrees_.pop_back();
    }
    subtrees_.push_back(last);
  }

  R reducer_;
  index_t begin_;
  index_t end_;
  std::vector<subtree> subtrees_;
};

namespace detail {

/// Loads element i of a whole from a view that holds the elements from `offset` on.
template <class View>
struct part_element {
  View x;
  index_t offset;

  TANDEM_FUNCTION typename View::value_type operator()(index_t i) const { return x(i - offset); }
};

/// Calls f(level, begin, end) for the largest subtrees of the reduction tree within terms that
/// begin at a multiple of the tile, in order: 2^level tiles of the terms begin to end - 1, of which
/// the last one may be short.
template <class Function>
void for_each_subtree(const range& terms, index_t tile, const Function& f) {
  if (terms.size() == 0) return;
  const index_t tiles_end = (terms.end - 1) / tile + 1;
  for (index_t first = terms.begin / tile; first < tiles_end;) {
    int level = 0;
    const auto fits = [&](int next) {
      const index_t tiles = index_t{1} << next;
      return first % tiles == 0 && tiles <= tiles_end - first;
    };
    while (fits(level + 1)) ++level;
    const index_t begin = first * tile;
    first += index_t{1} << level;
    f(level, begin, first < tiles_end ? first * tile : terms.end);
  }
}

/// Reduces terms one subtree of the reduction tree at a time.
template <class Space, class Function, class R>
partial<R> reduce_subtrees(const Space& space, const range& terms, const Function& f,
                           const R& reducer) {
  using Load = function_load<Function, loop_index<Function>, R>;
  partial<R> part(reducer, terms.begin);
  for_each_subtree(terms, partial<R>::tile, [&](int level, index_t begin, index_t end) {
    part.append(
        level, end - begin,
        dispatch_reduce(space, "partial_reduce", end - begin, Load{f, reducer, begin}, reducer));
  });
  return part;
}

/// The reduction of a part as run() dispatches it: without terms, directly, or checked.
template <class Space, class Function, class R>
struct partial_terms {
  const Space& space;
  const range& terms;
  const Function& f;
  const R& reducer;

  partial<R> nothing() const { return partial<R>(reducer, terms.begin); }
  partial<R> operator()() const {
    return reduce_subtrees(space, terms, place_terms<Space, 1>("partial_reduce", f), reducer);
  }
  partial<R> checked() const {
    const auto reduce = [&]<class Stored>(const Stored& stored) {
      const function_load<Stored, loop_index<Stored>, R> load{stored, reducer, terms.begin};
      judge_combine(space, "partial_reduce", terms.size(), load, reducer);
      return reduce_subtrees(space, terms, stored, reducer);
    };
    return with_checked_terms(std::type_identity<term_type<Function, range>>(), "partial_reduce",
                              terms, f, reduce);
  }
};

/// Reduces the terms begin to end - 1 of a whole.
template <class Space, class Function, class R, class Operands = operands<>>
auto reduce_part(const Space& space, const range& terms, const Function& f, const R& reducer,
                 const Operands& with = Operands()) {
  static_assert(
      compiles_loops<Space>,
      "tandem: reductions of this backend over lambdas need this file compiled by its own "
      "compiler (tandem_add_sources in CMake does so)");
  if constexpr (check_kernel<Function, Space>() && check_reducer<R, Space>()) {
    const auto check = [&] {
      require_indices_of<Function>("partial_reduce", terms);
      return terms.size() > 0;
    };
    return run(space, call{"partial_reduce",
                           profile_kind::reduction,
                           {terms.size()},
                           with,
                           check,
                           partial_terms<Space, Function, R>{space, terms, f, reducer}});
  }
}

}  // namespace detail

/// Reduces the elements of x, which are a part of a larger whole and begin at its element `offset`.
///
///   const auto p = partial_reduce(space, x.view(), 0, sum<float>{});
///   const auto q = partial_reduce(other_space, y.view(), x.size(), sum<float>{});
///   const float total = finish(combine(p, q));    // the bits of one parallel_reduce over both
///
/// x           rank-1 operand of any stride in memory of the space
/// offset      a multiple of partial<R>::tile, where R is the typed reducer: 2048 for commutative
///             accumulators of up to 4 bytes, 1024 for 8 bytes, 512 for larger ones, 16 for all
///             others. The size of every part but the last is a multiple of it too
/// reducer     as for parallel_reduce; one with positions reports the index in the whole
/// Errors      argument_error if offset is not such a multiple, or if x has no memory or memory
///             that the space cannot access; out_of_memory_error for scratch; device_error
/// Complexity  reads x once, in at most 2 log2(m) successive reductions for m tiles, one per
///             subtree: prefer long parts. Scratch as for parallel_reduce
/// Blocks until the part is available.
template <execution_space Space, viewable X, reducer_or_deduced Reducer>
auto partial_reduce(const Space& space, X&& x, index_t offset, const Reducer& reducer) {
  const auto part = detail::read_only(as_view(std::forward<X>(x)));
  using View = std::remove_const_t<decltype(part)>;
  static_assert(View::rank() == 1, "tandem: partial_reduce: x has one dimension");
  static_assert(detail::reaches<Space, View>,
                "tandem: partial_reduce: the space cannot reach the memory of x");
  return detail::reduce_part(
      space, range{offset, offset + part.size()}, detail::part_element<View>{part, offset},
      detail::checked_reducer_for<typename View::value_type>(reducer), detail::input{"x", part});
}

/// Reduces the terms f(i) of a part of the indices of a whole range{0, n}.
///
/// @param terms    range{begin, end}; begin is a multiple of partial<R>::tile
/// @param f        f(i) returns its term by value, as for parallel_reduce
/// @param reducer  as for parallel_reduce; one with positions reports the index
/// Errors          argument_error if begin is not such a multiple; extent_error if the range ends
///                 before it begins or an index does not fit f's parameter; out_of_memory_error for
///                 scratch; device_error
/// Complexity      one call of f per index; otherwise as for a part of an operand
template <execution_space Space, class Function, reducer_or_deduced Reducer>
auto partial_reduce(const Space& space, const range& terms, const Function& f,
                    const Reducer& reducer) {
  return detail::reduce_part(space, terms, f, detail::reducer_of_terms<Function, range>(reducer));
}

/// Joins two neighbouring parts p and q. Parts combine in any grouping.
///
/// @param p, q  parts of one whole by one reducer; q begins at the end of p
/// Errors       argument_error, naming both numbers, if q begins elsewhere; out_of_memory_error
/// Complexity   copies the subtrees of both, O(log n) for n terms, and combines as many
template <reducer R>
partial<R> combine(partial<R> p, const partial<R>& q) {
  p.append(q);
  return p;
}

/// Returns the result of a part that covers the whole; without terms, the reducer's result for
/// none.
///
/// @param p    a part that begins at 0
/// Errors      argument_error if p begins elsewhere
/// Complexity  O(log n) combinations for n terms
template <reducer R>
typename R::result finish(const partial<R>& p) {
  return p.finish();
}

}  // namespace tandem
