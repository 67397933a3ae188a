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

/// The assignment step of k-means: the number of each point's nearest centroid, the first of
/// equally near ones.
template <class Space>
struct kmeans {
  static constexpr const char* name = "kmeans_assignment";
  static constexpr const char* type = "f32";

  static std::vector<kernel_size> sizes(const settings& chosen) {
    return sizes_of<Space>(chosen, {1 << 18}, {1 << 22}, {1 << 24});
  }
  /// 8 operations for a distance and one comparison.
  static kernel_cost cost(const kernel_size& size) {
    return {.flops = 9.0 * kmeans_centroids * static_cast<double>(size[0])};
  }

  kmeans(const Space& space, const kernel_size& size)
      : points(filled(space, kmeans_dimensions * size[0], uniform_values<float>{1})),
        centroids(filled(space, kmeans_dimensions * kmeans_centroids, uniform_values<float>{2})),
        label(tandem::extents<1>(size[0]), space) {}

  void reset(const Space& space) { tandem::fill(space, label, -1); }
  outcome result(const Space& space) { return summary(space, label.view()); }

  void run(const Space& space) {
    const auto n = static_cast<int>(label.size());
    const auto of = points.const_view();
    const auto centre = centroids.const_view();
    const auto out = label.view();
    tandem::parallel_for(
        space, n, TANDEM_LAMBDA(int i) {
          constexpr int all = kmeans_centroids;
          const float p[] = {of(i), of(n + i), of(2 * n + i), of(3 * n + i)};
          float nearest = farthest;
          int at = 0;
          for (int c = 0; c < all; ++c) {
            const float distance =
                squared_distance(p[0] - centre(c), p[1] - centre(all + c),
                                 p[2] - centre(2 * all + c), p[3] - centre(3 * all + c));
            at = distance < nearest ? c : at;
            nearest = distance < nearest ? distance : nearest;
          }
          out(i) = at;
        });
  }

  tandem::array<float, 1, Space> points;     ///< all first coordinates, all second ones, ..
  tandem::array<float, 1, Space> centroids;  ///< likewise
  tandem::array<int, 1, Space> label;
};

}  // namespace perf
