// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_reduce_axis.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/operations/numbered_terms.hpp>
#include <tandem/distributed/operations/transfers.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// Reductions over the rows that members share out.
namespace tandem::detail {

/// Two rows of accumulators, of which the left one becomes the combination of both.
struct row_join {
  index_t left;
  index_t right;
};

/// A reducer of the numbers of rows that lists what it is told to combine.
struct join_recorder {
  using accumulator = index_t;
  using result = index_t;
  static constexpr bool commutative = true;

  std::vector<row_join>* joins;

  index_t combine(index_t a, index_t b) const {
    joins->push_back({a, b});
    return a;
  }
  index_t identity() const { return 0; }
  index_t finish(index_t a) const { return a; }
  index_t empty() const { return 0; }
};

/// Combines rows of accumulators, column by column.
template <class R>
struct join_rows {
  using accumulator = typename R::accumulator;
  static constexpr int most = 64;  // 1 KiB of a kernel's 4 KiB of parameters

  R reducer;
  accumulator* rows;
  index_t columns;
  int count;
  row_join joins[most];

  TANDEM_FUNCTION void operator()(index_t column) const {
    for (int j = 0; j < count; ++j) {
      accumulator& left = rows[joins[j].left * columns + column];
      left = reducer.combine(left, rows[joins[j].right * columns + column]);
    }
  }
};

/// Stores the results of a row of accumulators.
template <class R>
struct finish_row {
  R reducer;
  const typename R::accumulator* row;
  typename R::result* out;

  TANDEM_FUNCTION void operator()(index_t column) const {
    out[column] = reducer.finish(row[column]);
  }
};

/// Sums over the rows of a sharded matrix, and other reductions. A member reduces its whole tiles,
/// one row of accumulators per subtree (docs/numerics.md). Then each member combines a slice of the
/// columns: it receives that slice of all accumulators, and of the rows of the tiles that cuts
/// split.
template <class Space, class T, class R>
class column_reduction {
 public:
  using accumulator = typename R::accumulator;
  using result = typename R::result;

  column_reduction(const group<Space>& members, index_t rows, index_t columns, const R& reducer)
      : members_(members),
        rows_(rows),
        columns_(columns),
        reducer_(reducer),
        slices_(slices_of(columns, members.size())),
        senders_(list_for<sender>(name, members.size())),
        receivers_(list_for<receiver>(name, members.size())) {}

  /// Where the columns are cut.
  const cut& slices() const { return slices_; }

  /// Enqueues all of it. Member p has the rows rows_of(p), which begin at data_of(p), and
  /// out_of(p) is memory for the results of its slice.
  template <class RowsOf, class DataOf, class OutOf>
  void run(const RowsOf& rows_of, const DataOf& data_of, const OutOf& out_of) {
    for_each_member(members_, [&](int p) { send(p, rows_of(p), data_of(p)); });
    list_joins();
    transfers<Space> copies(name, members_);
    for_each_member(members_, [&](int q) { receive(q, copies); });
    copies.run();
    for_each_member(members_, [&](int q) { combine(q, out_of(q)); });
  }

 private:
  static constexpr const char* name = "parallel_reduce_into";
  static constexpr index_t tile = partial<R>::tile;
  using totals_type = decltype(totals<R>::of(std::declval<const R&>()));

  /// What a member has found, and the rows of split tiles, one slice of the columns after another.
  struct sender {
    reduction_part part;
    index_t first_split;  ///< number of its first row among those of split tiles
    index_t subtrees;
    array<accumulator, 2, Space> totals;
    array<T, 1, Space> split;
  };
  /// A member's slice of them.
  struct receiver {
    array<T, 2, Space> split;
    array<accumulator, 2, Space> items;
  };

  template <class U>
  using line = view<U, 1, layout_right, typename Space::memory_type>;
  template <class U>
  using matrix = view<U, 2, layout_right, typename Space::memory_type>;

  /// Slices of nearly the same size, at multiples of 64 columns.
  static cut slices_of(index_t columns, int parts) {
    constexpr index_t step = 64;
    const cut steps = cut::even(ceil_div(columns, step), parts, step);
    auto sizes = list_for<index_t>(name, parts);
    for (int p = 0; p < parts; ++p) {
      const auto column = [&](index_t of) { return std::min(of * step, columns); };
      sizes.push_back(column(steps.end(p)) - column(steps.begin(p)));
    }
    return cut::of(sizes);
  }

  /// Calls on_tile(begin, end) for each split tile, of rows of split tiles, and
  /// on_subtree(p, number, level) for each subtree of a member, in the order of the whole.
  template <class OnTile, class OnSubtree>
  void for_each_item(const OnTile& on_tile, const OnSubtree& on_subtree) const {
    index_t begin = 0;
    index_t end = 0;
    for (int p = 0; p < members_.size(); ++p) {
      const reduction_part& part = of(senders_, p).part;
      end += part.head.size();
      if (end > begin && (part.head.end % tile == 0 || part.head.end == rows_))
        on_tile(std::exchange(begin, end), end);
      index_t number = 0;
      for_each_subtree(part.tiles, tile,
                       [&](int level, index_t, index_t) { on_subtree(p, number++, level); });
      end += part.tail.size();
    }
  }

  template <class List>
  static auto& of(List& list, int p) {
    return list[static_cast<std::size_t>(p)];
  }

  /// Reduces rows to one row of accumulators.
  void reduce(const Space& space, const T* data, index_t first, index_t count, index_t columns,
              accumulator* to) const {
    parallel_reduce_into(space, matrix<const T>(data, extents<2>(count, columns)), axis{0},
                         numbered_from(first, totals<R>::of(reducer_)),
                         line<accumulator>(to, extents<1>(columns)));
  }

