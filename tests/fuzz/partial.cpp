// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// partial_reduce, combine and finish: a whole range cut anywhere, its parts joined in any grouping.

#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 17;

/// Term i of a whole range, which one view holds.
template <class T, class Memory>
struct term_of_whole {
  view<const T, 1, layout_stride, Memory> x;
  TANDEM_FUNCTION T operator()(index_t i) const { return x(i); }
};

/// Returns where the parts of n terms begin: multiples of the tile, some of them more than once,
/// and n.
std::vector<index_t> draw_cuts(draw& d, index_t n, index_t tile) {
  std::vector<index_t> cuts{0};
  const index_t parts = d.number("parts", 1, 7);
  for (index_t k = 1; k < parts; ++k)
    cuts.push_back(tile * d.number("cut" + std::to_string(k), 0, n / tile));
  std::sort(cuts.begin(), cuts.end());
  cuts.push_back(n);
  return cuts;
}

/// Joins neighbouring parts, each time the pair that the draw names, until one is left.
template <class Part>
Part joined(draw& d, std::vector<Part> parts) {
  for (int step = 0; parts.size() > 1; ++step) {
    const auto at = static_cast<std::size_t>(
        d.number("join" + std::to_string(step), 0, static_cast<index_t>(parts.size()) - 2));
    parts[at] = combine(parts[at], parts[at + 1]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return parts[0];
}

template <class Tested>
struct partials {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    const auto reducer = Tested::make();
    using part = partial<std::remove_const_t<decltype(reducer)>>;
    const index_t n = d.size("n", most, sizeof(T));
    placed<T, 1, Space> x(space, draw_placement(d, "x", extents<1>(n), false),
                          draw_values(d, "values"));
    x.upload(space);
    const std::vector<index_t> cuts = draw_cuts(d, n, part::tile);
    if (d.one_in("misplaced", 20)) {
      return runs_unless<argument_error>(true, "the part begins within a tile", [&] {
        partial_reduce(space, x.strided(), part::tile - 1, reducer);
      });
    }
    const bool by_function = d.one_in("function", 2);
    std::vector<part> parts;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const range of{cuts[k], cuts[k + 1]};
      if (by_function) {
        const term_of_whole<T, typename Space::memory_type> f{x.strided()};
        parts.push_back(partial_reduce(space, of, f, reducer));
      } else {
        const auto window = subview(x.strided(), slice(of.begin, of.end));
        parts.push_back(partial_reduce(space, window, of.begin, reducer));
      }
    }
    require_result(finish(joined(d, parts)), Tested::expected(x.elements()));
    return true;
  }
};

const registered all[] = {
    {"partial-sum-float", on_a_space<partials<sums<float, float>>>},
    {"partial-sum-double", on_a_space<partials<sums<double, double>>>},
    {"partial-started", on_a_space<partials<started<float>>>},
    {"partial-sum-int8", on_a_space<partials<sums<std::int8_t, std::int64_t>>>},
    {"partial-minloc", on_a_space<partials<positions<float, false>>>},
    {"partial-combined", on_a_space<partials<combined>>},
    {"partial-ordered", on_a_space<partials<ordered>>},
};

}  // namespace
}  // namespace tandem::fuzz
