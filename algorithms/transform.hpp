// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Placeholder for an input that is the output itself. It is read through the output's view, so
/// that the compiler sees one array and may load elements ahead of stores to others.
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

/// The outputs of a transform whose function returns a tuple.
template <class... Y>
struct outputs {
  using value_type = tuple<typename Y::value_type...>;  ///< what an index writes

  tuple<Y...> views;

  static constexpr std::size_t count = sizeof...(Y);
  static constexpr int rank() { return decltype(tuple<Y...>::first)::rank(); }
  constexpr index_t size() const { return views.first.size(); }
  constexpr index_t extent(int d) const { return views.first.extent(d); }

  template <class Results, class... Index>
  TANDEM_FUNCTION void store(const Results& results, Index... i) const {
    store(std::index_sequence_for<Y...>{}, results, i...);
  }

 private:
  template <std::size_t... Position, class Results, class... Index>
  TANDEM_FUNCTION void store(std::index_sequence<Position...>, const Results& results,
                             Index... i) const {
    ((get<Position>(views)(i...) = as_stored<typename Y::value_type>(get<Position>(results))), ...);
  }
};

template <class X>
inline constexpr bool is_outputs = false;
template <class... Y>
inline constexpr bool is_outputs<outputs<Y...>> = true;

/// Computes y(i...) = f(x(i...)...), with inputs as views of const elements so that a GPU may load
/// ahead of the stores. Index is index_t once per dimension.
template <class Function, class Output, class... Input>
struct transform_element {
  Function function;
  Output y;
  tuple<Input...> x;

  template <std::size_t... Position, class... Index>
  TANDEM_FUNCTION void store(std::index_sequence<Position...>, Index... i) const {
    if constexpr (is_outputs<Output>) {
      y.store(function(read(get<Position>(x), i...)...), i...);
    } else {
      y(i...) = as_stored<typename Output::value_type>(function(read(get<Position>(x), i...)...));
    }
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
  using user_function = Function;
  static constexpr std::size_t element_bytes = largest_element<Output, Input...>();

  transform_element<Function, Output, Input...> element;

  TANDEM_FUNCTION void operator()(index_t i) const {
    element.store(std::index_sequence_for<Input...>{}, i);
  }
};

template <class Function, class Output, class... Input>
struct transform_plane {
  using user_function = Function;
  static constexpr std::size_t element_bytes = largest_element<Output, Input...>();

  transform_element<Function, Output, Input...> element;

  TANDEM_FUNCTION void operator()(index_t j, index_t i) const {
    element.store(std::index_sequence_for<Input...>{}, j, i);
  }
};

/// Returns y in place of an x with the same elements in the same order, unless the types differ.
template <class X, class Y>
auto in_place(const X& x, [[maybe_unused]] const Y& y) {
  if constexpr (std::is_same_v<typename X::value_type, typename Y::value_type>) {
    return the_output{};
  } else {
    return x;
  }
}

/// What a transform writes, validated: its output, or each of several.
template <class Output>
struct written_outputs {
  const Output& y;

  template <class Space>
  void require(const Space&, const char*) const {}
  template <class Region>
  void record(const Region& region) const {
    if constexpr (is_outputs<Output>) {
      [&]<std::size_t... Position>(std::index_sequence<Position...>) {
        (region.writes(get<Position>(y.views)), ...);
      }(std::make_index_sequence<Output::count>{});
    } else {
      region.writes(y);
    }
  }
  void require_contents(const char*) const {}
};

/// Runs a transform whose operands have been checked.
template <class Space, class Function, class Output, class... Input>
void run_transform(const Space& space, const Function& f, const Output& y, const Input&... x) {
  const written_outputs<Output> written{y};
  // The checked runtime looks at loops. A backend's hook may leave some kinds of views to them.
  if constexpr (!checks_kernels<Space> && uses_hook<Space, hook::transform>() &&
                requires { dispatch_transform(space, "transform", f, y, x...); }) {
    run(space, call{"transform", profile_kind::loop, sizes_of(y), written, no_precondition(),
                    [&] { dispatch_transform(space, "transform", f, y, x...); }});
  } else if constexpr (Output::rank() == 1) {
    const transform_line<Function, Output, Input...> line{{f, y, tandem::make_tuple(x...)}};
    run_loop(space, "transform", range(y.size()), line, written);
  } else {
    const transform_plane<Function, Output, Input...> plane{{f, y, tandem::make_tuple(x...)}};
    run_loop(space, "transform", grid{y.extent(0), y.extent(1)}, plane, written);
  }
}

/// Throws if two outputs share elements.
template <class Y, class... Rest>
void require_apart([[maybe_unused]] const Y& y, const Rest&... rest) {
  (require(!overlaps(y, rest), "transform", "two outputs overlap"), ...);
  if constexpr (sizeof...(Rest) > 0) require_apart(rest...);
}

/// Runs the transform with the fastest form of each of the first `Left` inputs: y itself if the
/// input is y, else a view of const elements. At most `InPlace` inputs are replaced by y; with a
/// second such input among three or more, the others stay as they are.
template <int Left, int InPlace, class Space, class Function, class Output, class X, class... Rest>
void choose_inputs(const Space& space, const Function& f, const Output& y, const X& x,
                   const Rest&... rest) {
  // Each step moves an input behind the others, so the last leaves them in their order.
  if constexpr (Left == 0) {
    run_transform(space, f, y, x, rest...);
  } else if constexpr (InPlace == 0) {
    choose_inputs<Left - 1, 0>(space, f, y, rest..., x);
  } else if (same_elements(x, y)) {
    choose_inputs<Left - 1, InPlace - 1>(space, f, y, rest..., in_place(x, y));
  } else {
    choose_inputs<Left - 1, InPlace>(space, f, y, rest..., read_only(x));
  }
}

/// A tuple of references to the arguments.
template <class First, class... Rest>
tuple<First&&, Rest&&...> references_to(First&& first, Rest&&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return {std::forward<First>(first)};
  } else {
    return {std::forward<First>(first), references_to(std::forward<Rest>(rest)...)};
  }
}

