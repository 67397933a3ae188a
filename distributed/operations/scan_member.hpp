// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_scan.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/cut/reduction_part.hpp>
#include <tandem/distributed/cut/whole_nodes.hpp>
#include <tandem/distributed/operations/transfers.hpp>

#include <algorithm>
#include <type_traits>

/// What one member of a group does in a scan.
namespace tandem::detail {

/// Scans a part of a whole by the backend's function or the generic one.
template <class Space, class Load, class T, class R>
void scan_tiles_of_part(const Space& space, const char* name,
                        const scan_problem<Load, T, R>& problem, const scan_part<T>& part) {
  if constexpr (uses_hook<Space, hook::scan_part>()) {
    dispatch_scan_part(space, name, problem, part);
  } else {
    generic_scan_part(space, name, problem, part);
  }
}

/// Computes the totals of whole tiles by the backend's function or the generic one.
template <class Space, class Load, class T, class R>
void total_tiles(const Space& space, const char* name, const scan_problem<Load, T, R>& problem,
                 const range& tiles, T* totals) {
  if (tiles.size() == 0) return;
  if constexpr (uses_hook<Space, hook::scan_part>()) {
    dispatch_scan_totals(space, name, problem, tiles, totals);
  } else {
    generic_scan_totals(space, name, problem, tiles, totals);
  }
}

/// The scan of `n` terms of a load functor into y, which has numbers of the whole; `init` is null
/// for an inclusive one.
template <class T, class Load, class R>
auto describe_scan(index_t n, const Load& load, const R& reducer, T* y, index_t y_stride,
                   const T* init) {
  if constexpr (has_initial<R> && !starts_at_initial<Load>) {
    return describe_scan(n, initial_load<Load, T>{load, reducer.empty()}, reducer, y, y_stride,
                         init);
  } else {
    scan_problem<Load, T, R> problem{n, load, reducer, y, y_stride, init != nullptr};
    if (init != nullptr) problem.init = *init;
    return problem;
  }
}

/// Enqueues the scan of a part as an operation, which profilers see and whose errors have its name.
template <class Space, class Enqueue>
void run_scan_of_part(const Space& space, const char* name, const range& terms,
                      const Enqueue& enqueue) {
  run(space,
      call{name, profile_kind::scan, {terms.size()}, operands<>(), no_precondition(), enqueue});
}

/// Stores terms of a scan.
template <class Load, class T>
struct store_scan_terms {
  Load load;
  T* to;

  TANDEM_FUNCTION void operator()(index_t i) const { to[i] = load(i); }
};

/// A member's part of a scan. The tiles that begin and end in the part are scanned in place. A tile
/// that begins in it and ends in a later one is scanned in a buffer: all members that have terms of
/// the tile put them there, and take the results.
template <class Space, class T>
class scan_member {
 public:
  using line = view<T, 1, layout_right, typename Space::memory_type>;

  /// @param own        the member's terms of `n`
  /// @param before     nodes that cover the parts on the left
  /// @param has_later  whether tiles begin in later parts
  scan_member(const Space& space, const reduction_part& own, index_t n, index_t before,
              bool has_later)
      : own_(own),
        split_(own.tail.begin, own.tail.size() == 0
                                   ? own.tail.begin
                                   : std::min(own.tail.begin + canonical::scan_tile, n)),
        tiles_(tiles_of(own)),
        before_(before),
        covering_(has_later || has_split() ? whole_nodes{tiles_}.count() : 0),
        has_later_(has_later),
        found_(space, covering_ > 0 ? tiles_ : range()),
        nodes_(extents<1>(before + covering_ + 1), space),
        left_(extents<1>(2 * scan_part<T>::left_values), space),
        head_(extents<1>(own.head.size()), space),
        split_terms_(extents<1>(split_.size()), space) {}

  range terms() const { return {own_.head.begin, own_.tail.end}; }
  /// The member's terms of a tile that begins in an earlier part, and a buffer for them.
  const range& head() const { return own_.head; }
  line head_terms() { return head_.view(); }
  /// Its terms of a tile that it scans for others, too.
  const range& tail() const { return own_.tail; }
  bool has_split() const { return own_.tail.size() > 0; }
  /// Some terms of that tile.
  line split_terms(const range& terms) {
    return {split_terms_.data_handle() + (terms.begin - split_.begin), extents<1>(terms.size())};
  }

