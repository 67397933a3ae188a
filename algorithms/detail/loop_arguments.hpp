// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/kernel/function.hpp>
#include <tandem/core/tuple.hpp>
#include <tandem/core/view/viewable.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

/// Arguments of a call that are passed on to each call of its function, as in
/// parallel_for(n, saxpy{}, a, x, y).
namespace tandem::detail {

/// A function object with its trailing arguments, so that backends call f(first...) only: `First`
/// are the types of its indices, or a team.
template <class Result, class Function, class Arguments, class... First>
struct bound_function {
  using user_function = Function;

  Function function;
  Arguments arguments;

  [[gnu::always_inline]] TANDEM_FUNCTION Result operator()(First... first) const {
    return call(std::make_index_sequence<std::tuple_size_v<Arguments>>{}, first...);
  }

 private:
  template <std::size_t... Position>
  [[gnu::always_inline]] TANDEM_FUNCTION Result call(std::index_sequence<Position...>,
                                                     First... first) const {
    if constexpr (std::is_void_v<Result>) {
      function(first..., get<Position>(arguments)...);
    } else {
      return function(first..., get<Position>(arguments)...);
    }
  }
};

/// A container that kernels could not hold, or only as a deep copy: a built-in array, std::vector,
/// but not std::array or std::span.
template <class X>
concept unholdable_container =
    contiguous_container<X> && (std::is_array_v<X> || !std::is_trivially_copyable_v<X>);

/// An argument as kernels get it: the view of an array or a std::vector, anything else itself.
template <class Argument>
decltype(auto) as_argument(Argument&& argument) {
  using X = std::remove_reference_t<Argument>;
  if constexpr (owner_of_elements<X> || unholdable_container<X> || array_in_parts<X>) {
    return as_view(std::forward<Argument>(argument));
  } else {
    return std::forward<Argument>(argument);
  }
}

/// Reports in one line that a function is no kernel of Space, or does not take the parameters: its
/// indices or team, and then the arguments.
template <class Space, class Function, class... Parameter>
consteval bool check_arguments() {
  if constexpr (!check_kernel<Function, Space>()) return false;
  // nvcc's host compiler sees a __device__ lambda as something that is not const.
  constexpr bool takes = std::is_invocable_v<Function&, Parameter...>;
  static_assert(
      takes,
      "tandem: f takes one index for each dimension, or a team&, and then each of the "
      "call's arguments behind it, by value or const reference: arrays as views (of const "
      "elements if the array is const)");
  return takes;
}

/// Reports in one line that kernels cannot hold an argument.
template <class... Argument>
consteval bool check_copies() {
  constexpr bool copyable = (std::is_copy_constructible_v<Argument> && ...);
  static_assert(
      copyable,
      "tandem: arguments of a call are copied into kernels: pass a pointer to what cannot be "
      "copied");
  return copyable;
}

/// An index in braces, which initialises a parameter of the type Index and no other; an `auto`
/// deduces nothing from braces.
template <class Index>
struct only_index {
  template <std::same_as<Index> To>
  // NOLINTNEXTLINE(google-explicit-constructor): it takes the place of an index.
  TANDEM_FUNCTION operator To() const {
    return To();
  }
};

template <class Function, class Index, class Arguments, std::size_t... D>
inline constexpr bool takes_only = false;
template <class Function, class Index, class... Argument, std::size_t... D>
inline constexpr bool takes_only<Function, Index, tuple<Argument...>, D...> =
    requires(Function& f, const Argument&... arguments) {
      f({(static_cast<void>(D), only_index<Index>())}..., arguments...);
    };

/// Finds the first of `Index` that a function takes before the arguments; index_t if there is none.
template <class Function, class Arguments, std::size_t... D, class Index, class... Next>
consteval auto find_index(std::type_identity<Index> first, Next... next) {
  if constexpr (takes_only<Function, Index, Arguments, D...>) {
    return first;
  } else if constexpr (sizeof...(Next) > 0) {
    return find_index<Function, Arguments, D...>(next...);
  } else {
    return std::type_identity<index_t>();
  }
}

/// The types of a function's indices. Those of a template or of overloads, as in
/// [](int i, const auto& x), depend on the arguments, and are found if they are all the same.
template <class Function, class Arguments, std::size_t... D>
consteval auto find_indices(std::index_sequence<D...>) {
  if constexpr (has_one_call<Function>) {
    return std::type_identity<tuple<parameter_type<Function, D>...>>();
  } else {
    using std::type_identity;
    using Index = typename decltype(find_index<Function, Arguments, D...>(
        type_identity<index_t>(), type_identity<int>(), type_identity<unsigned>(),
        type_identity<std::size_t>(), type_identity<long long>(),
        type_identity<unsigned long long>()))::type;
    return type_identity<tuple<decltype(D, Index{})...>>();
  }
}

/// Takes the place of a function that has been refused, so that a compiler says nothing else.
struct refused_function {
  template <class... Parameter>
  TANDEM_FUNCTION int operator()(const Parameter&...) const {
    return 0;
  }
};
template <class Function>
inline constexpr bool is_refused = std::is_same_v<Function, refused_function>;

/// Binds arguments to f behind parameters of the types `First`. `Result` has as its `type` what
/// calls return.
template <class Space, class Result, class... First, class Function, class... Argument>
auto bind_behind(const Function& f, const Argument&... arguments) {
  if constexpr (check_copies<Argument...>() &&
                check_arguments<Space, Function, First..., const Argument&...>()) {
    return bound_function<typename Result::type, Function, tuple<Argument...>, First...>{
        f, tandem::make_tuple(arguments...)};
  } else {
    return refused_function{};
  }
}

/// Binds arguments to a function of `Rank` indices, whose calls return a term or nothing.
template <class Space, int Rank, bool ReturnsTerm, class Function, class... Argument>
auto bind_behind_indices(const Function& f, const Argument&... arguments) {
  return [&]<class... Index>(std::type_identity<tuple<Index...>>) {
    using term = std::invoke_result<const Function&, Index..., const Argument&...>;
    using result = std::conditional_t<ReturnsTerm, term, std::type_identity<void>>;
    return bind_behind<Space, result, Index...>(f, arguments...);
  }(find_indices<Function, tuple<Argument...>>(std::make_index_sequence<std::size_t{Rank}>()));
}

/// The function of a loop over `Rank` indices: f, or f with the arguments behind it bound to it.
template <class Space, int Rank, class Function, class... Argument>
decltype(auto) bind_to_loop(const Function& f, Argument&&... arguments) {
  if constexpr (sizeof...(Argument) == 0) {
    return (f);
  } else {
    return bind_behind_indices<Space, Rank, false>(
        f, as_argument(std::forward<Argument>(arguments))...);
  }
}

/// The function of terms of `Rank` indices: f, or f with the arguments behind it bound to it.
template <class Space, int Rank, class Function, class... Argument>
decltype(auto) bind_to_terms(const Function& f, Argument&&... arguments) {
  if constexpr (sizeof...(Argument) == 0) {
    return (f);
  } else {
    return bind_behind_indices<Space, Rank, true>(
        f, as_argument(std::forward<Argument>(arguments))...);
  }
}

/// The kernel of teams of the type Team: f, or f with the arguments behind it bound to it.
template <class Space, class Team, class Kernel, class... Argument>
decltype(auto) bind_to_teams(const Kernel& f, Argument&&... arguments) {
  if constexpr (sizeof...(Argument) == 0) {
    return (f);
  } else {
    return bind_behind<Space, std::type_identity<void>, Team&>(
        f, as_argument(std::forward<Argument>(arguments))...);
  }
}

}  // namespace tandem::detail
