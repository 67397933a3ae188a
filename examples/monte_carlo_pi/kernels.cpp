// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each backend of the build, as in one_source.
#include <cstdint>
#include <utility>

#include <tandem/tandem.hpp>

/// Returns how many of n random points of the unit square lie inside the quarter circle, and the
/// mean height of the circle above a random x.
///
/// Point i is (x_i, y_i), drawn in the kernel: nothing is stored, and the point depends on i and
/// the seeds alone. tandem's sums have the same bits everywhere too.
template <class Space>
std::pair<std::int64_t, double> sample_circle(const Space& space, std::int64_t n,
                                              std::uint64_t seed) {
  const auto x = tandem::random_values<double>(tandem::uniform{}, seed);
  const auto y = tandem::random_values<double>(tandem::uniform{}, seed + 1);
  const auto is_inside = TANDEM_LAMBDA(std::int64_t i) {
    const auto point = static_cast<std::uint64_t>(i);
    return std::int64_t{tandem::fused_dot(x(point), x(point), y(point), y(point)) < 1 ? 1 : 0};
  };
  const auto height = TANDEM_LAMBDA(std::int64_t i) {
    const double at = x(static_cast<std::uint64_t>(i));
    return tandem::sqrt(tandem::fma(-at, at, 1.0));
  };
  return {tandem::parallel_reduce(space, n, is_inside),
          tandem::parallel_reduce(space, n, height) / static_cast<double>(n)};
}

template std::pair<std::int64_t, double> sample_circle(const tandem::build_space&, std::int64_t,
                                                       std::uint64_t);
