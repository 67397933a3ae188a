// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/argminmax.hpp>
#include <tandem/algorithms/dot.hpp>
#include <tandem/algorithms/norms.hpp>
#include <tandem/distributed/stream/operations.hpp>

#include <type_traits>

/// Named reductions of operands of the host that pass through a space chunk by chunk. Each has the
/// bits, the results and the types of the one on one space, whatever the budget.
namespace tandem {

namespace detail {

/// The elements of a view by their flat, row-major index.
template <class View>
auto elements_by_number(const View& v) {
  if constexpr (std::is_same_v<typename View::layout_type, layout_right>) {
    return flattened(v);
  } else {
    return flat_elements<View>{v};
  }
}

/// Reduces make(elements...)(i) over the elements of views of equal extents.
template <class Space, class Reducer, class Make, class X, class... Rest>
auto reduce_elements(const streamed<Space>& how, const char* name, const Reducer& reducer,
                     const Make& make, const X& x, const Rest&... rest) {
  (require_same_extents(name, "x", x, "y", rest), ...);
  const auto terms_of = [&](const auto&... views) {
    return place_terms<Space, 1>(name, make(elements_by_number(views)...));
  };
  static_assert(rank_of<range> == 1);  // nvcc 13 takes it for no constant below otherwise
  using Function =
      decltype(make(elements_by_number(std::declval<const chunk_view<Space, const X>&>()),
                    elements_by_number(std::declval<const chunk_view<Space, const Rest>&>())...));
  const auto chosen = checked_reducer_for<term_type<Function, range>>(reducer);
  const range rows(x.extent(0));
  chunk_pipeline<Space, const X, const Rest...> chunks(how, name, rows, x, rest...);
  return reduce_chunks(
      how, name, rows, elements_of_row(x.extents()), chosen, chunks,
      [&](const auto&... views) { return make_load(range(x.size()), terms_of(views...), chosen); });
}

}  // namespace detail

/// Sum of x(i...) * y(i...) over operands of the host, as dot() on one space.
///
/// @param x, y  operands of one element type and of equal extents, of any layout
/// Errors       extent_error when extents differ; argument_error if the budget is too small; those
///              of one space
/// Complexity   moves x and y once
template <class Space, viewable X, viewable Y>
auto dot(const streamed<Space>& how, const X& x, const Y& y) {
  static_assert(std::is_same_v<element_of<X>, element_of<Y>>,
                "tandem: dot: x and y have one element type");
  return detail::reduce_elements(how, "dot", sum{}, detail::make_products{},
                                 detail::read_only(as_view(x)), detail::read_only(as_view(y)));
}

/// Smallest element of an operand of the host and its first position, as argmin() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  moves x once
template <class Space, viewable X>
auto argmin(const streamed<Space>& how, const X& x) {
  return detail::reduce_operand(how, "argmin", detail::read_only(as_view(x)),
                                minloc<element_of<X>>{});
}

/// Largest element of an operand of the host and its first position, as argmax() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  moves x once
template <class Space, viewable X>
auto argmax(const streamed<Space>& how, const X& x) {
  return detail::reduce_operand(how, "argmax", detail::read_only(as_view(x)),
                                maxloc<element_of<X>>{});
}

/// Sum of |x(i...)| over an operand of the host, as asum() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  moves x once
template <class Space, viewable X>
auto asum(const streamed<Space>& how, const X& x) {
  return detail::reduce_elements(how, "asum", sum{}, detail::make_magnitudes{},
                                 detail::read_only(as_view(x)));
}

/// Largest |x(i...)| of an operand of the host, as nrm_inf() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  moves x once
template <class Space, viewable X>
auto nrm_inf(const streamed<Space>& how, const X& x) {
  const auto v = detail::read_only(as_view(x));
  const auto largest = [&] {
    return detail::reduce_elements(how, "nrm_inf", maximum{}, detail::make_magnitudes{}, v);
  };
  return v.empty() ? decltype(largest()){0} : largest();
}

/// The Euclidean norm of an operand of the host, as norm2() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  moves x once, or twice if it has to scale; progress is then told twice
template <class Space, viewable X>
auto norm2(const streamed<Space>& how, const X& x) {
  return detail::norm_of_squares<element_of<X>>([&](double scale) {
    return detail::reduce_elements(how, "norm2", sum{}, detail::make_squares{scale},
                                   detail::read_only(as_view(x)));
  });
}

}  // namespace tandem
