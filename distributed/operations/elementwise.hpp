// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/fill.hpp>
#include <tandem/algorithms/fill_random.hpp>
#include <tandem/algorithms/iota.hpp>
#include <tandem/algorithms/transform.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// Operations that compute each element of an array from its index or from those of others.
namespace tandem {

/// Sets every element of x, halos excepted, to a value.
///
/// Errors      argument_error for an array of other members; those of fill on one space
/// Complexity  writes x once
/// Asynchronous on the members.
template <class Space, class T, int Rank, class Value = T>
  requires detail::storable<const Value&, T>
void fill(const group<Space>& members, array<T, Rank, group<Space>, layout_right>& x,
          const Value& value) {
  detail::require_members("fill", members, x);
  detail::for_each_member(members, [&](int p) { fill(members.member(p), x.part(p), value); });
}

/// x(i) = first + i * step with the index i of the whole, as iota on one space.
///
/// Errors      argument_error for an array of other members; those of iota on one space
/// Complexity  writes x once
/// Asynchronous on the members.
template <class Space, class T, class First = T, class Step = T>
void iota(const group<Space>& members, array<T, 1, group<Space>, layout_right>& x,
          First first = First(0), Step step = Step(1)) {
  detail::check_iota<T, First, Step>();
  detail::require_members("iota", members, x);
  detail::require_iota<T>(x.size(), first, step);
  detail::for_each_member(members, [&](int p) {
    const auto whole = x.whole(p);
    detail::run_loop(members.member(p), "iota", detail::own_rows(x, p),
                     detail::iota_store<std::remove_const_t<decltype(whole)>>{
                         whole, static_cast<T>(first), static_cast<T>(step)});
  });
}

/// Sets every element of x to a random value: element number i, in row-major order of the whole,
/// has the value that fill_random gives it on one space.
///
/// @param distribution, seed  as on one space
/// Errors      argument_error for an array of other members; those of fill_random on one space
/// Complexity  as on one space; a part that begins inside a block of Philox draws one by one
/// Asynchronous on the members.
template <class Space, class T, int Rank, class Distribution>
void fill_random(const group<Space>& members, array<T, Rank, group<Space>, layout_right>& x,
                 const Distribution& distribution, std::uint64_t seed) {
  constexpr bool draws = detail::draws<Distribution, T>;
  static_assert(draws,
                "tandem: fill_random: the distribution does not draw elements of this type "
                "(core/random/distributions.hpp)");
  detail::require_members("fill_random", members, x);
  if constexpr (draws) {
    detail::for_each_member(members, [&](int p) {
      detail::fill_from(members.member(p), x.part(p), distribution, seed,
                        static_cast<std::uint64_t>(detail::own_rows(x, p).begin * x.row_size()));
    });
  }
}

namespace detail {

/// The rows that member p computes of an element-wise operation, of an operand.
template <class X>
auto rows_for_result(X& x, const range& rows, int p) {
  if (!x.is_replicated()) return x.part(p);
  const auto whole = x.whole(p);
  auto sizes = whole.extents();
  sizes[0] = rows.size();
  using View = std::remove_const_t<decltype(whole)>;
  return View(whole.data_handle() + rows.begin * x.row_size(), sizes);
}

template <class Space, class Function, class Out, class... In>
void transform_parts(const group<Space>& members, const Function& f, Out& y, const In&... x) {
  constexpr const char* name = "transform";
  constexpr bool are_sharded = sharded_operand<Out> && (sharded_operand<In> && ...);
  static_assert(are_sharded,
                "tandem: transform on a group: operands are sharded or replicated arrays, and the "
                "output is one of them: transform(group, x..., y, f)");
  if constexpr (are_sharded) {
    common_cut common(name);
    common.add(members, y);
    (common.add(members, x), ...);
    const auto require_same = [&](const auto& operand) {
      require_same_extents(name, "an input", operand, "the output", y);
      require(!y.is_replicated() || operand.is_replicated(), name,
              "the output is replicated and an input is not: copy() makes it so");
    };
    (require_same(x), ...);
    for_each_member(members, [&](int p) {
      const range rows = own_rows(y, p);
      if (rows.size() > 0)
        transform(members.member(p), rows_for_result(x, rows, p)..., y.part(p), f);
    });
  }
}

}  // namespace detail

/// y(i...) = f(x(i...), ..) for every element: transform(group, x..., y, f).
///
/// @param first, rest  the inputs, the output and f. Operands are sharded arrays of one cut and
///                     equal extents; inputs may be replicated, and the output if all inputs are
/// Errors              extent_error when extents or cuts differ; argument_error for arrays of other
///                     members, and for a replicated output of sharded inputs
/// Complexity          reads and writes each element once
/// Asynchronous on the members.
template <class Space, detail::sharded_operand First, class... Rest>
  requires(sizeof...(Rest) >= 1)
void transform(const group<Space>& members, First&& first, Rest&&... rest) {
  auto arguments = detail::references_to(first, rest...);
  constexpr std::size_t inputs = sizeof...(Rest) - 1;
  [&]<std::size_t... Position>(std::index_sequence<Position...>) {
    detail::transform_parts(members, get<inputs + 1>(arguments), get<inputs>(arguments),
                            std::as_const(get<Position>(arguments))...);
  }(std::make_index_sequence<inputs>{});
}

}  // namespace tandem
