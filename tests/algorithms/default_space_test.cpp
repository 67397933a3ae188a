// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions into memory without naming a space: the results of the calls with one.

#include <doctest/doctest.h>

#include <vector>

#include "support/data.hpp"

#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

/// Element i of a view, as a term.
struct element {
  tandem::view<const float, 1, tandem::layout_right, tandem::default_space::memory_type> x;

  TANDEM_FUNCTION float operator()(int i) const { return x(i); }
};

/// The result, on the host.
float value_of(const tandem::array<float, 0>& out) {
  float value = 0;
  tandem::copy(out.const_view(), tandem::as_view<tandem::host_memory>(&value));
  return value;
}

}  // namespace

TEST_CASE("parallel_reduce_into: views and functions of indices on the default space") {
  const int n = 300007;
  const auto values = random_values<float>(std::size_t{n}, 1);
  tandem::array<float> x(n);
  tandem::copy(values, x);
  tandem::array<float, 0> out(tandem::extents<0>{});
  tandem::parallel_reduce_into(x.const_view(), tandem::sum<float>{}, out.view());
  CHECK(same_bits(value_of(out), tandem::parallel_reduce(x.const_view())));
  tandem::parallel_reduce_into(n, element{x.const_view()}, tandem::maximum<float>{}, out.view());
  const float largest = tandem::parallel_reduce(x.const_view(), tandem::maximum<float>{});
  CHECK(same_bits(value_of(out), largest));
}
