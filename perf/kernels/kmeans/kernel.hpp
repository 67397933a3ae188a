// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <limits>

namespace perf {

/// Dimensions of the points, and the number of centroids.
inline constexpr int kmeans_dimensions = 4;
inline constexpr int kmeans_centroids = 64;

/// More than any distance.
inline constexpr float farthest = std::numeric_limits<float>::infinity();

/// The square of the distance of two points with these differences of coordinates.
TANDEM_FUNCTION inline float squared_distance(float d0, float d1, float d2, float d3) {
  return tandem::fma(d0, d0, tandem::fma(d1, d1, tandem::fma(d2, d2, d3 * d3)));
}

/// The coordinates of a centroid, loaded as one word of 16 bytes.
struct alignas(16) centroid_word {
  float x0, x1, x2, x3;
};

/// The assignment step of k-means: the number of each point's nearest centroid, the first of
/// equally near ones. The number of points is even.
template <class Space>
struct kmeans {
  static constexpr const char* name = "kmeans_assignment";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{{{1 << 18}, {1 << 20}, {1 << 22}}, {{1 << 24}}};
  /// 8 operations for a distance and one comparison.
  static constexpr kernel_cost cost_each{.flops = 9.0 * kmeans_centroids};

  kmeans(const Space& space, const kernel_size& size)
      : points(filled(space, kmeans_dimensions * size[0], uniform_values<float>{1})),
        centroids(filled(space, kmeans_dimensions * kmeans_centroids, uniform_values<float>{2})),
        label(extents<1>(size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, label, -1); }
  outcome result(const Space& space) { return summary(space, label.view()); }

  /// Two points per index share each centroid that is loaded.
  void run(const Space& space) {
    const auto n = static_cast<int>(label.size());
    const auto of = points.const_view();
    const auto centre = tandem::as_view<typename Space::memory_type>(
        reinterpret_cast<const centroid_word*>(centroids.data_handle()), kmeans_centroids);
    const auto out = label.view();
    const int half = n / 2;
    tandem::parallel_for(
        space, half, TANDEM_LAMBDA(int i) {
          const int k = half + i;
          const float p[] = {of(i), of(n + i), of(2 * n + i), of(3 * n + i)};
          const float q[] = {of(k), of(n + k), of(2 * n + k), of(3 * n + k)};
          float nearest[] = {farthest, farthest};
          int at[] = {0, 0};
          for (int c = 0; c < kmeans_centroids; ++c) {
            const auto& m = centre(c);
            const float from_p =
                squared_distance(p[0] - m.x0, p[1] - m.x1, p[2] - m.x2, p[3] - m.x3);
            const float from_q =
                squared_distance(q[0] - m.x0, q[1] - m.x1, q[2] - m.x2, q[3] - m.x3);
            at[0] = from_p < nearest[0] ? c : at[0];
            at[1] = from_q < nearest[1] ? c : at[1];
            nearest[0] = from_p < nearest[0] ? from_p : nearest[0];
            nearest[1] = from_q < nearest[1] ? from_q : nearest[1];
          }
          out(i) = at[0];
          out(k) = at[1];
        });
  }

  array<float, 1, Space> points;     ///< all first coordinates, all second ones, ..
  array<float, 1, Space> centroids;  ///< all coordinates of the first one, ..
  array<int, 1, Space> label;
};

}  // namespace perf
