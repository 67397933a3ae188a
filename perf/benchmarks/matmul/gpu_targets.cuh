// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/matmul/bench.hpp>
#include <perf/benchmarks/matmul/check.cuh>
#include <perf/benchmarks/matmul/queue.cuh>

#include <string>

/// Shared by the GPU's targets for matmul: random matrices, tandem's product of them, and the
/// problem that tandem and its peers solve.
namespace perf {

/// Error per step of a sum in float: tensor cores truncate, losing up to a unit in the last of 24
/// places.
inline constexpr double place = 0x1p-23;

/// Random elements: nearly normal numbers that use all bits of their fractions, or integers of
/// [-128, 128).
template <class T>
struct matrix_values {
  std::uint64_t seed;

  TANDEM_FUNCTION T operator()(index_t i) const {
    if constexpr (std::is_same_v<T, std::int8_t>) {
      return static_cast<T>(mixed_bits(seed + static_cast<std::uint64_t>(i)) >> 56);
    } else if constexpr (std::is_same_v<T, double>) {
      return (normal_values{seed}.centred(i) + uniform_values<double>{seed}(i)) / 53510.0;
    } else {
      return static_cast<T>(normal_values{seed}(i));
    }
  }
};

/// How to multiply: elements T of c and In of a and b, the precision, and the tolerated errors.
template <class T, class In = T>
struct mode {
  const char* type;
  blas_numbers peer;  ///< types of the peers' product
  tandem::matmul_precision precision = tandem::matmul_precision::full;
  bool same_bits = false;  ///< whether tandem promises the bits of its naive kernel
  product_roundoff off = {};
};

/// Row-major matrices on the GPU in rotating sets; b may be stored transposed.
template <class T, class In>
struct device_matrices {
  explicit device_matrices(const blas_product& chosen)
      : product(chosen),
        a(*space, product.batch * product.a_size(), 3),
        b(*space, product.batch * product.b_size(), 3),
        c(*space, product.batch * product.c_size(), 3) {
    a.fill(*space, matrix_values<In>{a_seed});
    b.fill(*space, matrix_values<In>{b_seed});
  }

  const In* a_data(index_t round) { return a.set(round).data_handle(); }
  const In* b_data(index_t round) { return b.set(round).data_handle(); }
  T* c_data(index_t round) { return c.set(round).data_handle(); }

  blas_product product;
  std::shared_ptr<cuda> space = std::make_shared<cuda>();
  rotating_array<In, cuda> a;
  rotating_array<In, cuda> b;
  rotating_array<T, cuda> c;
};

template <class T, class In>
using shared_matrices = std::shared_ptr<device_matrices<T, In>>;

/// Makes a candidate that runs `multiply(round)`.
template <class T, class In, class Multiply>
candidate on_device(const shared_matrices<T, In>& data, const mode<T, In>& kind,
                    const Multiply& multiply) {
  candidate made = queued(data->space, multiply);
  made.check = [=] {
    poison(*data->space, data->c_data(0), data->product.batch * data->product.c_size());
    multiply(0);
    return check_product(*data->space, data->product, kind.off, data->a_data(0), data->b_data(0),
                         static_cast<const T*>(data->c_data(0)));
  };
  return made;
}

template <class T, class In>
candidate tandem_product(const blas_product& product, const mode<T, In>& kind,
                         tandem::matmul_kernel kernel, bool split_k = false) {
  const auto data = std::make_shared<device_matrices<T, In>>(product);
  const auto multiply = [=](index_t round) {
    using tandem::as_view;
    using memory = tandem::device_memory;
    const auto [numbers, m, n, k, batch, b_transposed] = data->product;
    const auto run = [&](const auto& a, const auto& b, const auto& c) {
      tandem::matmul(*data->space, a, b, c,
                     {.precision = kind.precision, .kernel = kernel, .split_k = split_k});
    };
    const In* const a = data->a_data(round);
    const In* const b = data->b_data(round);
    T* const c = data->c_data(round);
    if (batch > 1) {
      run(as_view<memory>(a, batch, m, k), as_view<memory>(b, batch, k, n),
          as_view<memory>(c, batch, m, n));
    } else if (b_transposed) {
      run(as_view<memory>(a, m, k), tandem::transposed(as_view<memory>(b, n, k)),
          as_view<memory>(c, m, n));
    } else {
      run(as_view<memory>(a, m, k), as_view<memory>(b, k, n), as_view<memory>(c, m, n));
    }
  };
  return on_device(data, kind, multiply);
}

/// The problem of a product. Every sampled element must be within its bound and, if bits are
/// promised, all bits those of the naive kernel.
template <class T, class In>
problem device_problem(const blas_product& product, const mode<T, In>& kind) {
  const auto text = [](index_t x) { return std::to_string(x); };
  std::string size = text(product.m) + "x" + text(product.k) + "x" + text(product.n);
  if (product.batch > 1) size = text(product.batch) + "x" + size;
  const char* name = product.batch > 1 ? "batched" : product.b_transposed ? "matmul_nt" : "matmul";
  problem solved{"matmul", name, kind.type, size};
  const auto batch = static_cast<double>(product.batch);
  solved.elements = batch * static_cast<double>(product.m) * static_cast<double>(product.n) *
                    static_cast<double>(product.k);
  solved.bytes = batch * (static_cast<double>(sizeof(In)) *
                              static_cast<double>(product.a_size() + product.b_size()) +
                          static_cast<double>(sizeof(T)) * static_cast<double>(product.c_size()));
  solved.flops = 2.0 * solved.elements;
  solved.expected = [=] {
    outcome wanted;
    if (kind.same_bits)
      wanted.bits = tandem_product(product, kind, tandem::matmul_kernel::naive).check().bits;
    return reference{wanted, 1.0, kind.same_bits ? "naive" : "samples"};
  };
  return solved;
}

}  // namespace perf
