// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/histogram.hpp>
#include <tandem/algorithms/histogram.hpp>
#include <tandem/core/atomic.hpp>
#include <tandem/core/reducers.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Returns position i if its index is out of range, else `none`. A member called `indices` would
/// tell a backend that the terms are those of a grid.
template <class Index>
struct find_outside {
  strided_line<Index> line;
  integer_bin_rule<Index> elements;

  static constexpr index_t none = std::numeric_limits<index_t>::max();

  TANDEM_FUNCTION index_t operator()(index_t i) const {
    return elements.locate(line[i]) == no_bin ? i : none;
  }
};

/// Throws if an index is out of range. Waits for the indices, so only checked builds call it.
template <class Space, class Index>
void require_indices(const Space& space, const char* operation, strided_line<Index> indices,
                     index_t extent) {
  const find_outside<Index> outside{indices, {0, extent}};
  const index_t first =
      dispatch_reduce(space, operation, indices.size, outside, minimum<index_t>{});
  if (first == outside.none) return;
  throw extent_error(
      message({operation, ": index number ", first, " is outside out, which has extent ", extent}));
}

/// Lets the checked runtime look for elements of out that begin without a value.
template <class Space, class Indices, class Out>
void judge_sums(const Space& space, const Indices& indices, const Out& out) {
  if constexpr (checks_kernels<Space>)
    require_written_at(title_of(space, "scatter_add"), "out", out, indices);
}

/// Adds integer i to its element if the index is in range.
template <class Index, class T, bool OneThread>
struct add_integer {
  strided_line<Index> indices;
  strided_line<T> values;
  integer_bin_rule<Index> elements;
  T* out;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const index_t at = elements.locate(indices[i]);
    if (at != no_bin) add_to<OneThread>(out[at], values[i]);
  }
};

/// Reports in one line what cannot be added.
template <class Space, class Indices, class Values, class Out>
consteval bool check_scatter_add() {
  using T = typename Values::value_type;
  static_assert(Indices::rank() == 1 && Values::rank() == 1 && Out::rank() == 1,
                "tandem: scatter_add: indices, values and out have one dimension");
  constexpr bool indexed = check_index_type<typename Indices::value_type>();
  constexpr bool adds = atomic_number<T>;
  static_assert(adds || !indexed,
                "tandem: scatter_add: the elements are float, double or integers of 32 or 64 bits");
  constexpr bool one_type = std::is_same_v<T, typename Out::element_type>;
  static_assert(one_type || !adds || !indexed,
                "tandem: scatter_add: values and out have one element type, which is not const in "
                "out");
  static_assert(reaches<Space, Indices, Values, Out>,
                "tandem: scatter_add: the space cannot reach the memory of indices, values or out");
  return indexed && adds && one_type;
}

template <class Indices, class Values, class Out>
void require_scatter_add(const Indices& indices, const Values& values, const Out& out) {
  require_same_extents("scatter_add", "indices", indices, "values", values);
  require(out.size() <= 1 || out.stride(0) == 1, "scatter_add", "out is not contiguous");
  require(!overlaps(indices, out), "scatter_add", "indices and out overlap");
  require(!overlaps(values, out), "scatter_add", "values and out overlap");
  constexpr index_t most = std::numeric_limits<int>::max();
  if (out.size() > most)
    fail_extents("scatter_add", "extent of out", out.size(), ">", "most elements", most);
}

/// A weighted histogram of the indices, which count from `first`, that adds to its bins. The values
/// may be some of the `terms` of which the magnitude `*largest` is the largest.
template <class Space, class Indices, class Values, class Out>
void scatter_add_floats(const Space& space, const Indices& indices, const Values& values,
                        const Out& out, index_t first, index_t terms,
                        const typename Values::value_type* largest) {
  using Index = typename Indices::value_type;
  if constexpr (uses_hook<Space, hook::histogram>()) {
    histogram_problem problem;
    problem.bins = out.size();
    problem.rule = bin_rule::integer;
    problem.first = first;
    describe_values(problem, indices);
    describe_weights(problem, values, out);
    problem.adds = true;
    problem.terms = terms;
    problem.has_largest = largest != nullptr;
    if (largest != nullptr) problem.largest = static_cast<double>(*largest);
    problem.label = "scatter_add";
    dispatch_histogram(space, problem);
  } else {
    sum_generically(space, make_line(indices), integer_bin_rule<Index>(first, out.size()),
                    make_line(values), out.data_handle(), true, terms, largest);
  }
}

}  // namespace detail

