// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/bench.hpp>
#include <perf/support/cublas.hpp>
#include <perf/support/gpu.cuh>

#include <cstdio>

namespace perf {

namespace {

template <class T, class Owner>
candidate matmul_of_host_arrays(const matmul_shape& shape) {
  auto space = std::make_shared<tandem::cuda>();
  auto a = host_elements<T, Owner>(*space, shape.m * shape.k, uniform_values<T>{a_seed});
  auto b = host_elements<T, Owner>(*space, shape.k * shape.n, uniform_values<T>{b_seed});
  auto c = make_host_array<T, Owner>(shape.m * shape.n);
  return on_host(
      [=](std::int64_t) {
        tandem::array<T, 2, tandem::cuda> device_a(tandem::extents<2>(shape.m, shape.k), *space);
        tandem::array<T, 2, tandem::cuda> device_b(tandem::extents<2>(shape.k, shape.n), *space);
        tandem::array<T, 2, tandem::cuda> device_c(tandem::extents<2>(shape.m, shape.n), *space);
        tandem::copy(*space, *a, device_a);
        tandem::copy(*space, *b, device_b);
        tandem::matmul(*space, device_a.const_view(), device_b.const_view(), device_c.view());
        tandem::copy(*space, device_c, *c);
        space->fence();
      },
      [=] { return summary_of(c->data_handle(), shape.m * shape.n); });
}

/// The library's handle is destroyed before the stream that it works on.
template <class T>
struct cublas_matrices : matrices<tandem::cuda, T> {
  explicit cublas_matrices(const matmul_shape& shape)
      : matrices<tandem::cuda, T>(shape), library(this->space->native_stream()) {}

  cublas library;
};

template <class T>
candidate cublas_matmul(const matmul_shape& shape) {
  auto data = std::make_shared<cublas_matrices<T>>(shape);
  const blas_product product{.numbers = sizeof(T) == 4 ? blas_numbers::f32 : blas_numbers::f64,
                             .m = shape.m,
                             .n = shape.n,
                             .k = shape.k};
  return resident(
      data->space,
      [=](std::int64_t round) {
        data->library.multiply(product, data->a.set(round).data_handle(),
                               data->b.set(round).data_handle(), data->c.set(round).data_handle());
      },
      [=] { return summary(*data->space, data->c.set(0)); });
}

template <class T>
void list_type(const settings& chosen, std::vector<benchmark>& benchmarks) {
  using tandem::matmul_kernel;
  for (const matmul_shape& shape : matmul_shapes(chosen)) {
    const problem solved = matmul_problem<T>(shape);
    const auto with_kernel = [&](matmul_kernel kernel, const char* variant) {
      benchmarks.push_back(tandem_on_gpu(
          solved, [=] { return resident_matmul<tandem::cuda, T>(shape, kernel); }, variant));
    };
    with_kernel(matmul_kernel::automatic, "resident");
    if (cublas::is_present())
      benchmarks.push_back(peer(solved, "cuda", "cublas", [=] { return cublas_matmul<T>(shape); }));
    with_kernel(matmul_kernel::naive, "naive");
    with_kernel(matmul_kernel::tiled, "tiled");
    add_through_host(benchmarks, solved, [=](auto owner) {
      return matmul_of_host_arrays<T, typename decltype(owner)::type>(shape);
    });
  }
}

void list_gpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (chosen.targets || !gpu_present()) return;
  if (!cublas::is_present()) std::printf("matmul: no libcublas here, so cuBLAS is not measured\n");
  list_type<float>(chosen, benchmarks);
  list_type<double>(chosen, benchmarks);
}

const registration gpu(list_gpu);

}  // namespace

}  // namespace perf
