// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gravity between all pairs of bodies, by the leapfrog scheme. Energy and momentum show whether it
// is right.
#include <cstdio>

#include <tandem/tandem.hpp>

namespace {

constexpr int bodies = 512;
constexpr double softening = 0.05;  // added to distances, to limit the force between close pairs
constexpr double mass = 1.0 / bodies;
using vectors = tandem::array<double, 2>;  // (body, x y z)

/// velocity += step * acceleration, which the positions of all bodies determine.
void kick(const vectors& position, vectors& velocity, double step) {
  const auto p = position.const_view();
  const auto v = velocity.view();
  tandem::parallel_for(
      bodies, TANDEM_LAMBDA(int i) {
        double pull[3] = {};
        for (int j = 0; j < bodies; ++j) {
          const double d[3] = {p(j, 0) - p(i, 0), p(j, 1) - p(i, 1), p(j, 2) - p(i, 2)};
          const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
          const double factor = mass / (r2 * tandem::sqrt(r2));
          for (int c = 0; c < 3; ++c) pull[c] += factor * d[c];
        }
        for (int c = 0; c < 3; ++c) v(i, c) += step * pull[c];
      });
}

/// position += step * velocity.
void drift(vectors& position, const vectors& velocity, double step) {
  tandem::transform(
      position, velocity, position,
      TANDEM_LAMBDA(double x, double v) { return tandem::fma(step, v, x); });
}

/// Returns the kinetic plus the potential energy.
double energy(const vectors& position, const vectors& velocity) {
  const auto p = position.const_view(), v = velocity.const_view();
  return tandem::parallel_reduce(
      bodies, TANDEM_LAMBDA(int i) {
        double sum = 0;
        for (int c = 0; c < 3; ++c) sum += 0.5 * mass * v(i, c) * v(i, c);
        for (int j = 0; j < i; ++j) {
          double r2 = softening * softening;
          for (int c = 0; c < 3; ++c) r2 += (p(j, c) - p(i, c)) * (p(j, c) - p(i, c));
          sum -= mass * mass / tandem::sqrt(r2);
        }
        return sum;
      });
}

}  // namespace

int main() {
  vectors position({bodies, 3}), velocity({bodies, 3}, 0.0);
  tandem::fill_random(position, tandem::uniform{-1, 1}, 3);
  const double before = energy(position, velocity);
  const int steps = 100;
  const double step = 0.005;
  for (int s = 0; s < steps; ++s) {
    kick(position, velocity, step / 2);
    drift(position, velocity, step);
    kick(position, velocity, step / 2);
  }
  const double change = (energy(position, velocity) - before) / before;
  const double momentum = mass * tandem::parallel_reduce(velocity);
  std::printf("after %d steps: energy changed by %.1e of itself, momentum is %.1e\n", steps, change,
              momentum);
  return tandem::abs(change) < 1e-3 && tandem::abs(momentum) < 1e-13 ? 0 : 1;
}
