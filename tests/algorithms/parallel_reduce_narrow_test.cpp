// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/results.hpp"

#include <cstdint>

using namespace tandem::test;

// Reductions with accumulators for which a row of lanes holds less than 128 bytes of elements:
// several results of floats, and sums of bytes.

namespace {

/// Checks the elements starting at `first`, on the host and in the space's memory.
template <class T, class Space, class Reducer>
void check_narrow(const Space& space, const std::vector<T>& values, std::size_t first,
                  const Reducer& reducer) {
  const tandem::serial reference;
  const auto n = static_cast<tandem::index_t>(values.size());
  const tandem::slice part{static_cast<tandem::index_t>(first), n};
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  INFO("n = " << n << ", first = " << first);
  const auto view = tandem::subview(x.const_view(), part);
  const auto wanted =
      tandem::parallel_reduce(reference, tandem::subview(r.const_view(), part), reducer);
  CHECK(same_result(tandem::parallel_reduce(space, view, reducer), wanted));
  tandem::array<typename Reducer::result, 1, Space> out(tandem::extents<1>(1), space);
  tandem::parallel_reduce_into(space, view, reducer, tandem::subview(out.view(), 0));
  CHECK(same_result(to_host(space, out)[0], wanted));
}

/// Sizes near tiles of 512, warps' units of 4096 and blocks of them, with grids of one and more
/// waves.
const std::size_t sizes[] = {1,    511,  512,   513,    4095,    4096,          4097,
                             8191, 8193, 12289, 131071, 1000003, 9437184 + 4097};

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: four results of floats have the bits of serial", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::combined_reducer four{tandem::sum<float>{}, tandem::minimum<float>{},
                                      tandem::maximum<float>{}, tandem::product<float>{}};
  for (const std::size_t n : sizes) {
    check_narrow(space, random_values<float>(n, n), 0, four);
    if (n > 8) check_narrow(space, random_values<float>(n, n), 4, four);
  }
  check_narrow(space, random_values<float>(70001, 1), 1, four);
}

TEST_CASE_TEMPLATE("parallel_reduce: several results of hostile values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::combined_reducer extremes{tandem::minimum<float>{}, tandem::maximum<float>{},
                                          tandem::sum<float>{}};
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    check_narrow(space, hostile_values<float>(100003, kind), 0, extremes);
  }
  // With only zeros of both signs, the result is the first one in the reduction order.
  std::vector<float> zeros(50000);
  for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = i % 3 == 1 ? -0.0f : 0.0f;
  check_narrow(space, zeros, 0, extremes);
}

TEST_CASE_TEMPLATE("parallel_reduce: bytes have the bits of serial at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : sizes) {
    const auto values = random_values<std::uint8_t>(n, n);
    check_narrow(space, values, 0, tandem::sum<std::int64_t>{});
    check_narrow(space, values, 0, tandem::sum<float>{});
    check_narrow(space, values, 0, tandem::minmax<std::uint8_t>{});
  }
  check_narrow(space, random_values<std::int8_t>(99991, 3), 16, tandem::sum<std::int64_t>{});
}
