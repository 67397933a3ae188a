// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/histogram.hpp>
#include <tandem/algorithms/generic/histogram.hpp>

#include <concepts>
#include <type_traits>

namespace tandem {

namespace detail {

template <class Space>
concept has_histogram = requires(const Space& space, const histogram_problem& problem) {
  dispatch_histogram(space, problem);
};

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

/// The values and the number of bins of a problem.
template <class X>
histogram_problem describe_values(const X& x, index_t bins) {
  histogram_problem problem;
  problem.x = x.data_handle();
  problem.x_type = element_type_of<typename X::value_type>();
  problem.size = x.size();
  problem.x_stride = x.stride(0);
  problem.bins = bins;
  return problem;
}

template <line X>
strided_line<typename X::value_type> make_line(const X& x) {
  return {x.data_handle(), x.size(), x.stride(0)};
}

template <class Space, class X, class Bins, class Counts, class... Edges>
void count_bins(const Space& space, const X& x, const Bins& bins, const Counts& counts,
                const Edges&... edges) {
  using T = typename X::value_type;
  using Count = typename Counts::value_type;
  static_assert(
      std::integral<Count> && (sizeof(Count) == 4 || sizeof(Count) == 8),
      "tandem: histogram: counts are integers of 32 or 64 bits; sums of weights take weights");
  require_input(space, "x", x);
  require_output(space, "counts", counts, x, edges...);
  histogram_problem problem = describe_values(x, counts.size());
  describe_bins<T>(space, problem, bins);
  if constexpr (has_histogram<Space>) {
    problem.counts = counts.data_handle();
    problem.count_bytes = sizeof(Count);
    dispatch_histogram(space, problem);
  } else {
    count_generically(space, make_line(x), make_bin_rule<T>(bins, problem.bins),
                      counts.data_handle());
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
  require_input(space, "x", x);
  require_input(space, "weights", weights);
  require_equal("histogram", "extent of x", x.size(), "extent of weights", weights.size());
  require_output(space, "sums", sums, x, weights, edges...);
  require_few_bins(sums.size());
  histogram_problem problem = describe_values(x, sums.size());
  describe_bins<T>(space, problem, bins);
  if constexpr (has_histogram<Space>) {
    problem.weights = weights.data_handle();
    problem.weight_type = element_type_of<W>();
    problem.weight_stride = weights.stride(0);
    problem.sums = sums.data_handle();
    dispatch_histogram(space, problem);
  } else {
    sum_generically(space, make_line(x), make_bin_rule<T>(bins, problem.bins), make_line(weights),
                    sums.data_handle());
  }
}

}  // namespace detail

/// Counts the values of x in equal bins over [lo, hi]; the last bin is closed, as numpy.histogram
/// has it.
///
///   tandem::histogram(space, x, {.lo = -4.f, .hi = 4.f}, counts);
///
/// @param x       rank-1 view of float or double, any stride; NaN and values outside [lo, hi] are
///                not counted
/// @param counts  contiguous rank-1 view of as many int32, uint32, int64 or uint64 as there are
///                bins; overwritten. 32-bit counts wrap around
/// Errors         argument_error when lo >= hi, either is not finite, counts is empty or not
///                contiguous or has no memory or overlaps an input; extent_error for 2^31 bins or
///                more. Nothing has been written then. out_of_memory_error for scratch
/// Agreement      the same counts on every backend, thread count and device
/// Asynchronous on `space`. Reads x once: x.size() * sizeof(T) bytes.
/// Source: edge rule of NumPy's np.histogram with range=(lo, hi) of Python floats, stated in
/// core/contract/histogram_bins.hpp. NumPy 2 computes the edges in float32 where the range is given
/// as float32 values, or not at all for float32 data; those edges differ in their last bit. Where
/// rounding makes edges coincide, NumPy raises and this counts: bins between equal edges are empty.
template <execution_space Space, detail::line X, detail::line Counts>
void histogram(const Space& space, const X& x, uniform_bins<typename X::value_type> bins,
               const Counts& counts) {
  detail::count_bins(space, x, bins, counts);
}

/// Counts the integers of x one by one: bin b counts the value first + b. Values outside are not
/// counted.
///
/// @param x  rank-1 view of any integer type, any stride
/// Errors    as above, and extent_error when first + bins - 1 overflows
template <execution_space Space, detail::line X, detail::line Counts>
  requires std::integral<typename X::value_type>
void histogram(const Space& space, const X& x, integer_bins bins, const Counts& counts) {
  detail::count_bins(space, x, bins, counts);
}

/// Counts the values of x, bin b those equal to b.
template <execution_space Space, detail::line X, detail::line Counts>
  requires std::integral<typename X::value_type>
void histogram(const Space& space, const X& x, const Counts& counts) {
  detail::count_bins(space, x, integer_bins{}, counts);
}

/// Counts the values of x between explicit edges: bin b counts edges[b] <= x < edges[b + 1], the
/// last one also its upper edge. Values below the first or above the last edge and NaN are not
/// counted.
///
/// @param x      rank-1 view of float, double or any integer type, any stride
/// @param edges  contiguous rank-1 view of bins + 1 values of x's type in ascending order, equal
///               ones allowed. The order is checked in memory of the host; in memory of a device it
///               is not, and counts mean nothing without it
/// Errors        as above, and extent_error when there are not bins + 1 edges, argument_error when
///               they do not ascend
template <execution_space Space, detail::line X, detail::line Edges, detail::line Counts>
void histogram(const Space& space, const X& x, const Edges& edges, const Counts& counts) {
  detail::count_bins(space, x, edges, counts, edges);
}

/// Sums weights in equal bins: sums(b) = the sum of weights(i) over the i whose x(i) falls into bin
/// b.
///
/// @param weights  rank-1 view of float or double, as many as x, any stride
/// @param sums     contiguous rank-1 view of the same type, one a bin; overwritten
/// Errors          as above, and extent_error when x and weights differ in extent or there are 2^31
///                 bins or more
/// Agreement       the same bits on every backend, thread count and device, in any order of
///                 addition: 64-bit fixed point (128-bit for double) at a scale given by the
///                 largest finite |weight|; the rule and its error are in
///                 core/contract/histogram_sums.hpp.
///                 A bin with a NaN or both infinities among its weights is NaN, with one infinity
///                 it is that
/// Asynchronous on `space`. Reads x once and weights twice; a GPU, which guesses the scale from a
/// sample of the weights, reads both once, or twice where the guess was wrong.
template <execution_space Space, detail::line X, detail::line Weights, detail::line Sums>
void histogram(const Space& space, const X& x, uniform_bins<typename X::value_type> bins,
               const Weights& weights, const Sums& sums) {
  detail::sum_bins(space, x, bins, weights, sums);
}

/// Sums weights by the integers of x.
template <execution_space Space, detail::line X, detail::line Weights, detail::line Sums>
  requires std::integral<typename X::value_type>
void histogram(const Space& space, const X& x, integer_bins bins, const Weights& weights,
               const Sums& sums) {
  detail::sum_bins(space, x, bins, weights, sums);
}

/// Sums weights between explicit edges.
template <execution_space Space, detail::line X, detail::line Edges, detail::line Weights,
          detail::line Sums>
void histogram(const Space& space, const X& x, const Edges& edges, const Weights& weights,
               const Sums& sums) {
  detail::sum_bins(space, x, edges, weights, sums, edges);
}

/// Calls histogram(space, x, bins, ...) on the default space, for bins in braces: the rest is
/// counts, or weights and sums.
template <detail::line X, detail::line... Rest>
  requires(sizeof...(Rest) == 1 || sizeof...(Rest) == 2)
void histogram(const X& x, uniform_bins<typename X::value_type> bins, const Rest&... rest) {
  histogram(default_instance<default_space>(), x, bins, rest...);
}
template <detail::line X, detail::line... Rest>
  requires(std::integral<typename X::value_type> && (sizeof...(Rest) == 1 || sizeof...(Rest) == 2))
void histogram(const X& x, integer_bins bins, const Rest&... rest) {
  histogram(default_instance<default_space>(), x, bins, rest...);
}

/// Calls histogram(space, x, ...) on the default space: the rest is counts; edges and counts; or
/// edges, weights and sums.
template <detail::line X, detail::line... Rest>
  requires(sizeof...(Rest) >= 1 && sizeof...(Rest) <= 3)
void histogram(const X& x, const Rest&... rest) {
  histogram(default_instance<default_space>(), x, rest...);
}

}  // namespace tandem