  /// Reduces a member's whole tiles, and lays out the rows of split ones for the receivers.
  void send(int p, const range& rows, const T* data) {
    const Space& space = members_.member(p);
    sender one{reduction_part::of(rows, rows_, tile), split_rows_, 0, {}, {}};
    for_each_subtree(one.part.tiles, tile, [&](int, index_t, index_t) { ++one.subtrees; });
    const index_t split = one.part.split_terms();
    one.totals = array<accumulator, 2, Space>(extents<2>(one.subtrees, columns_), space);
    one.split = array<T, 1, Space>(extents<1>(split * columns_), space);
    senders_.push_back(std::move(one));
    split_rows_ += split;
    items_ += senders_.back().subtrees;
    accumulator* to = senders_.back().totals.data_handle();
    for_each_subtree(senders_.back().part.tiles, tile, [&](int, index_t begin, index_t end) {
      reduce(space, data + (begin - rows.begin) * columns_, begin, end - begin, columns_, to);
      to += columns_;
    });
    for (int q = 0; q < members_.size() && split > 0; ++q) pack(p, q, rows, data);
  }

  /// Lays out the rows of p's split tiles for q.
  void pack(int p, int q, const range& rows, const T* data) {
    const index_t first = slices_.begin(q);
    const index_t width = slices_.size(q);
    if (width == 0) return;
    const reduction_part& part = of(senders_, p).part;
    T* to = block(p, q);
    const auto copy_rows = [&](const range& which) {
      if (which.size() == 0) return;
      const matrix<const T> from(data + (which.begin - rows.begin) * columns_,
                                 extents<2>(which.size(), columns_));
      copy(members_.member(p), subview(from, all, slice{first, first + width}),
           matrix<T>(to, extents<2>(which.size(), width)));
      to += which.size() * width;
    };
    copy_rows(part.head);
    copy_rows(part.tail);
  }

  /// The rows of p's split tiles that q receives.
  T* block(int p, int q) {
    sender& from = of(senders_, p);
    return from.split.data_handle() + from.part.split_terms() * slices_.begin(q);
  }

  /// Lists the combinations of the reduction tree.
  void list_joins() {
    for_each_item([&](index_t, index_t) { ++items_; }, [](int, index_t, int) {});
    joins_ = list_for<row_join>(name, static_cast<int>(items_));
    partial<join_recorder> tree(join_recorder{&joins_});
    index_t row = 0;
    const auto append = [&](int level) {
      tree.append(level, partial<join_recorder>::tile << level, row++);
    };
    for_each_item([&](index_t, index_t) { append(0); },
                  [&](int, index_t, int level) { append(level); });
    (void)tree.finish();
  }

  /// Adds the copies of the slice of q.
  void receive(int q, transfers<Space>& copies) {
    const Space& space = members_.member(q);
    const index_t width = slices_.size(q);
    const extents<2> split(width == 0 ? 0 : split_rows_, width);
    receivers_.push_back(
        {array<T, 2, Space>(split, space),
         array<accumulator, 2, Space>(extents<2>(width == 0 ? 0 : items_, width), space)});
    if (width == 0) return;
    receiver& to = receivers_.back();
    const auto add = [&]<class U>(int p, const U* source, U* destination, index_t count) {
      if (count == 0) return;
      copies.add(p, q,
                 make_copy_problem(line<const U>(source, extents<1>(count)),
                                   line<U>(destination, extents<1>(count))));
    };
    for (int p = 0; p < members_.size(); ++p) {
      const sender& from = of(senders_, p);
      add(p, block(p, q), to.split.data_handle() + from.first_split * width,
          from.part.split_terms() * width);
    }
    index_t row = 0;
    for_each_item([&](index_t, index_t) { ++row; },
                  [&](int p, index_t number, int) {
                    add(p,
                        of(senders_, p).totals.data_handle() + number * columns_ + slices_.begin(q),
                        to.items.data_handle() + row++ * width, width);
                  });
  }

  /// Reduces split tiles, and combines all items to the results of the slice of q.
  void combine(int q, result* out) {
    const Space& space = members_.member(q);
    const index_t width = slices_.size(q);
    if (width == 0) return;
    receiver& mine = of(receivers_, q);
    accumulator* const items = mine.items.data_handle();
    index_t row = 0;
    index_t term = 0;  // the first one of the next item
    for_each_item(
        [&](index_t begin, index_t end) {
          reduce(space, mine.split.data_handle() + begin * width, term, end - begin, width,
                 items + row++ * width);
          term += end - begin;
        },
        [&](int, index_t, int level) {
          ++row;
          term += tile << level;
        });
    const auto next = [&](std::size_t done) {
      join_rows<R> step{reducer_, items, width, 0, {}};
      for (; step.count < join_rows<R>::most && done < joins_.size(); ++done)
        step.joins[step.count++] = joins_[done];
      return step;
    };
    for (std::size_t done = 0; done < joins_.size(); done += join_rows<R>::most)
      dispatch_for(space, name, range(width), next(done));
    dispatch_for(space, name, range(width), finish_row<R>{reducer_, items, out});
  }

  const group<Space>& members_;
  index_t rows_;
  index_t columns_;
  R reducer_;
  cut slices_;
  std::vector<sender> senders_;
  std::vector<receiver> receivers_;
  std::vector<row_join> joins_;
  index_t split_rows_ = 0;
  index_t items_ = 0;
};

}  // namespace tandem::detail
