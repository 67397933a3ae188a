// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Stands for an input that is the output itself. Read through the output's own view, so that a
/// compiler sees one array and may load elements ahead of stores to others of it.
struct the_output {
  using value_type = unsigned char;  ///< adds nothing to the largest element
};

/// Bytes of the largest element among views: what a backend may want to know of a loop.
template <class... View>
consteval std::size_t largest_element() {
  std::size_t bytes = 0;
  ((bytes = sizeof(typename View::value_type) > bytes ? sizeof(typename View::value_type) : bytes),
   ...);
  return bytes;
}

/// y(i...) = f(x(i...)...), with the inputs as views of const elements so that a GPU may load ahead
/// of the stores. Index is index_t once for each dimension.
template <class Function, class Output, class... Input>
struct transform_element {
  Function function;
  Output y;
  tuple<Input...> x;

  template <std::size_t... I, class... Index>
  TANDEM_FUNCTION void store(std::index_sequence<I...>, Index... i) const {
    y(i...) = function(read(get<I>(x), i...)...);
  }

 private:
  template <class X, class... Index>
  TANDEM_FUNCTION decltype(auto) read(const X& input, Index... i) const {
    if constexpr (std::is_same_v<X, the_output>) {
      return y(i...);
    } else {
      return input(i...);
    }
  }
};

template <class Function, class Output, class... Input>
struct transform_line {
  static constexpr std::size_t element_bytes = largest_element<Output, Input...>();

  transform_element<Function, Output, Input...> element;

  TANDEM_FUNCTION void operator()(index_t i) const {
    element.store(std::index_sequence_for<Input...>{}, i);
  }
};

template <class Function, class Output, class... Input>
struct transform_plane {
  static constexpr std::size_t element_bytes = largest_element<Output, Input...>();

  transform_element<Function, Output, Input...> element;

  TANDEM_FUNCTION void operator()(index_t j, index_t i) const {
    element.store(std::index_sequence_for<Input...>{}, j, i);
  }
};

/// A view's elements as const ones.
template <class T, int Rank, class Layout, class Memory>
view<const T, Rank, Layout, Memory> read_only(const view<T, Rank, Layout, Memory>& x) {
  return x;
}

/// What stands for x, which has y's elements in y's places: y, unless other types see them.
template <class X, class Y>
auto in_place(const X& x, [[maybe_unused]] const Y& y) {
  if constexpr (std::is_same_v<typename X::value_type, typename Y::value_type>) {
    return the_output{};
  } else {
    return x;
  }
}

template <class Space, class Function, class Output, class... Input>
void run_transform(const Space& space, const Function& f, const Output& y, const Input&... x) {
  static_assert(Output::rank() == 1 || Output::rank() == 2,
                "tandem: transform takes views of rank 1 or 2");
  static_assert(check_kernel<Function>());
  if constexpr (requires { dispatch_transform(space, "transform", f, y, x...); }) {
    dispatch_transform(space, "transform", f, y, x...);
  } else if constexpr (Output::rank() == 1) {
    parallel_for(space, y.size(),
                 transform_line<Function, Output, Input...>{{f, y, tandem::make_tuple(x...)}});
  } else {
    parallel_for(space, grid{y.extent(0), y.extent(1)},
                 transform_plane<Function, Output, Input...>{{f, y, tandem::make_tuple(x...)}});
  }
}

}  // namespace detail

/// y(i) = f(x(i)): applies f to every element of x.
///
/// x, y       views of rank 1 or 2, any layout and strides, of equal extents; y may be x itself
/// f          a lambda (TANDEM_LAMBDA) or a function object, copied into the kernel; its result is
///            converted to y's elements. It is called in any order and at the same time
/// Errors     extent_error when extents differ; argument_error when y shares elements with x
/// without
///            being the same ones in the same order, when two indices of y name one element, when
///            x or y has no memory, or memory that the space cannot touch
/// Agreement  the same bits on every backend, where f's are (docs/numerics.md)
/// Asynchronous on `space`. Reads x once and writes y once.
template <execution_space Space, class T, class U, int Rank, class LayoutX, class LayoutY,
          class MemoryX, class MemoryY, class Function>
void transform(const Space& space, const view<T, Rank, LayoutX, MemoryX>& x,
               const view<U, Rank, LayoutY, MemoryY>& y, const Function& f) {
  static_assert(can_access<Space, MemoryX> && can_access<Space, MemoryY>,
                "tandem: transform: the space cannot reach the memory of x or y");
  detail::require_operand(space, "transform", "x", x);
  detail::require_operand(space, "transform", "y", y);
  detail::require_same_extents("transform", "x", x, "y", y);
  detail::require_distinct_elements("transform", "y", y);
  if (detail::same_elements(x, y))
    return detail::run_transform(space, f, y, detail::in_place(x, y));
  detail::require(!detail::overlaps(x, y), "transform", "x and y overlap");
  detail::run_transform(space, f, y, detail::read_only(x));
}

/// y(i) = f(a(i), b(i)): applies f to pairs of elements of two inputs, either or both of which may
/// be y itself. Errors and agreement are those of the call with one input.
template <execution_space Space, class T, class S, class U, int Rank, class LayoutA, class LayoutB,
          class LayoutY, class MemoryA, class MemoryB, class MemoryY, class Function>
void transform(const Space& space, const view<T, Rank, LayoutA, MemoryA>& a,
               const view<S, Rank, LayoutB, MemoryB>& b, const view<U, Rank, LayoutY, MemoryY>& y,
               const Function& f) {
  static_assert(
      can_access<Space, MemoryA> && can_access<Space, MemoryB> && can_access<Space, MemoryY>,
      "tandem: transform: the space cannot reach the memory of a, b or y");
  detail::require_operand(space, "transform", "a", a);
  detail::require_operand(space, "transform", "b", b);
  detail::require_operand(space, "transform", "y", y);
  detail::require_same_extents("transform", "a", a, "y", y);
  detail::require_same_extents("transform", "b", b, "y", y);
  detail::require_distinct_elements("transform", "y", y);
  const bool a_in_place = detail::same_elements(a, y);
  const bool b_in_place = detail::same_elements(b, y);
  detail::require(a_in_place || !detail::overlaps(a, y), "transform", "a and y overlap");
  detail::require(b_in_place || !detail::overlaps(b, y), "transform", "b and y overlap");
  if (a_in_place && b_in_place) {
    detail::run_transform(space, f, y, detail::in_place(a, y), detail::in_place(b, y));
  } else if (a_in_place) {
    detail::run_transform(space, f, y, detail::in_place(a, y), detail::read_only(b));
  } else if (b_in_place) {
    detail::run_transform(space, f, y, detail::read_only(a), detail::in_place(b, y));
  } else {
    detail::run_transform(space, f, y, detail::read_only(a), detail::read_only(b));
  }
}

/// Calls transform(space, x, ...) on the default space.
template <class T, int Rank, class Layout, class Memory, class... Rest>
void transform(const view<T, Rank, Layout, Memory>& x, const Rest&... rest) {
  transform(default_instance<default_space>(), x, rest...);
}

}  // namespace tandem
