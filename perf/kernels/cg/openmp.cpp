// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/cg/kernel.hpp>

namespace perf::cg_openmp {

/// The inside of rows of n elements.
struct inner_rows {
  index_t rows;
  index_t n;
};

double start(const double* __restrict b, double* __restrict x, double* __restrict r,
             double* __restrict p, inner_rows size) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (index_t j = 1; j < size.rows - 1; ++j) {
    const index_t row = j * size.n;
#pragma omp simd reduction(+ : sum)
    for (index_t i = row + 1; i < row + size.n - 1; ++i) {
      const double value = b[i];
      x[i] = 0;
      r[i] = value;
      p[i] = value;
      sum += value * value;
    }
  }
  return sum;
}

double multiply(const double* __restrict p, double* __restrict q, inner_rows size) {
  double sum = 0;
  const index_t n = size.n;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (index_t j = 1; j < size.rows - 1; ++j) {
    const index_t row = j * n;
#pragma omp simd reduction(+ : sum)
    for (index_t i = row + 1; i < row + n - 1; ++i) {
      const double product = 4 * p[i] - (p[i - n] + p[i + n] + p[i - 1] + p[i + 1]);
      q[i] = product;
      sum += p[i] * product;
    }
  }
  return sum;
}

double update(double alpha, const double* __restrict p, const double* __restrict q,
              double* __restrict x, double* __restrict r, inner_rows size) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (index_t j = 1; j < size.rows - 1; ++j) {
    const index_t row = j * size.n;
#pragma omp simd reduction(+ : sum)
    for (index_t i = row + 1; i < row + size.n - 1; ++i) {
      x[i] += alpha * p[i];
      const double residual = r[i] - alpha * q[i];
      r[i] = residual;
      sum += residual * residual;
    }
  }
  return sum;
}

void turn(double beta, const double* __restrict r, double* __restrict p, inner_rows size) {
#pragma omp parallel for schedule(static)
  for (index_t j = 1; j < size.rows - 1; ++j) {
    const index_t row = j * size.n;
#pragma omp simd
    for (index_t i = row + 1; i < row + size.n - 1; ++i) p[i] = r[i] + beta * p[i];
  }
}

void by_hand(conjugate_gradient<openmp>& kernel) {
  double* const x = kernel.x.data_handle();
  double* const r = kernel.r.data_handle();
  double* const p = kernel.p.data_handle();
  double* const q = kernel.q.data_handle();
  const inner_rows size{kernel.b.extent(0), kernel.b.extent(1)};
  double rr = start(kernel.b.data_handle(), x, r, p, size);
  for (int step = 0; step < conjugate_gradient_steps; ++step) {
    const double alpha = rr / multiply(p, q, size);
    const double next = update(alpha, p, q, x, r, size);
    turn(next / rr, r, p, size);
    rr = next;
  }
}

const registration cpu(list_kernel<openmp, conjugate_gradient<openmp>, by_hand>);

}  // namespace perf::cg_openmp
