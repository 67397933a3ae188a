// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/target.hpp>
#include <tandem/core/tuple.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// What a function object tells about itself as a kernel: the type of its index, and why a space
/// cannot run it.
namespace tandem {

namespace detail {

/// The parameters of a call operator or a function, as values.
template <class Member>
struct parameters_of;
template <class Result, class... Parameter>
struct parameters_of<Result (*)(Parameter...)> {
  using type = tuple<std::remove_cvref_t<Parameter>...>;
};
template <class Result, class... Parameter>
struct parameters_of<Result (*)(Parameter...) noexcept> {
  using type = tuple<std::remove_cvref_t<Parameter>...>;
};
template <class Result, class Class, class... Parameter>
struct parameters_of<Result (Class::*)(Parameter...) const> {
  using type = tuple<std::remove_cvref_t<Parameter>...>;
};
template <class Result, class Class, class... Parameter>
struct parameters_of<Result (Class::*)(Parameter...) const noexcept> {
  using type = tuple<std::remove_cvref_t<Parameter>...>;
};
template <class Result, class Class, class... Parameter>
struct parameters_of<Result (Class::*)(Parameter...)> {  // check_kernel refuses it
  using type = tuple<std::remove_cvref_t<Parameter>...>;
};
template <class Result, class Class, class... Parameter>
struct parameters_of<Result (Class::*)(Parameter...) noexcept> {
  using type = tuple<std::remove_cvref_t<Parameter>...>;
};

template <class Member>
inline constexpr bool is_mutable_member = false;
template <class Result, class Class, class... Parameter>
inline constexpr bool is_mutable_member<Result (Class::*)(Parameter...)> = true;
template <class Result, class Class, class... Parameter>
inline constexpr bool is_mutable_member<Result (Class::*)(Parameter...) noexcept> = true;

/// Whether a function object has one call operator, which is not const.
template <class Function>
consteval bool is_mutable_function() {
  if constexpr (requires { &Function::operator(); }) {
    return is_mutable_member<decltype(&Function::operator())>;
  } else {
    return false;
  }
}

/// Whether a function object has one call operator, or is a pointer to a function.
template <class Function>
inline constexpr bool has_one_call =
    std::is_function_v<std::remove_pointer_t<Function>> || requires { &Function::operator(); };

/// The type of that operator, or the pointer's.
template <class Function>
consteval auto find_call() {
  if constexpr (std::is_pointer_v<Function>) {
    return std::type_identity<Function>();
  } else {
    return std::type_identity<decltype(&Function::operator())>();
  }
}

/// Type of parameter D of a function object's call operator; index_t if it has no such parameter,
/// or the operator is a template or overloaded.
template <class Function, std::size_t D>
consteval auto find_parameter() {
  if constexpr (has_one_call<Function>) {
    using Parameters = typename parameters_of<typename decltype(find_call<Function>())::type>::type;
    if constexpr (D < std::tuple_size_v<Parameters>)
      return std::type_identity<std::tuple_element_t<D, Parameters>>();
    else
      return std::type_identity<index_t>();
  } else {
    return std::type_identity<index_t>();
  }
}
template <class Function, std::size_t D>
using parameter_type = typename decltype(find_parameter<Function, D>())::type;

/// An index, which fits, in the type of parameter D if that is an integer of another type.
template <class Function, std::size_t D, class Index>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr auto as_parameter(Index index) {
  if constexpr (std::is_integral_v<parameter_type<Function, D>>) {
    return static_cast<parameter_type<Function, D>>(index);
  } else {
    return index;
  }
}

}  // namespace detail

/// Type of the index that a function object's call operator takes: `int` for [](int i). index_t if
/// the operator is a template or overloaded.
template <class Function>
using loop_index = detail::parameter_type<Function, 0>;

namespace detail {

/// Reports in one line why a function object cannot, or should not, be a kernel of `Space`.
template <class Function, class Space>
consteval bool check_kernel() {
  constexpr bool is_object = !std::is_function_v<Function>;
  static_assert(is_object,
                "tandem: f is a lambda or a function object: call a function from a lambda, as in "
                "TANDEM_LAMBDA(int i) { f(i); }");
  if constexpr (!is_object) return false;
  static_assert(!is_object || std::is_copy_constructible_v<Function>,
                "tandem: f is copied into kernels, so what it holds must be copyable");
  constexpr bool is_mutable = is_mutable_function<Function>();
  static_assert(!is_mutable,
                "tandem: many threads call f at the same time, so its call operator is const: a "
                "lambda must not be mutable");
  if constexpr (is_mutable) return false;
  if constexpr (Space::memory_type::host_accessible) return check_host_loop<Function>();
  return check_device_function<Function>();
}

}  // namespace detail
}  // namespace tandem
