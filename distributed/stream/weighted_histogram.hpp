// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/weighted_parts.hpp>
#include <tandem/distributed/stream/operations.hpp>

#include <concepts>
#include <type_traits>

namespace tandem {

namespace detail {

/// The elements and weights of operands of the host, which reach the lanes of a streamed space in
/// chunks.
template <class Space, class X, class Weights>
struct chunked_pieces {
  using x_value = typename X::value_type;
  using weight = typename Weights::value_type;
  static constexpr bool one_per_member = false;

  const streamed<Space>& how;
  const X& x;
  const Weights& weights;

  index_t size() const { return x.size(); }
  template <class Step>
  void for_each(const Step& step) const {
    chunk_pipeline<Space, const X, const Weights> chunks(how, "histogram", range(x.extent(0)), x,
                                                         weights);
    chunks.run([&](int lane, const range& rows, const auto& values, const auto& of_values) {
      as_lines(
          how.lanes().member(lane),
          [&](const auto& line, const auto& of_line) {
            step(lane, make_line(line), make_line(of_line));
          },
          read_only(rows_of_view(values, rows)), read_only(rows_of_view(of_values, rows)));
    });
  }
  weight largest(const char* name) const {
    return reduce_operand(how, name, weights, largest_finite<weight>{});
  }
};

template <class Space, class X, class Bins, class Weights, class Sums>
void sum_chunks(const streamed<Space>& how, const X& x, const Bins& bins, const Weights& weights,
                const Sums& sums) {
  using W = typename Weights::value_type;
  static_assert(std::same_as<W, float> || std::same_as<W, double>,
                "tandem: histogram: weights are float or double");
  static_assert(std::same_as<W, typename Sums::value_type>,
                "tandem: histogram: sums have the element type of weights");
  static_assert(compiles_loops<Space>,
                "tandem: weighted histograms of this backend under streamed need this file "
                "compiled by its own compiler (tandem_add_sources in CMake does so)");
  const Space& space = how.lanes().member(0);
  require_same_extents("histogram", "x", x, "weights", weights);
  require_output(serial{}, "sums", sums, x, weights);
  require_few_bins(sums.size());
  const chunked_pieces<Space, X, Weights> pieces{how, x, weights};
  const auto results =
      sum_pieces(how.lanes(), "histogram", pieces, sums.size(), [&](int) { return bins; });
  copy(space, results, sums);
  space.fence();
}

}  // namespace detail

/// Sums weights in the bins of an operand of the host, as histogram() on one space and with its
/// bits.
///
/// @param x, weights  operands of the host of equal extents
/// @param bins        as for counts under streamed
/// @param sums        contiguous rank-1 operand of the host, of the weights' type; overwritten
/// Errors             argument_error if the budget is too small; those of histogram on one space
/// Complexity         moves the weights once for the largest of them, and x and weights once more
///                    for the sums; again if the largest weight has no bin, and twice more if bins
///                    of small weights alone need scales for themselves. Scratch: three times 16
///                    bytes per bin (24 for double), for each of the space's streams. Progress
///                    counts the rows of each pass
template <class Space, viewable X, viewable Weights, viewable Sums>
void histogram(const streamed<Space>& how, const X& x, uniform_bins<element_of<X>> bins,
               const Weights& weights, Sums&& sums) {
  detail::sum_chunks(how, detail::read_only(as_view(x)), bins, detail::read_only(as_view(weights)),
                     as_view(sums));
}
template <class Space, viewable X, viewable Weights, viewable Sums>
  requires std::integral<element_of<X>>
void histogram(const streamed<Space>& how, const X& x, integer_bins bins, const Weights& weights,
               Sums&& sums) {
  detail::sum_chunks(how, detail::read_only(as_view(x)), bins, detail::read_only(as_view(weights)),
                     as_view(sums));
}

}  // namespace tandem