/// Adds values by index: out(indices(i)) += values(i) for all i, in any order and with the same
/// bits. Each element of out receives the sum of its values in one addition.
///
/// @param indices  rank-1 operand of integers other than char, any stride; an index may come any
///                 number of times. A checked build (TANDEM_CHECKED) refuses one outside
///                 0 <= indices(i) < out.extent(0) and waits for the indices, so it cannot be
///                 recorded on a GPU; in other builds its value is left out, which costs nothing
/// @param values   rank-1 operand of the extent of indices, any stride: float, double, or integers
///                 of 32 or 64 bits, which wrap around
/// @param out      contiguous rank-1 operand of the type of values. An element whose values add up
///                 to zero, or that has none, keeps its bits
/// Errors          extent_error when the extents of indices and values differ, out has 2^31
///                 elements or more, and in a checked build for an index; argument_error when out
///                 overlaps an input, is not contiguous, or an operand has no memory or memory that
///                 the space cannot access. out is unchanged then. out_of_memory_error for scratch
/// Agreement       the same bits on every backend, thread count and device. The sums of floating
///                 point are those of a weighted histogram (docs/numerics.md), rounded, then added
///                 to out: integers at a scale given by the number of values and the largest finite
///                 magnitude among those in range; an element whose values are all small beside
///                 that has a scale for itself. Accuracy as for weights in a histogram, by element.
///                 A sum with a NaN or both
///                 infinities is NaN, with one infinity it is that
/// Complexity      integers: reads indices and values once and adds each atomically, without
///                 scratch. Floating point: as for weights in a histogram of out.extent(0) equal
///                 bins, and one addition to each element of out
/// Asynchronous on `space`.
template <execution_space Space, viewable Indices, viewable Values, viewable Out>
void scatter_add(const Space& space, Indices&& indices, Values&& values, Out&& out) {
  const auto at = detail::read_only(as_view(std::forward<Indices>(indices)));
  const auto from = detail::read_only(as_view(std::forward<Values>(values)));
  const auto to = as_view(std::forward<Out>(out));
  using Index = typename std::remove_const_t<decltype(at)>::value_type;
  using T = typename std::remove_const_t<decltype(from)>::value_type;
  if constexpr (detail::check_scatter_add<Space, decltype(at), decltype(from), decltype(to)>()) {
    const auto check = [&] {
      detail::require_scatter_add(at, from, to);
      return !at.empty();
    };
    const auto add = [&] {
      if constexpr (detail::checks_contents)
        detail::require_indices(space, "scatter_add", detail::make_line(at), to.size());
      detail::judge_sums(space, at, to);
      if (to.empty()) return;
      if constexpr (std::floating_point<T>) {
        detail::scatter_add_floats(space, at, from, to, 0, at.size(), nullptr);
      } else {
        using Add = detail::add_integer<Index, T, detail::runs_on_one_thread<Space>>;
        dispatch_for(
            space, "scatter_add", range{0, at.size()},
            Add{detail::make_line(at), detail::make_line(from), {0, to.size()}, to.data_handle()});
      }
    };
    detail::run(space, detail::call{"scatter_add",
                                    detail::profile_kind::region,
                                    {at.size(), to.size()},
                                    detail::operands{detail::input{"indices", at},
                                                     detail::input{"values", from},
                                                     detail::overwritten{"out", to}},
                                    check,
                                    add});
  }
}

/// Calls scatter_add(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { scatter_add(detail::here(), std::forward<Argument>(a)...); }
auto scatter_add(Argument&&... arguments) {
  return scatter_add(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
