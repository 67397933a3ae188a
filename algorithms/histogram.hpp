// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/histogram.hpp>
#include <tandem/algorithms/detail/lines.hpp>
#include <tandem/algorithms/generic/histogram.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

template <class T>
uniform_bin_rule<T> make_bin_rule(const uniform_bins<T>& bins, index_t count) {
  return {bins.lo, bins.hi, count};
}
template <class T>
integer_bin_rule<T> make_bin_rule(const integer_bins& bins, index_t count) {
  return {bins.first, count};
}
template <class T, line Edges>
edge_bin_rule<T> make_bin_rule(const Edges& edges, index_t count) {
  return {edges.data_handle(), count};
}

/// Stores the values of a rank-1 view in a problem.
template <line X>
void describe_values(histogram_problem& problem, const X& x) {
  require_offsets("x", x);
  problem.x = x.data_handle();
  problem.x_type = element_type_of<typename X::value_type>;
  problem.size = x.size();
  problem.x_stride = x.stride(0);
}

/// Stores the weights of a rank-1 view and their sums in a problem.
template <line Weights, class Sums>
void describe_weights(histogram_problem& problem, const Weights& weights, const Sums& sums) {
  require_offsets("weights", weights);
  problem.weights = weights.data_handle();
  problem.weight_type = element_type_of<typename Weights::value_type>;
  problem.weight_stride = weights.stride(0);
  problem.sums = sums.data_handle();
}

template <line X>
strided_line<typename X::value_type> make_line(const X& x) {
  return {x.data_handle(), x.size(), x.stride(0)};
}

/// Calls count(line...) with the elements of views as rank-1 views: in place if their strides are
/// uniform.
template <class Space, class Count, class X, class... View>
void as_lines(const Space& space, const Count& count, const X& x, const View&... views) {
  if constexpr (X::rank() == 1) {
    count(x, views...);
  } else {
    with_lines(space, count, x, views...);
  }
}

template <class Space, class X, class Bins, class Counts, class... Edges>
void count_bins(const Space& space, const X& x, const Bins& bins, const Counts& counts,
                const Edges&... edges) {
  using T = typename X::value_type;
  using Count = typename Counts::value_type;
  static_assert(
      std::integral<Count> && (sizeof(Count) == 4 || sizeof(Count) == 8),
      "tandem: histogram: counts are integers of 32 or 64 bits; sums of weights take weights");
  if constexpr (check_histogram_input<Space, X>() && check_histogram_output<Space, Counts>()) {
    histogram_problem problem;
    const auto check = [&] {
      require_operand(space, "histogram", "x", x);
      require_output(space, "counts", counts, x, edges...);
      describe_bins<T>(space, problem, bins, counts.size());
    };
    const auto count = [&]<class Line>(const Line& line) {
      describe_values(problem, line);
      if constexpr (uses_hook<Space, hook::histogram>()) {
        problem.counts = counts.data_handle();
        problem.count_bytes = sizeof(Count);
        dispatch_histogram(space, problem);
      } else {
        count_generically(space, make_line(line), make_bin_rule<T>(bins, problem.bins),
                          counts.data_handle());
      }
    };
    run(space, call{"histogram",
                    profile_kind::region,
                    {x.size(), counts.size()},
                    operands{validated_input{"x", x}, validated{counts}},
                    check,
                    [&] { as_lines(space, count, x); }});
  }
}

template <class Space, class X, class Bins, class Weights, class Sums, class... Edges>
void sum_bins(const Space& space, const X& x, const Bins& bins, const Weights& weights,
              const Sums& sums, const Edges&... edges) {
  using T = typename X::value_type;
  using W = typename Weights::value_type;
  static_assert(std::same_as<W, float> || std::same_as<W, double>,
                "tandem: histogram: weights are float or double");
  static_assert(std::same_as<W, typename Sums::value_type>,
                "tandem: histogram: sums have the element type of weights");
  if constexpr (check_histogram_input<Space, X>() && check_histogram_input<Space, Weights>() &&
                check_histogram_output<Space, Sums>()) {
    histogram_problem problem;
    const auto check = [&] {
      require_operand(space, "histogram", "x", x);
      require_operand(space, "histogram", "weights", weights);
      require_same_extents("histogram", "x", x, "weights", weights);
      require_output(space, "sums", sums, x, weights, edges...);
      require_few_bins(sums.size());
      describe_bins<T>(space, problem, bins, sums.size());
    };
    const auto sum = [&](const auto& line, const auto& of_line) {
      describe_values(problem, line);
      describe_weights(problem, of_line, sums);
      if constexpr (uses_hook<Space, hook::histogram>()) {
        dispatch_histogram(space, problem);
      } else {
        sum_generically(space, make_line(line), make_bin_rule<T>(bins, problem.bins),
                        make_line(of_line), sums.data_handle());
      }
    };
    run(space, call{"histogram",
                    profile_kind::region,
                    {x.size(), sums.size()},
                    operands{validated_input{"x", x}, validated_input{"weights", weights},
                             validated{sums}},
                    check,
                    [&] { as_lines(space, sum, x, weights); }});
  }
}

}  // namespace detail

