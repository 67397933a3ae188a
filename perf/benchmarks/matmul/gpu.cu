// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/bench.hpp>
#include <perf/support/cublas.hpp>
#include <perf/support/gpu.cuh>

#include <cstdio>

namespace perf::matmul_gpu {

template <class T, class Owner>
candidate matmul_of_host_arrays(const product& size) {
  auto space = std::make_shared<cuda>();
  const index_t a_elements = size.batch * size.a_size();
  const index_t b_elements = size.batch * size.b_size();
  const index_t c_elements = size.batch * size.c_size();
  auto a = host_elements<T, Owner>(*space, a_elements, uniform_values<T>{a_seed});
  auto b = host_elements<T, Owner>(*space, b_elements, uniform_values<T>{b_seed});
  auto c = make_host_array<T, Owner>(c_elements);
  return on_host(
      [=](std::int64_t) {
        device_array<T> device_a(extents<1>(a_elements), *space);
        device_array<T> device_b(extents<1>(b_elements), *space);
        device_array<T> device_c(extents<1>(c_elements), *space);
        tandem::copy(*space, *a, device_a);
        tandem::copy(*space, *b, device_b);
        multiply<cuda, T>(*space, size, device_a.data_handle(), device_b.data_handle(),
                          device_c.data_handle());
        tandem::copy(*space, device_c, *c);
        space->fence();
      },
      [=] { return summary_of(c->data_handle(), c_elements); });
}

/// The library's handle is destroyed before the stream that it works on.
template <class T>
struct cublas_matrices : matrices<cuda, T> {
  explicit cublas_matrices(const product& size)
      : matrices<cuda, T>(size), library(this->space->native_stream()) {}

  cublas library;
};

template <class T>
candidate cublas_matmul(const product& size) {
  auto data = std::make_shared<cublas_matrices<T>>(size);
  const blas_product called{.numbers = sizeof(T) == 4 ? blas_numbers::f32 : blas_numbers::f64,
                            .m = size.shape.m,
                            .n = size.shape.n,
                            .k = size.shape.k,
                            .batch = size.batch};
  return resident(
      data->space,
      [=](std::int64_t round) {
        data->library.multiply(called, data->a.set(round).data_handle(),
                               data->b.set(round).data_handle(), data->c.set(round).data_handle());
      },
      [=] { return summary(*data->space, data->c.set(0)); });
}

template <class T>
void list_type(const settings& chosen, lineup& add) {
  using tandem::matmul_kernel;
  for (const product& size : matmul_products(chosen)) {
    const problem solved = matmul_problem<T>(size);
    const auto with_kernel = [&](matmul_kernel kernel, const char* variant) {
      add(tandem_on_gpu(
          solved, [=] { return resident_matmul<cuda, T>(size, kernel); }, variant));
    };
    with_kernel(matmul_kernel::automatic, "resident");
    if (cublas::is_present())
      add(peer(solved, "cuda", "cublas", [=] { return cublas_matmul<T>(size); }));
    if (size.batch == 1) {
      with_kernel(matmul_kernel::naive, "naive");
      with_kernel(matmul_kernel::tiled, "tiled");
    }
    add_through_host(add, solved, [=](auto owner) {
      return matmul_of_host_arrays<T, typename decltype(owner)::type>(size);
    });
  }
}

void list_gpu(const settings& chosen, lineup& add) {
  if (chosen.targets || !gpu_present()) return;
  if (!cublas::is_present()) std::printf("matmul: no libcublas here, so cuBLAS is not measured\n");
  list_type<float>(chosen, add);
  list_type<double>(chosen, add);
}

const registration gpu(list_gpu);

}  // namespace perf::matmul_gpu
