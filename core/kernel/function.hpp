// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/target.hpp>

#include <type_traits>

/// What a function object tells about itself as a kernel: the type of its index, and why a space
/// cannot run it.
namespace tandem {

namespace detail {

template <class Member>
struct first_parameter;
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...) const> {
  using type = std::remove_cvref_t<Index>;
};
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...) const noexcept> {
  using type = std::remove_cvref_t<Index>;
};
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...)> {  // check_kernel refuses it
  using type = std::remove_cvref_t<Index>;
};
template <class Result, class Class, class Index, class... Rest>
struct first_parameter<Result (Class::*)(Index, Rest...) noexcept> {
  using type = std::remove_cvref_t<Index>;
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

template <class Function>
consteval auto loop_index_of() {
  if constexpr (requires { &Function::operator(); }) {
    return typename first_parameter<decltype(&Function::operator())>::type{};
  } else {
    return index_t{};
  }
}

}  // namespace detail

/// Type of the index that a function object's call operator takes: `int` for [](int i). index_t if
/// the operator is a template or overloaded.
template <class Function>
using loop_index = decltype(detail::loop_index_of<Function>());

namespace detail {

/// Reports in one line why a function object cannot, or should not, be a kernel of `Space`.
template <class Function, class Space>
consteval bool check_kernel() {
  static_assert(std::is_copy_constructible_v<Function>,
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
