// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/tandem.hpp>

/// Writes 2 i + 1 on `space`, adds it up and compares with n * n. These are inline templates, so
/// that code from headers in a user's file is linked with the library's.
template <class Space>
bool triad_sum_is_right(const Space& space) {
  constexpr int n = 1000;
  tandem::array<double, 1, Space> values(tandem::extents<1>(n), space);
  const auto v = values.view();
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(int i) { v(i) = 2.0 * i + 1.0; });
  const double total = tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return v(i); });
  return total == double(n) * n;
}
