// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// c = a b with a: m x k and b: k x n; sizes are written m x k x n.
struct matmul_shape {
  tandem::index_t m;
  tandem::index_t k;
  tandem::index_t n;
};

std::vector<matmul_shape> matmul_shapes(const settings& chosen);

/// T is float or double.
template <class T>
problem matmul_problem(const matmul_shape& shape);

inline constexpr std::uint64_t a_seed = 7;
inline constexpr std::uint64_t b_seed = std::uint64_t{1} << 41;

/// The data of a candidate.
template <class Space, class T>
struct matrices {
  using memory_type = typename Space::memory_type;

  explicit matrices(const matmul_shape& chosen)
      : shape(chosen),
        a(*space, shape.m * shape.k, 3),
        b(*space, shape.k * shape.n, 3),
        c(*space, shape.m * shape.n, 3) {
    a.fill(*space, uniform_values<T>{a_seed});
    b.fill(*space, uniform_values<T>{b_seed});
  }

  auto a_matrix(tandem::index_t round) {
    return tandem::as_view<memory_type>(static_cast<const T*>(a.set(round).data_handle()), shape.m,
                                        shape.k);
  }
  auto b_matrix(tandem::index_t round) {
    return tandem::as_view<memory_type>(static_cast<const T*>(b.set(round).data_handle()), shape.k,
                                        shape.n);
  }
  auto c_matrix(tandem::index_t round) {
    return tandem::as_view<memory_type>(c.set(round).data_handle(), shape.m, shape.n);
  }

  matmul_shape shape;
  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> a;
  rotating_array<T, Space> b;
  rotating_array<T, Space> c;
};

/// Makes a candidate on data in the space's memory.
template <class Space, class T>
candidate resident_matmul(const matmul_shape& shape,
                          tandem::matmul_kernel kernel = tandem::matmul_kernel::automatic) {
  auto data = std::make_shared<matrices<Space, T>>(shape);
  return resident(
      data->space,
      [=](std::int64_t round) {
        tandem::matmul(*data->space, data->a_matrix(round), data->b_matrix(round),
                       data->c_matrix(round), {.kernel = kernel});
      },
      [=] { return summary(*data->space, data->c.set(0)); });
}

}  // namespace perf
