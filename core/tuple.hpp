// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem {

/// A tuple that kernels may hold: an aggregate, trivially copyable if its elements are. Works with
/// structured bindings.
template <class... Element>
struct tuple;

template <>
struct tuple<> {};

template <class Last>
struct tuple<Last> {
  Last first;
};

template <class First, class... Rest>
struct tuple<First, Rest...> {
  First first;
  tuple<Rest...> rest;  // a member, not a base: host and device agree on its offset
};

/// Makes a tuple of copies of the arguments, `first` and the `rest` in order.
TANDEM_FUNCTION constexpr tuple<> make_tuple() { return {}; }
template <class First, class... Rest>
TANDEM_FUNCTION constexpr tuple<First, Rest...> make_tuple(First first, Rest... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return {first};
  } else {
    return {first, tandem::make_tuple(rest...)};
  }
}

/// Returns element number I of a tuple t, from 0; a reference if t is one.
template <std::size_t Position, class First, class... Rest>
TANDEM_FUNCTION constexpr auto& get(tuple<First, Rest...>& t) {
  if constexpr (Position == 0) {
    return t.first;
  } else {
    return tandem::get<Position - 1>(t.rest);
  }
}
template <std::size_t Position, class First, class... Rest>
TANDEM_FUNCTION constexpr const auto& get(const tuple<First, Rest...>& t) {
  if constexpr (Position == 0) {
    return t.first;
  } else {
    return tandem::get<Position - 1>(t.rest);
  }
}

template <std::size_t Position, class First, class... Rest>
TANDEM_FUNCTION constexpr auto&& get(tuple<First, Rest...>&& t) {
  return static_cast<std::remove_reference_t<decltype(tandem::get<Position>(t))>&&>(
      tandem::get<Position>(t));
}

/// Calls f(elements...) with the elements of the tuple t, and returns its result.
template <class Function, class... Element>
TANDEM_FUNCTION constexpr decltype(auto) apply(const Function& f, const tuple<Element...>& t) {
  return [&]<std::size_t... Position>(std::index_sequence<Position...>) -> decltype(auto) {
    return f(tandem::get<Position>(t)...);
  }(std::index_sequence_for<Element...>{});
}

}  // namespace tandem

template <class... Element>
struct std::tuple_size<tandem::tuple<Element...>>
    : std::integral_constant<std::size_t, sizeof...(Element)> {};
template <std::size_t Position, class First, class... Rest>
struct std::tuple_element<Position, tandem::tuple<First, Rest...>> {
  using type = typename std::tuple_element<Position - 1, tandem::tuple<Rest...>>::type;
};
template <class First, class... Rest>
struct std::tuple_element<0, tandem::tuple<First, Rest...>> {
  using type = First;
};