/// Names of operands in messages.
inline std::string input_name(int number, int count) {
  return count == 1 ? "x" : std::string(1, static_cast<char>('a' + number));
}
inline std::string output_name(std::size_t number, int count) {
  return count == 1 ? "y" : message({"output ", number});
}

/// What a transform's function gets of the elements of a view.
template <class X>
using read_element =
    typename decltype(read_only(std::declval<const std::remove_cvref_t<X>&>()))::reference;

/// Whether Result can be stored in an element of Y.
template <class Y, class Result>
inline constexpr bool stores = std::is_assignable_v<typename Y::element_type&, Result> ||
                               rounded_to_16bit<Result, typename Y::value_type>;

/// Whether Results has one element for each output, and all can be stored.
template <class Results, class... Y>
consteval bool stores_each() {
  if constexpr (requires { requires std::tuple_size<Results>::value == sizeof...(Y); }) {
    return []<std::size_t... Position>(std::index_sequence<Position...>) {
      return (stores<Y, const std::tuple_element_t<Position, Results>&> && ...);
    }(std::index_sequence_for<Y...>{});
  } else {
    return false;
  }
}

/// Reports in one line why the results of a transform's function cannot be stored.
template <class Result, class Y>
consteval bool check_results(std::type_identity<Y>) {
  constexpr bool is_mutable = !std::is_const_v<typename Y::element_type>;
  static_assert(is_mutable, "tandem: transform: the output is const");
  static_assert(!is_mutable || stores<Y, Result>,
                "tandem: transform: f's result does not convert to an element of the output, the "
                "operand before f (several results: tie(outputs..) takes a tuple)");
  check_stored<std::remove_cvref_t<Result>, typename Y::value_type>();
  return is_mutable && stores<Y, Result>;
}
template <class Result, class... Y>
consteval bool check_results(std::type_identity<outputs<Y...>>) {
  constexpr bool are_mutable = !(std::is_const_v<typename Y::element_type> || ...);
  static_assert(are_mutable, "tandem: transform: an output is const");
  constexpr bool fit = stores_each<std::remove_cvref_t<Result>, Y...>();
  static_assert(!are_mutable || fit,
                "tandem: transform: with tie(outputs..), f returns a tuple (make_tuple(..)) of one "
                "element for each output, which converts to that output's elements");
  if constexpr (fit) {
    []<std::size_t... Position>(std::index_sequence<Position...>) {
      using Results = std::remove_cvref_t<Result>;
      (check_stored<std::tuple_element_t<Position, Results>, typename Y::value_type>(), ...);
    }(std::index_sequence_for<Y...>{});
  }
  return are_mutable && fit;
}

/// Reports in one line why a transform cannot call f, or cannot store its results.
template <class Space, class Function, class Output, class... X>
consteval bool check_transform() {
  constexpr bool has_loop = Output::rank() == 1 || Output::rank() == 2;
  static_assert(has_loop,
                "tandem: transform: operands have rank 1 or 2: pass reshape(x, -1) of contiguous "
                "elements, or loop over a grid with parallel_for");
  constexpr bool one_rank = ((X::rank() == Output::rank()) && ...);
  static_assert(one_rank || !has_loop,
                "tandem: transform: the operands have different ranks: pass reshape(y, -1) of a "
                "contiguous one, or loop over a grid with parallel_for");
  if constexpr (has_loop && one_rank && check_kernel<Function, Space>()) {
    constexpr bool takes = std::is_invocable_v<const Function&, read_element<X>...>;
    // nvcc's host compiler sees a __device__ lambda as something that is not const.
    constexpr bool is_stand_in = !takes && !Space::memory_type::host_accessible &&
                                 std::is_invocable_v<Function&, read_element<X>...>;
    static_assert(takes || is_stand_in,
                  "tandem: transform: f takes one element of each input, by value or const "
                  "reference; the last operand before f is the output, those before it are inputs");
    if constexpr (takes) {
      using Result = std::invoke_result_t<const Function&, read_element<X>...>;
      return check_results<Result>(std::type_identity<Output>());
    }
    return is_stand_in;
  }
  return false;
}

