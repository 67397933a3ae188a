// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves the heat equation on a square by explicit steps: a stencil over a two-dimensional grid.
// The start is an eigenvector of the discrete Laplacian, which each step scales by a known factor.
// `heat_equation picture.png` writes a picture of the end.
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <tandem/tandem.hpp>

#include "png.hpp"

namespace {

using field = tandem::array<double, 2>;

/// after = before + rate * (the five-point Laplacian of before), with zeros around the square.
void step(const field& before, field& after, int n, double rate) {
  const auto u = before.const_view();
  const auto v = after.view();
  tandem::parallel_for(
      tandem::grid{n, n}, TANDEM_LAMBDA(int j, int i) {
        const double north = j > 0 ? u(j - 1, i) : 0.0;
        const double south = j + 1 < n ? u(j + 1, i) : 0.0;
        const double west = i > 0 ? u(j, i - 1) : 0.0;
        const double east = i + 1 < n ? u(j, i + 1) : 0.0;
        v(j, i) = u(j, i) + rate * (north + south + west + east - 4.0 * u(j, i));
      });
}

/// A palette of glowing metal: black, red, yellow, white.
std::vector<std::array<std::uint8_t, 3>> glowing(const std::vector<double>& heat) {
  std::vector<std::array<std::uint8_t, 3>> pixels;
  pixels.reserve(heat.size());
  const auto part = [](double x) {
    return std::uint8_t(255 * tandem::max(0.0, tandem::min(1.0, x)));
  };
  for (const double h : heat) pixels.push_back({part(3 * h), part(3 * h - 1), part(3 * h - 2)});
  return pixels;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = 127, steps = 500;
  const double rate = 0.2, angle = 3.14159265358979323846 / (n + 1);
  tandem::array<double> wave(n);
  std::vector<double> sines(n);
  for (int i = 0; i < n; ++i) sines[std::size_t(i)] = std::sin(angle * (i + 1));
  tandem::copy(sines, wave);
  const auto sine = wave.const_view();
  field now({n, n}), next({n, n});
  const auto start = now.view();
  tandem::parallel_for(
      tandem::grid{n, n}, TANDEM_LAMBDA(int j, int i) { start(j, i) = sine(j) * sine(i); });

  for (int s = 0; s < steps; ++s) {
    step(now, next, n, rate);
    std::swap(now, next);
  }

  const double half = std::sin(angle / 2);
  const double left = std::pow(1.0 - 8.0 * rate * half * half, steps);
  const auto u = now.const_view();
  const double error = tandem::parallel_reduce(
      tandem::grid{n, n},
      TANDEM_LAMBDA(int j, int i) { return tandem::abs(u(j, i) - left * sine(j) * sine(i)); },
      tandem::maximum{});
  std::printf("heat after %d steps: %.6f of it is left, error %.1e\n", steps, left, error);
  if (argc > 1 && !example::write_png(argv[1], n, n, glowing(tandem::to_vector(now)))) {
    std::printf("cannot write %s\n", argv[1]);
    return 1;
  }
  return error < steps * 1e-15 ? 0 : 1;  // some roundings of 1.1e-16 per step
}
