// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/argminmax.hpp>
#include <tandem/algorithms/dot.hpp>
#include <tandem/algorithms/norms.hpp>
#include <tandem/distributed/operations/parallel_reduce.hpp>

#include <type_traits>

/// Named reductions on groups. Each has the bits, the results and the types of
/// the one on one space; arrays are sharded by one cut, or all replicated.
namespace tandem {

namespace detail {

/// Reduces make(lines...)(i) over the elements of sharded arrays of equal extents.
template <class Space, class Reducer, class Make, class X, class... Rest>
auto reduce_elements(const group<Space>& members, const char* name, const Reducer& reducer,
                     const Make& make, const X& x, const Rest&... rest) {
  [[maybe_unused]] const auto require_same = [&](const auto& other) {
    require_same_extents(name, "x", x, "y", other);
    require(other.is_replicated() == x.is_replicated(), name,
            "one operand is replicated and the other one is not");
  };
  (require_same(rest), ...);
  common_cut common(name);
  common.add(members, x);
  (common.add(members, rest), ...);
  const auto function = [&](int p) {
    return make(flattened(x.whole(p)), flattened(rest.whole(p))...);
  };
  static_assert(rank_of<range> == 1);  // nvcc 13 takes it for no constant below otherwise
  using Function = decltype(function(0));
  const auto chosen = checked_reducer_for<term_type<Function, range>>(reducer);
  const auto load_of = [&](int p) {
    return make_load(range(x.size()), place_terms<Space, 1>(name, function(p)), chosen);
  };
  return reduce_parts(members, name, x.size(), chosen, elements_of(x), load_of);
}

}  // namespace detail

/// Sum of x(i...) * y(i...), as dot() on one space.
///
/// Errors      extent_error when extents or cuts differ; argument_error for arrays of other
///             members, and if only one is replicated
/// Complexity  reads x and y once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X, detail::sharded_operand Y>
auto dot(const group<Space>& members, const X& x, const Y& y) {
  static_assert(std::is_same_v<typename X::value_type, typename Y::value_type>,
                "tandem: dot: x and y have one element type");
  return detail::reduce_elements(members, "dot", sum{}, detail::make_products{}, x, y);
}

/// Smallest element of x and its first position in the whole, as argmin() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  reads x once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X>
auto argmin(const group<Space>& members, const X& x) {
  return detail::reduce_array(members, "argmin", x, minloc<typename X::value_type>{});
}

/// Largest element of x and its first position in the whole, as argmax() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  reads x once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X>
auto argmax(const group<Space>& members, const X& x) {
  return detail::reduce_array(members, "argmax", x, maxloc<typename X::value_type>{});
}

/// Sum of |x(i...)|, as asum() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  reads x once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X>
auto asum(const group<Space>& members, const X& x) {
  return detail::reduce_elements(members, "asum", sum{}, detail::make_magnitudes{}, x);
}

/// Largest |x(i...)|, as nrm_inf() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  reads x once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X>
auto nrm_inf(const group<Space>& members, const X& x) {
  const auto largest = [&] {
    return detail::reduce_elements(members, "nrm_inf", maximum{}, detail::make_magnitudes{}, x);
  };
  return x.size() == 0 ? decltype(largest()){0} : largest();
}

/// The Euclidean norm, as norm2() on one space.
///
/// Errors      those of parallel_reduce
/// Complexity  reads x once, or twice if it has to scale
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X>
auto norm2(const group<Space>& members, const X& x) {
  return detail::norm_of_squares<typename X::value_type>([&](double scale) {
    return detail::reduce_elements(members, "norm2", sum{}, detail::make_squares{scale}, x);
  });
}

}  // namespace tandem