/// Counts the values of x in equal bins over [lo, hi]; the last bin is closed, as numpy.histogram
/// has it.
///
///   tandem::histogram(space, x, {.lo = -4.f, .hi = 4.f}, counts);
///
/// @param x       view, array or container of float or double, of any rank and layout; NaN and
///                values outside [lo, hi] are not counted
/// @param bins    {.lo, .hi}, finite, lo < hi: the edges are lo + b (hi - lo) / n for n bins
/// @param counts  contiguous rank-1 operand of as many int32, uint32, int64 or uint64 as there are
///                bins; overwritten. 32-bit counts wrap around
/// Errors         argument_error when lo >= hi, either is not finite, counts is empty or not
///                contiguous or has no memory or overlaps an input; extent_error for 2^31 bins or
///                more. Nothing has been written then. out_of_memory_error for scratch
/// Agreement      the same counts on every backend, thread count and device
/// Complexity     reads x once; a GPU reads it once per part of the bins that fits shared memory, 6
///                times at most. Scratch: private bins per thread of openmp, none elsewhere; and a
///                copy of x if it has several dimensions and is not uniformly strided, such as the
///                interior of a padded grid
/// Asynchronous on `space`.
/// Source: edge rule of NumPy's np.histogram with range=(lo, hi) of Python floats, stated in
/// core/contract/histogram_bins.hpp. NumPy 2 computes the edges in float32 if the range is given as
/// float32 values, or not at all for float32 data; those edges differ in their last bit. If
/// rounding makes edges coincide, NumPy raises and this counts: bins between equal edges are empty.
template <execution_space Space, viewable X, viewable Counts>
void histogram(const Space& space, X&& x, uniform_bins<element_of<X>> bins, Counts&& counts) {
  detail::count_bins(space, as_view(std::forward<X>(x)), bins,
                     as_view(std::forward<Counts>(counts)));
}

/// Counts the integers of x one by one: bin b counts the value first + b. Values outside are not
/// counted.
///
/// @param x       operand of any integer type but char, rank and layout. Bytes are unsigned char:
///                char is signed on many machines, and does not compile here
/// @param bins    {.first}: the value that bin 0 counts
/// @param counts  as for equal bins
/// Errors         as for equal bins, and extent_error when first + bins - 1 overflows
/// Agreement      the same counts on every backend, thread count and device
/// Complexity     as for equal bins
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Counts>
  requires std::integral<element_of<X>>
void histogram(const Space& space, X&& x, integer_bins bins, Counts&& counts) {
  detail::count_bins(space, as_view(std::forward<X>(x)), bins,
                     as_view(std::forward<Counts>(counts)));
}

/// Counts the values of x, bin b those equal to b.
///
/// @param x       operand of any integer type but char, rank and layout; values outside
///                0 .. bins - 1 are not counted
/// @param counts  as for equal bins
/// Complexity     as for equal bins
template <execution_space Space, viewable X, viewable Counts>
  requires std::integral<element_of<X>>
void histogram(const Space& space, X&& x, Counts&& counts) {
  detail::count_bins(space, as_view(std::forward<X>(x)), integer_bins{},
                     as_view(std::forward<Counts>(counts)));
}

/// Counts the values of x between explicit edges: bin b counts edges[b] <= x < edges[b + 1], the
/// last one also its upper edge. Values below the first or above the last edge and NaN are not
/// counted.
///
/// @param x      operand of float, double or any integer type but char, of any rank and layout
/// @param edges  contiguous rank-1 operand of bins + 1 values of x's type in ascending order, equal
///               ones allowed. The order is checked in memory of the host; in memory of a device it
///               is not, and counts mean nothing without it
/// Errors        as above, and extent_error when there are not bins + 1 edges, argument_error when
///               they do not ascend
/// Complexity    as for equal bins, and a search of O(log bins) per value at most; memory of the
///               host: one pass over the edges that checks their order
template <execution_space Space, viewable X, viewable Edges, viewable Counts>
void histogram(const Space& space, X&& x, Edges&& edges, Counts&& counts) {
  const auto between = as_view(std::forward<Edges>(edges));
  detail::count_bins(space, as_view(std::forward<X>(x)), between,
                     as_view(std::forward<Counts>(counts)), between);
}

