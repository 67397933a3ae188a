// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each backend (tandem_add_sources).
#include "odd_number.h"

#include <string>

namespace {

/// Each object has one, because its linkage is internal: it may differ between objects.
std::string name_of_build() { return tandem::build_space::name; }

}  // namespace

/// Returns the sum over i < n of 2 i + 1, which is n * n.
template <class Space>
double sum_of_odd_numbers(const Space& space, int n) {
  tandem::array<double, 1, Space> values(tandem::extents<1>(n), space);
  const auto v = values.view();
  const odd_number odd;
  tandem::parallel_for(
      space, n, TANDEM_LAMBDA(int i) { v(i) = odd(i); });
  return tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return v(i); });
}

/// Returns the name of the space whose object this function of `Space` is in.
template <class Space>
std::string compiled_for(const Space&) {
  return name_of_build();
}

template double sum_of_odd_numbers(const tandem::build_space&, int);
template std::string compiled_for(const tandem::build_space&);
