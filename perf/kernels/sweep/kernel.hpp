// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

namespace perf {

/// Arrays of Poisson's equation on a plane with a fixed border: the right-hand side, scaled by the
/// square of the mesh width, and the solution.
template <class Space, class T>
struct poisson_plane {
  poisson_plane(const Space& space, const kernel_size& size)
      : f({size[0], size[1]}, space), u({size[0], size[1]}, space) {
    fill_with(space, flat(f), uniform_values<T>{1});
  }
  void reset(const Space& space) { tandem::fill(space, u, T(0)); }
  outcome result(const Space& space) { return summary(space, u.view()); }

  static auto flat(array<T, 2, Space>& a) {
    return tandem::as_view<typename Space::memory_type>(a.data_handle(), a.size());
  }
  static inline const kernel_sizes sizes{{{1000, 1000}, {2000, 2000}, {4096, 4096}}};

  array<T, 2, Space> f;
  array<T, 2, Space> u;
};

/// Two sweeps of Jacobi's method, from u to v and back.
template <class Space>
struct jacobi : poisson_plane<Space, double> {
  static constexpr const char* name = "jacobi";
  static constexpr const char* type = "f64";

  static constexpr kernel_cost cost_each{.bytes = 2 * 3 * sizeof(double)};

  jacobi(const Space& space, const kernel_size& size)
      : poisson_plane<Space, double>(space, size), v({size[0], size[1]}, 0.0, space) {}

  void run(const Space& space) {
    sweep(space, this->u.const_view(), v.view());
    sweep(space, v.const_view(), this->u.view());
  }

  template <class Input, class Output>
  void sweep(const Space& space, const Input& in, const Output& out) {
    const auto right = this->f.const_view();
    tandem::parallel_for(
        space, tandem::grid{{1, in.extent(0) - 1}, {1, in.extent(1) - 1}},
        TANDEM_LAMBDA(index_t j, index_t i) {
          out(j, i) =
              0.25 * (in(j - 1, i) + in(j + 1, i) + in(j, i - 1) + in(j, i + 1) + right(j, i));
        });
  }

  array<double, 2, Space> v;
};

/// A red and a black sweep of Gauss and Seidel's method, in place. Columns are even in number.
template <class Space>
struct red_black : poisson_plane<Space, float> {
  using poisson_plane<Space, float>::poisson_plane;
  static constexpr const char* name = "red_black";
  static constexpr const char* type = "f32";

  /// Each sweep reads all lines of both arrays and writes those of u.
  static constexpr kernel_cost cost_each{.bytes = 2 * 3 * sizeof(float)};

  void run(const Space& space) {
    sweep(space, 0);
    sweep(space, 1);
  }

  void sweep(const Space& space, int colour) {
    const auto x = this->u.view();
    const auto right = this->f.const_view();
    tandem::parallel_for(
        space, tandem::grid{{1, x.extent(0) - 1}, {0, x.extent(1) / 2 - 1}},
        TANDEM_LAMBDA(int j, int m) {
          const int i = 1 + 2 * m + ((j + colour) & 1);
          x(j, i) = 0.25f * (x(j - 1, i) + x(j + 1, i) + x(j, i - 1) + x(j, i + 1) + right(j, i));
        });
  }
};

}  // namespace perf
