// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// order_free_sum: terms added and cells merged by kernels.

#include "fuzz/oracles_histogram.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

template <class T, class Memory>
struct clear_cells {
  view<order_free_sum<T>, 1, layout_right, Memory> cells;
  TANDEM_FUNCTION void operator()(index_t c) const { cells(c) = {}; }
};

/// Adds term i to the cell of its class, alternating between two arrays.
template <class T, class Memory>
struct add_terms {
  view<const T, 1, layout_right, Memory> x;
  view<order_free_sum<T>, 1, layout_right, Memory> cells;
  fixed_point<T> scale;
  index_t count;

  TANDEM_FUNCTION void operator()(index_t i) const {
    cells(i % count + (i / count % 2) * count).add(scale, x(i));
  }
};

/// Merges the second array's cells into those of the first.
template <class T, class Memory>
struct merge_and_store {
  view<order_free_sum<T>, 1, layout_right, Memory> cells;
  view<T, 1, layout_right, Memory> out;
  fixed_point<T> scale;

  TANDEM_FUNCTION void operator()(index_t c) const {
    cells(c).merge(cells(c + out.size()));
    out(c) = cells(c).value(scale);
  }
};

template <class T>
struct order_free {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using memory = typename Space::memory_type;
    const auto flat = [](index_t n) {
      return placement<1>{extents<1>(n), extents<1>(1), guard, n + 2 * guard};
    };
    const index_t n = d.size("n", most, sizeof(T));
    const index_t count = d.number("cells", 1, d.one_in("many", 4) ? 5000 : 9);
    const index_t terms = (n / count + 1) << d.number("spare", 0, 30);
    placed<T, 1, Space> x(space, flat(n), draw_values(d, "values"));
    placed<T, 1, Space> out(space, flat(count), {1, 5});
    const T bound = draw_bound(d, x.elements());
    const oracle::sum_scale of_bound(bound, static_cast<std::uint64_t>(terms));
    std::vector<oracle::weighted_sum<T>> sums(static_cast<std::size_t>(count));
    for (index_t i = 0; i < n; ++i) {
      const T term = x(i);
      const bool too_large =
          std::isfinite(term) && std::fabs(double{term}) > std::ldexp(1.0, of_bound.exponent);
      sums[static_cast<std::size_t>(i % count)].add(
          of_bound, too_large ? std::numeric_limits<T>::quiet_NaN() : term);
    }
    for (index_t c = 0; c < count; ++c)
      out.expected(c) = sums[static_cast<std::size_t>(c)].result(of_bound);
    x.upload(space);
    out.upload(space);
    const auto scale = order_free_sum<T>::scale(bound, terms);
    array<order_free_sum<T>, 1, Space> cells(extents<1>(2 * count), space);
    run(
        space, draw_way(d), [] {},
        [&](const Space& s) {
          parallel_for(s, 2 * count, clear_cells<T, memory>{cells.view()});
          parallel_for(s, n, add_terms<T, memory>{x.packed(), cells.view(), scale, count});
          parallel_for(s, count, merge_and_store<T, memory>{cells.view(), out.packed(), scale});
        });
    out.check(space, "sums");
    return true;
  }

 private:
  /// Draws the largest finite magnitude, or a bound above or below it.
  static T draw_bound(draw& d, const std::vector<T>& terms) {
    T largest = 0;
    for (const T term : terms) {
      if (std::isfinite(term)) largest = std::max(largest, std::fabs(term));
    }
    const int power = static_cast<int>(d.number("bound", 0, 40));
    if (d.one_in("bound_is_low", 5)) return std::ldexp(largest, -power);
    const T above = std::ldexp(largest, power);
    return std::isfinite(above) ? above : largest;
  }
};

const registered all[] = {
    {"order_free_sum-float", on_a_space<order_free<float>>},
    {"order_free_sum-double", on_a_space<order_free<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