/// Sums weights in equal bins: sums(b) is the sum of weights(i) over all i with x(i) in bin b.
///
/// @param weights  operand of float or double with the extents of x, any layout
/// @param sums     contiguous rank-1 operand of the same type, one a bin; overwritten
/// Errors          as above, and extent_error when x and weights differ in extent or there are 2^31
///                 bins or more
/// Agreement       the same bits on every backend, thread count and device, in any order of
///                 addition: 64-bit fixed point (128-bit for double) at a scale given by the
///                 largest finite |weight| with a bin; a bin of small weights alone has a scale for
///                 itself. The rule and the error are in core/numbers/fixed_point.hpp: for n up to
///                 2^24 floats, at most k 2^-27 times the largest of a bin's k weights. A bin with
///                 a NaN or both infinities among its weights is NaN, with one infinity it is that
/// Complexity      reads x once and weights twice; a CPU reads both once more if a weight without a
///                 bin was the largest. A GPU guesses the scale from a sample of the weights: it
///                 reads both once, or twice if the guess was wrong, per part of the bins, as for
///                 counts. Bins that need scales for themselves take two more passes; they are rare
///                 unless bins have one or two weights each. Scratch: 12 bytes per bin (20 for
///                 double) and thread on a CPU, 28 (44) per bin on a GPU; copies of operands as for
///                 counts
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Weights, viewable Sums>
void histogram(const Space& space, X&& x, uniform_bins<element_of<X>> bins, Weights&& weights,
               Sums&& sums) {
  detail::sum_bins(space, as_view(std::forward<X>(x)), bins,
                   as_view(std::forward<Weights>(weights)), as_view(std::forward<Sums>(sums)));
}

/// Sums weights by the integers of x.
///
/// @param x              operand of any integer type but char, rank and layout
/// @param bins           {.first}: bin b sums the weights of the value first + b
/// @param weights, sums  as for equal bins, with the same errors and agreement
/// Complexity            as for weights in equal bins
template <execution_space Space, viewable X, viewable Weights, viewable Sums>
  requires std::integral<element_of<X>>
void histogram(const Space& space, X&& x, integer_bins bins, Weights&& weights, Sums&& sums) {
  detail::sum_bins(space, as_view(std::forward<X>(x)), bins,
                   as_view(std::forward<Weights>(weights)), as_view(std::forward<Sums>(sums)));
}

/// Sums weights between explicit edges.
///
/// @param x, edges       as for counts between explicit edges
/// @param weights, sums  as for equal bins, with the same errors and agreement
/// Complexity            as for weights in equal bins, and the search of counts between explicit
///                       edges
template <execution_space Space, viewable X, viewable Edges, viewable Weights, viewable Sums>
void histogram(const Space& space, X&& x, Edges&& edges, Weights&& weights, Sums&& sums) {
  const auto between = as_view(std::forward<Edges>(edges));
  detail::sum_bins(space, as_view(std::forward<X>(x)), between,
                   as_view(std::forward<Weights>(weights)), as_view(std::forward<Sums>(sums)),
                   between);
}

/// Calls histogram(space, x, bins, ...) on the default space, for bins in braces: the rest is
/// counts, or weights and sums.
template <viewable X, viewable... Rest>
  requires(sizeof...(Rest) == 1 || sizeof...(Rest) == 2)
void histogram(X&& x, uniform_bins<element_of<X>> bins, Rest&&... rest) {
  histogram(detail::here(), std::forward<X>(x), bins, std::forward<Rest>(rest)...);
}
template <viewable X, viewable... Rest>
  requires(std::integral<element_of<X>> && (sizeof...(Rest) == 1 || sizeof...(Rest) == 2))
void histogram(X&& x, integer_bins bins, Rest&&... rest) {
  histogram(detail::here(), std::forward<X>(x), bins, std::forward<Rest>(rest)...);
}

/// Calls histogram(space, x, ...) on the default space: the rest is counts; edges and counts; or
/// edges, weights and sums.
template <viewable X, viewable... Rest>
  requires(sizeof...(Rest) >= 1 && sizeof...(Rest) <= 3)
void histogram(X&& x, Rest&&... rest) {
  histogram(detail::here(), std::forward<X>(x), std::forward<Rest>(rest)...);
}

}  // namespace tandem
