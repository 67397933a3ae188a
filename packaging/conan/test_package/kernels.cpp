// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/tandem.hpp>

/// Returns the sum of the first n odd numbers. They are sorted first, so that the library's own
/// code is linked.
template <class Space>
double sum_of_odd_numbers(const Space& space, int n) {
  tandem::array<double, 1, Space> values(tandem::extents<1>(n), space);
  const auto v = values.view();
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(int i) { v(i) = 2.0 * (n - i) - 1.0; });
  tandem::sort(space, values);
  return tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return v(i); });
}

template double sum_of_odd_numbers(const tandem::build_space&, int);
