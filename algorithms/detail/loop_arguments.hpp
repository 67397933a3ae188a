// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/kernel/function.hpp>
#include <tandem/core/tuple.hpp>
#include <tandem/core/view/viewable.hpp>

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

/// An argument as kernels get it: an array's view, anything else itself.
template <class Argument>
decltype(auto) as_argument(Argument&& argument) {
  if constexpr (owner_of_elements<std::remove_reference_t<Argument>>) {
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
  static_assert(takes,
                "tandem: f takes one index for each dimension, or a team&, and then each of the "
                "call's arguments behind it, by value or const reference: arrays as views");
  return takes;
}

/// Takes the place of a function that has been refused, so that a compiler says nothing else.
struct refused_function {
  template <class... Parameter>
  TANDEM_FUNCTION int operator()(const Parameter&...) const {
    return 0;
  }
};

/// Binds arguments to f behind parameters of the types `First`. `Result` has as its `type` what
/// calls return.
template <class Space, class Result, class... First, class Function, class... Argument>
auto bind_behind(const Function& f, const Argument&... arguments) {
  if constexpr (check_arguments<Space, Function, First..., const Argument&...>()) {
    return bound_function<typename Result::type, Function, tuple<Argument...>, First...>{
        f, tandem::make_tuple(arguments...)};
  } else {
    return refused_function{};
  }
}

/// The function of a loop over `Rank` indices: f, or f with the arguments behind it bound to it.
template <class Space, int Rank, class Function, class... Argument>
decltype(auto) bind_to_loop(const Function& f, Argument&&... arguments) {
  if constexpr (sizeof...(Argument) == 0) {
    return (f);
  } else {
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      return bind_behind<Space, std::type_identity<void>, parameter_type<Function, D>...>(
          f, as_argument(std::forward<Argument>(arguments))...);
    }(std::make_index_sequence<std::size_t{Rank}>{});
  }
}

/// The function of terms of `Rank` indices: f, or f with the arguments behind it bound to it.
template <class Space, int Rank, class Function, class... Argument>
decltype(auto) bind_to_terms(const Function& f, Argument&&... arguments) {
  if constexpr (sizeof...(Argument) == 0) {
    return (f);
  } else {
    return [&]<std::size_t... D, class... View>(std::index_sequence<D...>, const View&... views) {
      using term =
          std::invoke_result<const Function&, parameter_type<Function, D>..., const View&...>;
      return bind_behind<Space, term, parameter_type<Function, D>...>(f, views...);
    }(std::make_index_sequence<std::size_t{Rank}>{},
           as_argument(std::forward<Argument>(arguments))...);
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
