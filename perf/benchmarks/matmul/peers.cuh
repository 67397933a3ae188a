// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/matmul/gpu_targets.cuh>
#include <perf/support/cublas.hpp>
#include <perf/support/cublaslt.hpp>

/// Peers of matmul on the GPU: cuBLAS and cublasLt, on the matrices that tandem multiplies.
namespace perf {

/// Matrices for a peer and the library's handle, which is destroyed before the stream that it works
/// on.
template <class T, class In>
struct cublas_matrices : device_matrices<T, In> {
  explicit cublas_matrices(const blas_product& chosen)
      : device_matrices<T, In>(chosen), library(this->space->native_stream()) {}

  cublas library;
};

template <class T, class In>
struct cublaslt_matrices : device_matrices<T, In> {
  explicit cublaslt_matrices(const blas_product& chosen)
      : device_matrices<T, In>(chosen),
        workspace(extents<1>(cublaslt::workspace_bytes), *this->space),
        library(this->space->native_stream(), chosen, workspace.data_handle()) {
    library.choose([&](const std::function<void()>& run) { return quick_time(*this->space, run); },
                   this->a_data(0), this->b_data(0), this->c_data(0));
  }

  device_array<unsigned char> workspace;
  cublaslt library;
};

template <class T, class In>
candidate cublas_product(const blas_product& product, const mode<T, In>& kind) {
  const auto data = std::make_shared<cublas_matrices<T, In>>(product);
  return on_device(shared_matrices<T, In>(data), kind, [=](index_t round) {
    data->library.multiply(data->product, data->a_data(round), data->b_data(round),
                           data->c_data(round));
  });
}

template <class T, class In>
candidate cublaslt_product(const blas_product& product, const mode<T, In>& kind) {
  const auto data = std::make_shared<cublaslt_matrices<T, In>>(product);
  return on_device(shared_matrices<T, In>(data), kind, [=](index_t round) {
    data->library.multiply(data->a_data(round), data->b_data(round), data->c_data(round));
  });
}

}  // namespace perf
