// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/blas_product.hpp>
#include <perf/support/gpu.cuh>

#include <cmath>
#include <cstring>
#include <type_traits>

/// Checks a matrix product on the GPU: sampled elements against sums in double, and a hash of all
/// bits against another product's.
namespace perf {

/// Number of elements of c to check; the first four are the corners.
inline constexpr int sampled_elements = 4096;

/// Tolerated error of an element: input * w for the rounding of a and b, chain * k * w for that of
/// the sum, and result * |c| for that of c. w is six times the square root of the sum of the
/// squared products, which no partial sum of random data exceeds. All are 0 for integers.
struct product_roundoff {
  double input = 0;
  double chain = 0;
  double result = 0;
};

/// Result of a check.
struct product_findings {
  unsigned long long hash;  ///< of c
  double squared_errors;    ///< their sum over the samples
  double squares;           ///< of the samples themselves
  unsigned worst;           ///< largest error over the tolerated one, as the bits of a float
};

/// Position of sample number `sample` in a product.
struct sampled_element {
  std::int64_t item;
  std::int64_t row;
  std::int64_t column;
};

__device__ inline sampled_element sampled(const blas_product& product, int sample) {
  const bool last_row = (sample & 1) != 0;
  const bool last_column = (sample & 2) != 0;
  if (sample < 4)
    return {product.batch - 1, last_row ? product.m - 1 : 0, last_column ? product.n - 1 : 0};
  const auto pick = [&](std::uint64_t which, std::int64_t extent) {
    const std::uint64_t bits = mixed_bits(3 * static_cast<std::uint64_t>(sample) + which);
    return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(extent));
  };
  return {pick(0, product.batch), pick(1, product.m), pick(2, product.n)};
}

/// Computes the samples' errors, one warp per sample. A NaN counts as the largest error.
template <class T, class In>
__global__ void sample_errors_kernel(blas_product product, product_roundoff off, const In* a,
                                     const In* b, const T* c, product_findings* found) {
  const int sample = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
  const auto [item, row, column] = sampled(product, sample);
  const In* const x = a + item * product.a_size() + row * product.k;
  const In* const y =
      b + item * product.b_size() + (product.b_transposed ? column * product.k : column);
  const std::int64_t y_stride = product.b_transposed ? 1 : product.n;
  double sum = 0;
  double squares = 0;
  for (std::int64_t l = threadIdx.x % 32; l < product.k; l += 32) {
    const double term = static_cast<double>(x[l]) * static_cast<double>(y[l * y_stride]);
    sum += term;
    squares += term * term;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0u, sum, offset);
    squares += __shfl_xor_sync(~0u, squares, offset);
  }
  if (threadIdx.x % 32 != 0) return;
  const double got = static_cast<double>(c[item * product.c_size() + row * product.n + column]);
  const double error = fabs(got - sum);
  const double reach = 6 * sqrt(squares);
  const double allowed = off.input * reach + off.chain * static_cast<double>(product.k) * reach +
                         off.result * fabs(sum);
  const double share = error == 0 ? 0 : error <= 1e30 * allowed ? error / allowed : 1e30;
  // Floats that are not negative compare as their bits do.
  atomicMax(&found->worst, __float_as_uint(static_cast<float>(share)));
  atomicAdd(&found->squared_errors, error * error);
  atomicAdd(&found->squares, sum * sum);
}

/// Sums a hash of each element and its position, so that equal arrays have equal sums in any order.
template <class T>
__global__ void hash_kernel(const T* elements, std::int64_t count, unsigned long long* total) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  static_assert(sizeof(Bits) == sizeof(T));
  std::uint64_t mine = 0;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    Bits bits;
    std::memcpy(&bits, elements + i, sizeof bits);
    mine += mixed_bits(mixed_bits(static_cast<std::uint64_t>(i)) ^ bits);
  }
  atomicAdd(total, static_cast<unsigned long long>(mine));
}

/// Outcome of a product: a hash of c, the largest sampled error over the tolerated one, and the
/// root mean square of the errors.
template <class T, class In>
outcome check_product(const cuda& space, const blas_product& product, const product_roundoff& off,
                      const In* a, const In* b, const T* c) {
  device_array<product_findings> memory(extents<1>(1), space);
  product_findings* const found = memory.data_handle();
  cudaStream_t const stream = space.native_stream();
  check_cuda(cudaMemsetAsync(found, 0, sizeof *found, stream), "cudaMemsetAsync");
  sample_errors_kernel<T, In>
      <<<sampled_elements / 8, 256, 0, stream>>>(product, off, a, b, c, found);
  check_cuda(cudaGetLastError(), "sample_errors_kernel");
  hash_kernel<<<1024, 256, 0, stream>>>(c, product.batch * product.c_size(), &found->hash);
  check_cuda(cudaGetLastError(), "hash_kernel");
  product_findings result{};
  check_cuda(cudaMemcpyAsync(&result, found, sizeof result, cudaMemcpyDeviceToHost, stream),
             "cudaMemcpyAsync");
  space.fence();
  float worst = 0;
  std::memcpy(&worst, &result.worst, sizeof worst);
  return {result.hash, static_cast<double>(worst),
          std::sqrt(result.squared_errors / result.squares)};
}

/// Fills elements with bits that are NaN in every floating-point type, so that elements which a
/// kernel fails to write are detected.
template <class T>
void poison(const cuda& space, T* elements, std::int64_t count) {
  check_cuda(cudaMemsetAsync(elements, 0xff, static_cast<std::size_t>(count) * sizeof(T),
                             space.native_stream()),
             "cudaMemsetAsync");
}

}  // namespace perf
