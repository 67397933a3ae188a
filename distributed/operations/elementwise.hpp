// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/fill.hpp>
#include <tandem/algorithms/fill_random.hpp>
#include <tandem/algorithms/iota.hpp>
#include <tandem/algorithms/transform.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <cstdint>
#include <tuple>
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

/// Several outputs of a transform, whose function returns a tuple.
template <class... Y>
struct sharded_outputs {
  std::tuple<Y&...> arrays;

  auto part(int p) const {
    return std::apply([&](auto&... y) { return tandem::tie(y.part(p)...); }, arrays);
  }
};

/// Throws unless the outputs of a transform have one kind and equal extents, adds them to the cut,
/// and returns the first one.
template <class Space, class Y>
auto& first_output(const group<Space>& members, common_cut& common, Y& out) {
  if constexpr (requires { out.arrays; }) {
    auto& first = std::get<0>(out.arrays);
    const auto add = [&](const auto& y) {
      common.add(members, y);
      require_same_extents("transform", "an output", y, "the first one", first);
      require(y.is_replicated() == first.is_replicated(), "transform",
              "one output is replicated and another one is not");
    };
    std::apply([&](const auto&... y) { (add(y), ...); }, out.arrays);
    return first;
  } else {
    common.add(members, out);
    return out;
  }
}

template <class Space, class Function, class Out, class... In>
void transform_parts(const group<Space>& members, const Function& f, Out& out, const In&... x) {
  constexpr const char* name = "transform";
  constexpr bool writes_arrays = sharded_operand<Out> || requires { out.arrays; };
  constexpr bool are_sharded = writes_arrays && (sharded_operand<In> && ...);
  static_assert(are_sharded,
                "tandem: transform on a group: operands are sharded or replicated arrays, and the "
                "output is one of them: transform(group, x..., y, f)");
  if constexpr (are_sharded) {
    common_cut common(name);
    const auto& y = first_output(members, common, out);
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
        transform(members.member(p), rows_for_result(x, rows, p)..., out.part(p), f);
    });
  }
}

}  // namespace detail

/// Several outputs of transform on a group, whose function then returns a tuple with as many
/// elements:
///
///   tandem::transform(members, x, tandem::tie(low, high), f);   // f returns make_tuple(..)
///
/// @param first, rest  sharded arrays of one cut, or replicated arrays, of equal extents
/// Complexity          constant: keeps references, so the arrays must outlive the result
template <detail::sharded_operand First, detail::sharded_operand... Rest>
auto tie(First& first, Rest&... rest) {
  return detail::sharded_outputs<First, Rest...>{std::tie(first, rest...)};
}

/// y(i...) = f(x(i...), ..) for every element: transform(group, x..., y, f).
///
/// @param first, rest  the inputs, the output or tie(outputs..), and f. Operands are sharded arrays
///                     of one cut and equal extents; inputs may be replicated, and the outputs if
///                     all inputs are
/// Errors              extent_error when extents or cuts differ; argument_error for arrays of other
///                     members, for a replicated output of sharded inputs, and for outputs of which
///                     only some are replicated; those of transform on one space
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