  /// The nodes that later members need: those of the part, behind those of the parts on the left.
  range nodes() const {
    const index_t own = has_later_ ? covering_ + (has_split() ? 1 : 0) : 0;
    return {before_, before_ + own};
  }
  auto node_line(const range& some) { return subview(nodes_.view(), slice{some.begin, some.end}); }
  /// Whether the member scans tiles, and so needs the nodes on their left.
  bool has_tiles() const { return tiles_.size() > 0 || has_split(); }

  /// Puts the member's terms of split tiles into the buffers.
  template <class Problem>
  void store_split_terms(const Space& space, const char* name, const Problem& problem) {
    const auto store = [&](const range& terms, T* to) {
      if (terms.size() == 0) return;
      using store_terms = store_scan_terms<std::remove_const_t<decltype(problem.load)>, T>;
      dispatch_for(space, name, terms, store_terms{problem.load, moved_back(to, terms.begin)});
    };
    store(own_.head, head_.data_handle());
    store(own_.tail, split_terms_.data_handle());
  }

  /// Computes the nodes that cover the part.
  template <class Problem>
  void find_nodes(const Space& space, const char* name, const Problem& problem) {
    const bool gives_split = has_later_ && has_split();
    if (covering_ > 0) total_tiles(space, name, problem, tiles_, found_.totals());
    if (gives_split) {
      const auto split = split_problem(problem);
      total_tiles(space, name, split, range(tiles_.end, tiles_.end + 1), found_.next_total());
    }
    found_.store(space, name, problem.reducer, gives_split, nodes_.data_handle() + before_);
  }

  /// Scans the tiles, given the nodes of the parts on the left.
  template <class Problem>
  void scan(const Space& space, const char* name, Problem problem) {
    using R = std::remove_const_t<decltype(problem.reducer)>;
    T* const left = left_.data_handle();
    const scan_node<T>* const nodes = nodes_.data_handle();
    if (before_ > 0 && has_tiles()) {
      dispatch_for(space, name, range(1),
                   advance_left<T, R>{problem.reducer, 0, nullptr, nodes, before_, left});
    }
    const auto split = split_problem(problem);
    if (tiles_.size() > 0) {
      problem.size = own_.tiles.end;
      scan_tiles_of_part(space, name, problem, scan_part<T>{tiles_.begin, left});
    }
    if (has_split()) {
      T* const behind = left + scan_part<T>::left_values;
      dispatch_for(space, name, range(1),
                   advance_left<T, R>{problem.reducer, tiles_.begin, left, nodes + before_,
                                      covering_, behind});
      scan_tiles_of_part(space, name, split, scan_part<T>{tiles_.end, behind});
    }
  }

 private:
  static range tiles_of(const reduction_part& own) {
    if (own.tiles.size() == 0) {
      const index_t next = own.tail.begin / canonical::scan_tile;
      return {next, next};
    }
    return {own.tiles.begin / canonical::scan_tile,
            ceil_div<index_t>(own.tiles.end, canonical::scan_tile)};
  }

  /// The scan of the split tile in its buffer.
  template <class Load, class R>
  scan_problem<contiguous_load<T, R>, T, R> split_problem(const scan_problem<Load, T, R>& whole) {
    T* const terms = moved_back(split_terms_.data_handle(), split_.begin);
    return {split_.end, {terms, whole.reducer}, whole.reducer, terms,
            1,          whole.exclusive,        whole.init};
  }

  reduction_part own_;
  range split_;  ///< terms of the tile that the member scans for others, too
  range tiles_;
  index_t before_;
  index_t covering_;
  bool has_later_;
  node_list<Space, T> found_;
  array<scan_node<T>, 1, Space> nodes_;
  array<T, 1, Space> left_;  ///< of the tiles, and of the split tile
  array<T, 1, Space> head_;
  array<T, 1, Space> split_terms_;
};

}  // namespace tandem::detail
