// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <string>

namespace perf {

/// The shape of a product: a is m x k and b is k x n; sizes are written m x k x n.
struct matmul_shape {
  index_t m;
  index_t k;
  index_t n;
};

/// c = a b, `batch` times; sizes of batches are written batch x m x k x n.
struct product {
  index_t batch;
  matmul_shape shape;

  index_t a_size() const { return shape.m * shape.k; }
  index_t b_size() const { return shape.k * shape.n; }
  index_t c_size() const { return shape.m * shape.n; }
  double multiplications() const {
    return static_cast<double>(batch) * static_cast<double>(shape.m) *
           static_cast<double>(shape.n) * static_cast<double>(shape.k);
  }
  std::string text() const {
    const std::string one =
        std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" + std::to_string(shape.n);
    return batch == 1 ? one : std::to_string(batch) + "x" + one;
  }
};

/// The report's products: single ones, then batches of small ones.
std::vector<product> matmul_products(const settings& chosen);

/// T is float or double.
template <class T>
problem matmul_problem(const product& size);

inline constexpr std::uint64_t a_seed = 7;
inline constexpr std::uint64_t b_seed = std::uint64_t{1} << 41;

/// Multiplies contiguous matrices by tandem.
template <class Space, class T>
void multiply(const Space& space, const product& size, const T* a, const T* b, T* c,
              tandem::matmul_kernel kernel = tandem::matmul_kernel::automatic) {
  using memory = typename Space::memory_type;
  const auto [m, k, n] = size.shape;
  if (size.batch == 1) {
    tandem::matmul(space, tandem::as_view<memory>(a, m, k), tandem::as_view<memory>(b, k, n),
                   tandem::as_view<memory>(c, m, n), {.kernel = kernel});
  } else {
    tandem::matmul(space, tandem::as_view<memory>(a, size.batch, m, k),
                   tandem::as_view<memory>(b, size.batch, k, n),
                   tandem::as_view<memory>(c, size.batch, m, n), {.kernel = kernel});
  }
}

/// The data of a candidate.
template <class Space, class T>
struct matrices {
  explicit matrices(const product& size)
      : a(*space, size.batch * size.a_size(), 3),
        b(*space, size.batch * size.b_size(), 3),
        c(*space, size.batch * size.c_size(), 3) {
    a.fill(*space, uniform_values<T>{a_seed});
    b.fill(*space, uniform_values<T>{b_seed});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> a;
  rotating_array<T, Space> b;
  rotating_array<T, Space> c;
};

/// Makes a candidate on data in the space's memory.
template <class Space, class T>
candidate resident_matmul(const product& size,
                          tandem::matmul_kernel kernel = tandem::matmul_kernel::automatic) {
  auto data = std::make_shared<matrices<Space, T>>(size);
  return resident(
      data->space,
      [=](std::int64_t round) {
        multiply<Space, T>(*data->space, size, data->a.set(round).data_handle(),
                           data->b.set(round).data_handle(), data->c.set(round).data_handle(),
                           kernel);
      },
      [=] { return summary(*data->space, data->c.set(0)); });
}

}  // namespace perf
