// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// k-means (Lloyd's algorithm) in the plane. A weighted histogram adds up the points of each cluster
// with the same bits on every backend, so the clusters are the same too.
#include <cmath>
#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

namespace {

using column = tandem::array<double>;

/// label(i) is the cluster whose centre is nearest to point i.
void assign(const column& x, const column& y, const column& centre_x, const column& centre_y,
            tandem::array<int>& label) {
  const auto xv = x.const_view(), yv = y.const_view();
  const auto cx = centre_x.const_view(), cy = centre_y.const_view();
  const auto nearest = label.view();
  const int clusters = int(cx.size());
  tandem::parallel_for(
      int(xv.size()), TANDEM_LAMBDA(int i) {
        int best = 0;
        double least = 1e300;
        for (int c = 0; c < clusters; ++c) {
          const double dx = xv(i) - cx(c), dy = yv(i) - cy(c);
          const double distance = dx * dx + dy * dy;
          if (distance < least) best = c;
          least = tandem::min(least, distance);
        }
        nearest(i) = best;
      });
}

/// Moves each centre to the mean of its points, in one coordinate.
void average(const tandem::array<int>& label, const column& x, const column& ones, column& centre) {
  column sums(centre.extents()), counts(centre.extents());
  tandem::histogram(label, tandem::integer_bins{}, x, sums);
  tandem::histogram(label, tandem::integer_bins{}, ones, counts);
  tandem::transform(
      sums, counts, centre,
      TANDEM_LAMBDA(double sum, double count) { return count > 0 ? sum / count : 0.0; });
}

}  // namespace

int main() {
  const int n = 100000, clusters = 4;
  column x(n), y(n), ones({n}, 1.0);
  const auto xv = x.view(), yv = y.view();
  tandem::parallel_for(
      n, TANDEM_LAMBDA(int i) {  // squares of side 1 around the corners of one of side 4
        const double u = i * 0.6180339887498949, v = i * 0.7548776662466927;
        xv(i) = 4.0 * (i % 2) + u - tandem::floor(u) - 0.5;
        yv(i) = 4.0 * (i / 2 % 2) + v - tandem::floor(v) - 0.5;
      });

  auto centre_x = column::of({1, 3, 1, 3}), centre_y = column::of({1, 1, 2, 2});
  tandem::array<int> label(n);
  for (int iteration = 0; iteration < 10; ++iteration) {
    assign(x, y, centre_x, centre_y, label);
    average(label, x, ones, centre_x);
    average(label, y, ones, centre_y);
  }

  bool right = true;
  const std::vector<double> found_x = tandem::to_vector(centre_x),
                            found_y = tandem::to_vector(centre_y);
  for (int c = 0; c < clusters; ++c) {
    const double cx = found_x[std::size_t(c)], cy = found_y[std::size_t(c)];
    std::printf("cluster %d at (%.4f, %.4f)\n", c, cx, cy);
    const int column = c % 2, row = c / 2;
    right = right && std::abs(cx - 4.0 * column) < 0.01 && std::abs(cy - 4.0 * row) < 0.01;
  }
  return right ? 0 : 1;
}
