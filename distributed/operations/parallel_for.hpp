// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/copy.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// An array whose halo a loop exchanges, and then reads.
template <class X>
struct exchanged_array {
  X& array;
};
template <class T>
inline constexpr bool is_exchanged = false;
template <class X>
inline constexpr bool is_exchanged<exchanged_array<X>> = true;

/// The operand that an argument stands for.
template <class Argument>
decltype(auto) operand_of(Argument& argument) {
  if constexpr (is_exchanged<std::remove_const_t<Argument>>) {
    return std::as_const(argument.array);
  } else {
    return (argument);
  }
}

/// Copies between the members on streams beside theirs: of the halos of all exchanged arguments.
template <class Space, class... Argument>
class halo_exchange {
 public:
  halo_exchange(const char* operation, const group<Space>& members, const Argument&... arguments)
      : copiers_(streams_beside(operation, members)), copies_(operation, copiers_) {
    (add(arguments), ...);
  }

  /// Of the rows `own` of a loop on member p, those from which a halo does not reach other members.
  range inner_rows(int p, const range& own) const {
    if (rows_ == nullptr) return own;
    const bool is_first = rows_->begin(p) == 0;
    const bool is_last = rows_->end(p) == rows_->rows();
    const index_t begin = is_first ? own.begin : std::max(own.begin, rows_->begin(p) + reach_);
    const index_t end = is_last ? own.end : std::min(own.end, rows_->end(p) - reach_);
    return begin < end ? range(begin, end) : range(own.begin, own.begin);
  }

  /// Calls inner(members) after the copies have started, and border() with streams behind the
  /// copies, so that a border need not wait for the inner rows.
  template <class Inner, class Border>
  void run(const group<Space>& members, const Inner& inner, const Border& border) {
    fence_on_error(copiers_, [&] {
      copies_.run();
      inner(members);
      border(copiers_.named(members.member(0).label()));
      wait_each(members, copiers_.record());
    });
  }

 private:
  template <class T>
  void add(const T& argument) {
    if constexpr (is_exchanged<T>) {
      if (argument.array.is_replicated()) return;
      add_halos(copies_, argument.array);
      rows_ = &argument.array.rows();
      reach_ = std::max(reach_, argument.array.halo_rows());
    }
  }

  group<Space> copiers_;
  transfers<Space> copies_;
  const cut* rows_ = nullptr;
  index_t reach_ = 0;
};

}  // namespace detail

/// Says that a loop first sets the halo of x as exchange() does, and then reads x:
///
///   tandem::parallel_for(gpus, tandem::grid{{1, ny - 1}, {1, nx - 1}}, heat{},
///                        tandem::exchanged(u), v);
///
/// Rows that are at least a halo away from those of other members are processed while the copies
/// are under way, the others when they are there. The loop has the results of exchange() and a loop
/// behind it.
///
/// @param x    sharded array, which the function sees as const
/// Complexity  constant: names an array
template <class T, int Rank, class Space>
auto exchanged(array<T, Rank, group<Space>, layout_right>& x) {
  return detail::exchanged_array<array<T, Rank, group<Space>, layout_right>>{x};
}

/// Returns x, const: an array of one space has no halo to set. Lets a template over its space pass
/// exchanged(x) on one space, too.
///
/// Complexity  constant
template <class T, int Rank, class Space, class Layout>
const array<T, Rank, Space, Layout>& exchanged(array<T, Rank, Space, Layout>& x) {
  return x;
}

/// Calls f for every index of `indices`, each on the member that holds the row of that number:
///
///   tandem::parallel_for(gpus, tandem::grid{{1, ny - 1}, {1, nx - 1}}, heat{}, u, v);
///
/// @param indices    as on one space. The index of the first dimension is a row of the sharded
///                   arguments; if there are none, members take equal shares of the indices
/// @param f          f(i, arguments...) with the indices of the whole. It sees the member's rows
///                   and the halo of the arrays, and their extents of the whole
/// @param arguments  sharded arrays of one cut and replicated arrays, as views, exchanged(x) if the
///                   loop sets the halo of x first; values by copy. A replicated array that f
///                   writes differs between the members afterwards
/// Errors            extent_error if the arrays have different cuts or the indices are not rows of
///                   them; otherwise as on one space. A member's error names it
/// Complexity        one loop per member, over its rows
/// Asynchronous on the members.
template <class Space, index_space Indices, class Function, class... Argument>
void parallel_for(const group<Space>& members, const Indices& indices, const Function& f,
                  Argument&&... arguments) {
  constexpr const char* name = "parallel_for";
  detail::require_count(name, indices);
  const detail::shared_rows rows(name, members, indices, detail::operand_of(arguments)...);
  const auto bound = [&](int p) {
    return detail::bind_to_loop<Space, detail::rank_of<Indices>>(
        f, detail::argument_of(detail::operand_of(arguments), p)...);
  };
  if constexpr (detail::check_kernel<Function, Space>()) {
    detail::require_loop<decltype(bound(0))>(name, detail::as_loop(indices));
    const auto loop = [&](const group<Space>& spaces, int p, const range& some) {
      if (some.size() > 0)
        detail::loop_over(spaces.member(p), detail::with_rows(indices, some), bound(p));
    };
    if constexpr ((detail::is_exchanged<std::remove_cvref_t<Argument>> || ...)) {
      detail::halo_exchange<Space, std::remove_cvref_t<Argument>...> exchange(name, members,
                                                                              arguments...);
      const auto inner = [&](int p) { return exchange.inner_rows(p, rows.of_member(p)); };
      exchange.run(
          members,
          [&](const group<Space>& spaces) {
            detail::for_each_member(spaces, [&](int p) { loop(spaces, p, inner(p)); });
          },
          [&](const group<Space>& spaces) {
            detail::for_each_member(spaces, [&](int p) {
              loop(spaces, p, range(rows.of_member(p).begin, inner(p).begin));
              loop(spaces, p, range(inner(p).end, rows.of_member(p).end));
            });
          });
    } else {
      detail::for_each_member(members, [&](int p) { loop(members, p, rows.of_member(p)); });
    }
  }
}

}  // namespace tandem
