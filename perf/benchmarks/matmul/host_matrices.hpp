// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/matmul/bench.hpp>

/// Matrices on the host, tandem's product of them, and functions that make benchmarks of both.
namespace perf {

/// Shapes at which products of 8-bit integers and of bf16 are measured.
inline constexpr matmul_shape narrow_shapes[] = {
    {64, 64, 64},       {128, 128, 128},    {256, 256, 256},
    {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
    {4096, 4096, 4096}, {5120, 256, 5120},  {16, 4096, 4096}};

/// Matrices on the host, with elements T in c and In in a and b, which hold Values{seed}(i), and
/// the space that multiplies them.
template <class T, class In = T, class Values = uniform_values<In>>
struct host_matrices {
  host_matrices(const product& chosen, int threads)
      : size(chosen),
        space(threads),
        a(extents<3>(size.batch, size.shape.m, size.shape.k), space),
        b(extents<3>(size.batch, size.shape.k, size.shape.n), space),
        c(extents<3>(size.batch, size.shape.m, size.shape.n), space) {
    fill(a, a_seed);
    fill(b, b_seed);
  }

  void fill(array<In, 3, openmp>& x, std::uint64_t seed) {
    const tandem::view<In, 1, tandem::layout_right, tandem::host_memory> flat(x.data_handle(),
                                                                              extents<1>(x.size()));
    fill_with(space, flat, Values{seed});
  }

  /// Memory traffic that no implementation can avoid.
  static double bytes(const product& size) {
    const auto operands = static_cast<double>(size.a_size() + size.b_size());
    return static_cast<double>(size.batch) *
           (sizeof(In) * operands + sizeof(T) * static_cast<double>(size.c_size()));
  }

  product size;
  openmp space;
  array<In, 3, openmp> a;
  array<In, 3, openmp> b;
  array<T, 3, openmp> c;
};

template <class Matrices>
void multiply_with_tandem(Matrices& data) {
  if (data.size.batch == 1) {
    const auto one = [](const auto& x) { return tandem::subview(x, 0, tandem::all, tandem::all); };
    tandem::matmul(data.space, one(data.a.const_view()), one(data.b.const_view()),
                   one(data.c.view()));
  } else {
    tandem::matmul(data.space, data.a.const_view(), data.b.const_view(), data.c.view());
  }
}

/// Makes a candidate that runs `multiply(data)` on `threads` threads, 0 for all of them.
template <class Matrices, class Multiply>
std::function<candidate()> on_matrices(const product& size, int threads, Multiply multiply) {
  return [=] {
    const auto data = std::make_shared<Matrices>(size, threads);
    return on_host([=](std::int64_t) { multiply(*data); },
                   [=] { return summary_of(data->c.data_handle(), data->c.size()); });
  };
}

/// Makes the candidate that multiplies by tandem.
template <class Matrices>
std::function<candidate()> tandem_on_matrices(const product& size, int threads) {
  return on_matrices<Matrices>(size, threads, multiply_with_tandem<Matrices>);
}

/// Makes a problem without its reference.
template <class Matrices>
problem problem_of(const product& size, const char* type) {
  problem solved{"matmul", size.batch == 1 ? "matmul" : "batched", type, size.text()};
  solved.elements = size.multiplications();
  solved.bytes = Matrices::bytes(size);
  solved.flops = 2.0 * solved.elements;
  return solved;
}

/// The lineup for benchmarks on `threads` threads, 0 for all of them, which their variant names.
struct on_threads {
  lineup& all;
  int threads;

  void operator()(benchmark made) const {
    if (threads != 0) made.variant = "threads_" + std::to_string(threads);
    all(std::move(made));
  }
};

}  // namespace perf
