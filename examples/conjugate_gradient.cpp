// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves A u = b by conjugate gradients; A is the five-point Laplacian of a square. Scalar products
// have the same bits on every backend, and so does the number of iterations.
#include <cstdio>
#include <utility>

#include <tandem/tandem.hpp>

namespace {

constexpr int n = 64;
using field = tandem::array<double, 2>;

/// q = A p, with zeros around the square.
void apply(const field& p, field& q) {
  const auto u = p.const_view();
  const auto v = q.view();
  tandem::parallel_for(
      tandem::grid{n, n}, TANDEM_LAMBDA(int j, int i) {
        const double north = j > 0 ? u(j - 1, i) : 0.0;
        const double south = j + 1 < n ? u(j + 1, i) : 0.0;
        const double west = i > 0 ? u(j, i - 1) : 0.0;
        const double east = i + 1 < n ? u(j, i + 1) : 0.0;
        v(j, i) = 4.0 * u(j, i) - north - south - west - east;
      });
}

/// y = y * scale + x * factor.
void combine(double scale, field& y, double factor, const field& x) {
  tandem::transform(
      y, x, y, TANDEM_LAMBDA(double a, double b) { return tandem::fma(factor, b, scale * a); });
}

}  // namespace

int main() {
  field u({n, n}, 0.0), r({n, n}), p({n, n}), q({n, n});
  tandem::fill_random(r, tandem::uniform{-1, 1}, 11);  // b - A u, for u = 0
  field b({n, n});
  tandem::copy(r, b);
  tandem::copy(r, p);

  const double start = tandem::dot(r, r);
  double rest = start;
  int iterations = 0;
  while (rest > 1e-24 * start && iterations < 1000) {
    apply(p, q);
    const double step = rest / tandem::dot(p, q);
    combine(1, u, step, p);
    combine(1, r, -step, q);
    const double next = tandem::dot(r, r);
    combine(next / rest, p, 1, r);
    rest = next;
    ++iterations;
  }

  // Computes the residual from the solution itself rather than from the recurrence.
  apply(u, q);
  combine(-1, q, 1, b);
  const double error = tandem::norm2(q) / tandem::norm2(b);
  std::printf("%d iterations, |b - A u| = %.1e |b|\n", iterations, error);
  return error < 1e-11 && iterations < 1000 ? 0 : 1;
}
