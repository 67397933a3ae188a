// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <type_traits>

namespace perf {

/// What is drawn.
enum class drawn { bits, uniform, normal };

/// The distribution of tandem::fill_random.
template <drawn Kind>
constexpr auto distribution_of() {
  if constexpr (Kind == drawn::bits) return tandem::random_bits{};
  if constexpr (Kind == drawn::uniform) return tandem::uniform{};
  if constexpr (Kind == drawn::normal) return tandem::normal{};
}

/// The problem of drawing n elements of T.
template <drawn Kind, class T>
problem draw_problem(index_t n);

/// Outcome of draws: the hash of all bits, and the sum of squares, of integers as parts of 2^32.
template <class Space, class View>
outcome draw_outcome(const Space& space, const View& x) {
  using T = typename View::value_type;
  constexpr double unit = std::is_integral_v<T> ? 0x1p-32 : 1;
  const auto elements = on_the_host(space, x);
  double squares[4] = {};  // chains of additions that do not wait for each other
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double value = unit * static_cast<double>(elements[i]);
    squares[i % 4] += value * value;
  }
  return {fingerprint(elements.data(), elements.size() * sizeof(T)),
          squares[0] + squares[1] + squares[2] + squares[3]};
}

/// Makes a candidate that calls enqueue(space, x) on n elements of T. One array: those of
/// the benchmarks are larger than any cache.
template <class Space, class T, class Enqueue>
candidate resident_draw(const std::shared_ptr<Space>& space, index_t n, const Enqueue& enqueue) {
  auto x = std::make_shared<array<T, 1, Space>>(extents<1>(n), *space);
  return resident(
      space, [=](std::int64_t) { enqueue(*space, x->view()); },
      [=] { return draw_outcome(*space, x->view()); });
}

/// Makes tandem's candidate.
template <class Space, drawn Kind, class T>
candidate random_by_tandem(index_t n) {
  return resident_draw<Space, T>(std::make_shared<Space>(), n,
                                 [](const Space& space, const auto& x) {
                                   tandem::fill_random(space, x, distribution_of<Kind>(), 20260101);
                                 });
}

}  // namespace perf
