// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Steps of one run, and each step's passes over whole arrays: p is read and q = A p written; x, r,
/// p and q are read and x and r written; r and p are read and p written.
inline constexpr int conjugate_gradient_steps = 10;
inline constexpr double conjugate_gradient_passes = 2 + 6 + 3;

/// A scalar whose value is known when a loop starts; called like a view.
struct known_scalar {
  double value;
  TANDEM_FUNCTION double operator()() const { return value; }
};

/// Steps of the method of conjugate gradients for the 5-point operator on a plane, from zero. Each
/// step fuses its two sums with the loops that store their operands; the scalars stay in the
/// space's memory.
template <class Space>
struct conjugate_gradient {
  using plane = array<double, 2, Space>;
  using scalar = array<double, 0, Space>;

  static constexpr const char* name = "conjugate_gradient";
  static constexpr const char* type = "f64";
  /// The hand-written versions add in another order: 10 steps of sums of some 10^7 terms, whose
  /// errors are below 10^7 roundings of 2^-53 each.
  static constexpr double error = 1e-8;

  static inline const kernel_sizes sizes{{{500, 500}, {1000, 1000}, {4096, 4096}}};
  static constexpr kernel_cost cost_each{
      .bytes = sizeof(double) * (conjugate_gradient_steps * conjugate_gradient_passes + 4)};

  conjugate_gradient(const Space& space, const kernel_size& size)
      : b({size[0] + 2, size[1] + 2}, 0.0, space),
        x({size[0] + 2, size[1] + 2}, 0.0, space),
        r({size[0] + 2, size[1] + 2}, 0.0, space),
        p({size[0] + 2, size[1] + 2}, 0.0, space),
        q({size[0] + 2, size[1] + 2}, 0.0, space),
        rr({}, 0.0, space),
        alpha({}, space),
        beta({}, space) {
    make_right_side(space);
  }

  void make_right_side(const Space& space) {
    const auto right = b.view();
    const uniform_values<double> values{1};
    tandem::parallel_for(
        space, inside(),
        TANDEM_LAMBDA(int j, int i) { right(j, i) = values(index_t{j} * 65536 + i); });
  }

  auto inside() const { return tandem::grid{{1, b.extent(0) - 1}, {1, b.extent(1) - 1}}; }
  void reset(const Space& space) { tandem::fill(space, x, 0.0); }
  /// The sum of the squares of x.
  outcome result(const Space& space) {
    const auto elements = on_the_host(space, x.view());
    double total = 0;
    for (const double element : elements) total += element * element;
    return {fingerprint(elements.data(), elements.size() * sizeof(double)), total};
  }

  void run(const Space& space) {
    start(space);
    for (int step = 0; step < conjugate_gradient_steps; ++step) {
      multiply(space);
      update(space);
      turn(space);
    }
  }

  /// x = 0, r = p = b; rr = r r.
  void start(const Space& space) {
    const auto right = b.const_view();
    const auto xv = x.view();
    const auto rv = r.view();
    const auto pv = p.view();
    tandem::parallel_reduce_into(
        space, inside(),
        TANDEM_LAMBDA(int j, int i) {
          const double value = right(j, i);
          xv(j, i) = 0;
          rv(j, i) = value;
          pv(j, i) = value;
          return value * value;
        },
        tandem::sum<double>{}, rr);
  }

  /// A scalar as terms read it: its value on a CPU, whose compiler would reload it after each
  /// store.
  static auto readable(const scalar& x) {
    if constexpr (Space::memory_type::host_accessible) {
      return known_scalar{x()};
    } else {
      return x.const_view();
    }
  }

  /// q = A p; alpha = rr over p q.
  void multiply(const Space& space) {
    const auto pv = p.const_view();
    const auto qv = q.view();
    const auto square = rr.const_view();
    tandem::parallel_reduce_into(
        space, inside(),
        TANDEM_LAMBDA(int j, int column) {
          const index_t i = column;  // so that neighbours have one address on a GPU
          const double centre = pv(j, i);
          const double product =
              4 * centre - (pv(j - 1, i) + pv(j + 1, i) + pv(j, i - 1) + pv(j, i + 1));
          qv(j, i) = product;
          return centre * product;
        },
        tandem::finished_reducer(
            tandem::sum<double>{}, TANDEM_LAMBDA(double pq) { return square() / pq; }),
        alpha);
  }

  /// x += alpha p, r -= alpha q; beta = new r r over old, rr = the new one. A term loads
  /// everything before it stores, since the compiler must assume that the arrays alias.
  void update(const Space& space) {
    const auto pv = p.const_view();
    const auto qv = q.const_view();
    const auto xv = x.view();
    const auto rv = r.view();
    const auto a = readable(alpha);
    const auto square = rr.view();
    tandem::parallel_reduce_into(
        space, inside(),
        TANDEM_LAMBDA(int j, int i) {
          const double step = a();
          const double moved = xv(j, i) + step * pv(j, i);
          const double residual = rv(j, i) - step * qv(j, i);
          xv(j, i) = moved;
          rv(j, i) = residual;
          return residual * residual;
        },
        tandem::finished_reducer(
            tandem::sum<double>{},
            TANDEM_LAMBDA(double next) {
              const double before = square();
              square() = next;
              return next / before;
            }),
        beta);
  }

  /// p = r + beta p.
  void turn(const Space& space) {
    const auto rv = r.const_view();
    const auto pv = p.view();
    const auto factor = readable(beta);
    tandem::parallel_for(
        space, inside(),
        TANDEM_LAMBDA(int j, int i) { pv(j, i) = rv(j, i) + factor() * pv(j, i); });
  }

  plane b;
  plane x;
  plane r;
  plane p;
  plane q;
  scalar rr;
  scalar alpha;
  scalar beta;
};

}  // namespace perf