/// Preconditions of one output and all inputs.
template <class Y, class... X>
void check_output(const std::string& name, const Y& y, const X&... x) {
  constexpr int count = sizeof...(X);
  int i = 0;
  (require_same_extents("transform", input_name(i++, count).c_str(), x, name.c_str(), y), ...);
  require_distinct_elements("transform", name.c_str(), y);
  i = 0;
  const auto check = [&](const auto& input) {
    const int number = i++;
    if (same_elements(input, y) || !overlaps(input, y)) return;
    throw argument_error(
        message({"transform: ", input_name(number, count), " and ", name, " overlap"}));
  };
  (check(x), ...);
}

template <class Space, class Function, class Output, class... X>
void check_and_transform(const Space& space, const Function& f, const Output& y, const X&... x) {
  if constexpr (check_transform<Space, Function, Output, X...>()) {
    constexpr int count = sizeof...(X);
    int i = 0;
    (require_operand(space, "transform", input_name(i++, count).c_str(), x), ...);
    if constexpr (is_outputs<Output>) {
      [&]<std::size_t... Position>(std::index_sequence<Position...>) {
        constexpr int outs = sizeof...(Position);
        static_assert(reaches<Space, X..., decltype(get<Position>(y.views))...>,
                      "tandem: transform: the space cannot reach the memory of an operand");
        (require_operand(space, "transform", output_name(Position, outs).c_str(),
                         get<Position>(y.views)),
         ...);
        (check_output(output_name(Position, outs), get<Position>(y.views), x...), ...);
        require_apart(get<Position>(y.views)...);
      }(std::make_index_sequence<Output::count>{});
      run_transform(space, f, y, x...);
    } else {
      static_assert(reaches<Space, X..., Output>,
                    "tandem: transform: the space cannot reach the memory of an operand");
      require_operand(space, "transform", "y", y);
      check_output("y", y, x...);
      choose_inputs<count, (count <= 2 ? count : 1)>(space, f, y, x...);
    }
  }
}

/// An input or output as a view; outputs as they are.
template <class Y>
auto as_operand(Y&& y) {
  if constexpr (is_outputs<std::remove_cvref_t<Y>>) {
    return y;
  } else {
    static_assert(viewable<Y>,
                  "tandem: transform takes inputs, an output or several by tie(), and f last");
    return as_view(std::forward<Y>(y));
  }
}

}  // namespace detail

/// Several outputs of transform, whose function then returns a tuple with as many elements.
///
///   tandem::transform(space, x, tandem::tie(low, high), f);   // f returns make_tuple(..)
///
/// @param y    operands of equal extents, none of which shares elements with another one
/// Complexity  constant: copies views
template <viewable... Y>
  requires(sizeof...(Y) > 0)
auto tie(Y&&... y) {
  return detail::outputs<as_view_t<Y>...>{tandem::make_tuple(as_view(std::forward<Y>(y))...)};
}

/// y(i) = f(a(i), b(i), ...): applies f to the elements of any number of inputs.
///
///   tandem::transform(space, x, y, f);              // y(i) = f(x(i))
///   tandem::transform(space, a, b, c, y, f);        // y(i) = f(a(i), b(i), c(i))
///   tandem::transform(space, x, tie(y, z), f);      // f returns a tandem::tuple of two
///
/// @param x, rest  the inputs, then the output or tie(outputs..), then f. Inputs and outputs are
///                 operands of rank 1 or 2, any layout and strides, of equal extents; inputs may be
///                 y itself
/// f               a lambda (TANDEM_LAMBDA) or a function object, copied into the kernel; its
///                 result is converted to y's elements, and refused if that narrows it: cast in
///                 f. It is called in any order and at the same time
/// Errors          extent_error when extents differ; argument_error when y shares elements with an
///                 input without being the same ones in the same order, or with another output,
///                 when two indices of y name one element, when an operand has no memory, or memory
///                 that the space cannot access
/// Agreement       the same bits on every backend if f's are (docs/numerics.md)
/// Complexity      one call of f per element; reads each input once and writes each output once. No
///                 scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X, class... Rest>
  requires(sizeof...(Rest) >= 2)
void transform(const Space& space, X&& x, Rest&&... rest) {
  auto arguments = detail::references_to(std::forward<X>(x), std::forward<Rest>(rest)...);
  using All = decltype(arguments);
  constexpr std::size_t inputs = sizeof...(Rest) - 1;
  [&]<std::size_t... Position>(std::index_sequence<Position...>) {
    detail::check_and_transform(
        space, get<inputs + 1>(arguments),
        detail::as_operand(std::forward<std::tuple_element_t<inputs, All>>(get<inputs>(arguments))),
        detail::as_operand(
            std::forward<std::tuple_element_t<Position, All>>(get<Position>(arguments)))...);
  }(std::make_index_sequence<inputs>{});
}

/// Calls transform(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { transform(detail::here(), std::forward<Argument>(a)...); }
auto transform(Argument&&... arguments) {
  return transform(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
