// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays and the host: mirror, to_vector and resize.

#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;

template <int Rank>
extents<Rank> draw_sizes(draw& d, const std::string& name, std::size_t bytes) {
  extents<Rank> sizes;
  index_t left = most;
  for (int k = Rank - 1; k >= 0; --k) {
    sizes[k] = d.size(name + std::to_string(k), left, bytes);
    left /= std::max<index_t>(sizes[k], 1);
  }
  return sizes;
}

/// Returns element i, row-major, of a view of rank 1 or 2.
template <class View>
decltype(auto) element(const View& v, index_t i) {
  if constexpr (View::rank() == 1) return v(i);
  if constexpr (View::rank() == 2) return v(i / v.extent(1), i % v.extent(1));
}

/// Reads a mirror, doubles its elements there and copies them back.
template <class T, int Rank>
struct mirrors {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const auto sizes = draw_sizes<Rank>(d, "extent", sizeof(T));
    placed<T, Rank, Space> x(space, draw_placement(d, "x", sizes, true), draw_values(d, "values"));
    x.upload(space);
    with_view(x, [&](const auto& v) {
      require_same(to_vector(space, v), x.elements(), "to_vector");
      auto on_host = mirror(space, v);
      const auto seen = as_view(on_host);
      for (index_t i = 0; i < x.size(); ++i) {
        T& value = element(seen, i);
        require_same(value, x(i), "mirror's element " + std::to_string(i));
        x.expected(i) = static_cast<T>(value + value);
        value = x.expected(i);
      }
      copy(space, on_host, v);
      space.fence();
    });
    x.check(space, "x");
    return true;
  }
};

template <class T, int Rank, class Layout>
struct resizes {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    extents<Rank> before = draw_sizes<Rank>(d, "before", sizeof(T));
    array<T, Rank, Space, Layout> a(before, space);
    std::vector<T> held = draw_values(d, "values").template make<T>(before.size());
    copy(space, held, a);
    const index_t steps = d.number("steps", 1, 3);
    for (index_t step = 0; step < steps; ++step) {
      const std::string name = "after" + std::to_string(step) + ".";
      extents<Rank> after = draw_sizes<Rank>(d, name, sizeof(T));
      if (d.one_in(name + "same", 6)) after = before;
      if (Rank > 1 && d.one_in(name + "columns", 3)) after[Rank - 1] = before[Rank - 1];
      if (after.size() > 4 * most) return true;
      resize(space, a, after);
      const std::vector<T> found = to_vector(space, a);
      require_same(static_cast<index_t>(found.size()), after.size(), "size");
      require_kept(found, after, held, before);
      held = found;
      before = after;
    }
    return true;
  }

 private:
  /// Checks that elements whose indices exist before and after keep their values.
  static void require_kept(const std::vector<T>& found, const extents<Rank>& after,
                           const std::vector<T>& held, const extents<Rank>& before) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto left = static_cast<index_t>(i);
      index_t old = 0;
      index_t scale = 1;
      bool existed = true;
      for (int k = Rank - 1; k >= 0; --k) {
        existed = existed && left % after[k] < before[k];
        old += left % after[k] * scale;
        scale *= before[k];
        left /= after[k];
      }
      if (existed)
        require_same(found[i], held[static_cast<std::size_t>(old)], "element " + std::to_string(i));
    }
  }
};

const registered all[] = {
    {"mirror-float", on_a_space<mirrors<float, 1>>},
    {"mirror-plane", on_a_space<mirrors<double, 2>>},
    {"mirror-bytes", on_a_space<mirrors<std::uint8_t, 2>>},
    {"resize-float", on_a_space<resizes<float, 1, layout_right>>},
    {"resize-plane", on_a_space<resizes<double, 2, layout_right>>},
    {"resize-columns", on_a_space<resizes<std::int16_t, 2, layout_left>>},
    {"resize-volume", on_a_space<resizes<float, 3, layout_right>>},
};

}  // namespace
}  // namespace tandem::fuzz
