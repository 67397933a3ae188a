// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_for.hpp>
#include <tandem/distributed/group/sharded.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

/// The operands and indices of an operation on a group, and what each member gets of them.
namespace tandem::detail {

/// Throws argument_error unless the array was made for as many members as the group has.
template <class Space, class X>
void require_members(const char* operation, const group<Space>& members, const X& x) {
  static_assert(std::is_same_v<typename X::space_type, group<Space>>,
                "tandem: the array belongs to a group of another space");
  if (x.members() != members.size()) {
    throw argument_error(message(
        {operation, ": an array has parts of ", x.members(), " members, and the group ",
         members.size(), x.members() > 0 ? "" : ": it was moved from, or made without one"}));
  }
}

/// Throws argument_error if two operands are one array. What they are is the message's end.
template <class A, class B>
void require_two_arrays(const char* operation, const char* what, const A& a, const B& b) {
  require(static_cast<const void*>(&a) != static_cast<const void*>(&b), operation, what);
}

template <class Result>
struct view_of_result {
  using type = as_view_t<Result>;
};
template <sharded_operand Result>
struct view_of_result<Result> {
  using type = typename std::remove_cvref_t<Result>::view_type;
};
/// The view of an operand that an operation writes: of a sharded array, that of a part.
template <class Result>
using result_view = typename view_of_result<Result>::type;

/// The cut that the arguments of an operation have in common, and whether there is one.
class common_cut {
 public:
  explicit common_cut(const char* operation) : operation_(operation) {}

  template <class Space, class Argument>
  void add(const group<Space>& members, const Argument& argument) {
    if constexpr (sharded_operand<Argument>) {
      require_members(operation_, members, argument);
      if (argument.is_replicated()) return;
      if (rows_ == nullptr) rows_ = &argument.rows();
      if (!(*rows_ == argument.rows())) {
        throw extent_error(
            message({operation_, ": arrays are cut at rows ", rows_->text(), " and ",
                     argument.rows().text(), ": make both with the rows() of one, or copy()"}));
      }
    } else {
      static_assert(!viewable<Argument>,
                    "tandem: operands of an operation on a group are sharded or replicated arrays "
                    "(tandem::sharded) and values");
    }
  }

  /// Null if no argument is cut.
  const cut* rows() const { return rows_; }

 private:
  const char* operation_;
  const cut* rows_ = nullptr;
};

/// The argument as member p gets it: the whole's view of a sharded array, anything else itself.
template <class Argument>
decltype(auto) argument_of(Argument& argument, int p) {
  if constexpr (sharded_operand<Argument>) {
    return argument.whole(p);
  } else {
    return (argument);
  }
}

/// The rows of x that member p owns; all of them if it is replicated.
template <class X>
range own_rows(const X& x, int p) {
  if (x.is_replicated()) return range(x.extent(0));
  return {x.rows().begin(p), x.rows().end(p)};
}

/// The rows of x that member p reduces: those that it owns, and for the first one all rows of a
/// replicated array.
template <class X>
range reduced_rows(const X& x, int p) {
  return x.is_replicated() && p > 0 ? range(x.extent(0), x.extent(0)) : own_rows(x, p);
}

/// The first index along dimension 0, and the one behind the last.
template <class Indices>
range rows_of(const Indices& indices) {
  if constexpr (std::integral<Indices>) {
    return range(0, static_cast<index_t>(indices));
  } else if constexpr (Indices::rank == 1) {
    return range(indices.begin, indices.end);
  } else if constexpr (requires { indices.counted; }) {
    return range(indices.begin[0], indices.begin[0] + indices.counted.sizes[0]);
  } else {
    return range(0, indices.sizes[0]);
  }
}

/// A grid with the rows `rows` of another one, and its launch shape.
template <int Rank, bool FromZero>
grid<Rank, false> with_rows(const grid<Rank, FromZero>& indices, const range& rows) {
  const auto along = [&](int d) {
    range one(0, 0);
    if constexpr (FromZero) {
      one = range(0, indices.sizes[d]).with_block(indices.block[d]);
    } else {
      one = range(indices.begin[d], indices.begin[d] + indices.counted.sizes[d])
                .with_block(indices.counted.block[d]);
    }
    if (d == 0) {
      one.begin = rows.begin;
      one.end = rows.end;
    }
    return one;
  };
  if constexpr (Rank == 2) return {along(0), along(1)};
  if constexpr (Rank == 3) return {along(0), along(1), along(2)};
}
template <int Rank, index_t Threads, bool FromZero>
block_grid<Rank, Threads, false> with_rows(const block_grid<Rank, Threads, FromZero>& indices,
                                           const range& rows) {
  return {with_rows(static_cast<const grid<Rank, FromZero>&>(indices), rows)};
}
template <std::integral Number>
range with_rows(Number, const range& rows) {
  return rows;
}
template <std::derived_from<range> Range>
Range with_rows(Range indices, const range& rows) {
  indices.begin = rows.begin;
  indices.end = rows.end;
  return indices;
}
template <class Indices>
auto with_rows(const scalar_indices<Indices>& indices, const range& rows) {
  const auto part = with_rows(static_cast<const Indices&>(indices), rows);
  return scalar_indices<std::remove_const_t<decltype(part)>>{part};
}

/// How the rows of a call's indices are shared out: by the cut of its arguments, which must hold
/// all of them, or evenly if no argument is cut.
class shared_rows {
 public:
  template <class Space, class Indices, class... Argument>
  shared_rows(const char* operation, const group<Space>& members, const Indices& indices,
              const Argument&... arguments)
      : rows_(rows_of(indices)) {
    common_cut common(operation);
    (common.add(members, arguments), ...);
    cut_ = common.rows();
    if (cut_ == nullptr) {
      first_ = rows_.begin;
      even_ = cut::even(rows_.size(), members.size());
      cut_ = &even_;
      return;
    }
    if (rows_.size() == 0) return;
    if (rows_.begin < 0) fail_extents(operation, "first index", rows_.begin, "<", "first row", 0);
    if (rows_.end > cut_->rows())
      fail_extents(operation, "last index", rows_.end - 1, ">=", "rows of the sharded arguments",
                   cut_->rows());
  }

  shared_rows(const shared_rows&) = delete;
  shared_rows& operator=(const shared_rows&) = delete;

  /// The rows of member p.
  range of_member(int p) const {
    const index_t begin = std::max(rows_.begin, first_ + cut_->begin(p));
    return {begin, std::max(begin, std::min(rows_.end, first_ + cut_->end(p)))};
  }

 private:
  range rows_;
  index_t first_ = 0;  ///< row 0 of the cut
  const cut* cut_;
  cut even_;
};

}  // namespace tandem::detail
