// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/few_rows/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <cstddef>

namespace tandem::cuda_impl {
namespace {

static_assert(few_rows_groups <= static_cast<index_t>(counter_words));

template <class T, bool KMajor, int Rows>
void launch_few_rows(const cuda& space, launch_shape shape, const matmul_arguments<T>& p,
                     const few_rows_totals<T>& totals) {
  shape.shared_bytes = few_rows_policy<T, KMajor, Rows>::shared_bytes;
  launch(space, shape, &few_rows_kernel<T, KMajor, Rows>, p, totals);
}

template <class T, bool KMajor>
void select_rows(const cuda& space, const launch_shape& shape, const matmul_arguments<T>& p,
                 const few_rows_totals<T>& totals) {
  const int rows = few_rows_computed(p.m);
  if (rows == 1) return launch_few_rows<T, KMajor, 1>(space, shape, p, totals);
  if (rows == 2) return launch_few_rows<T, KMajor, 2>(space, shape, p, totals);
  if constexpr (few_rows<T> > 2) launch_few_rows<T, KMajor, 4>(space, shape, p, totals);
}

}  // namespace

template <class T>
void run_plan(const cuda& space, const few_rows_plan& plan, const matmul_problem<T>& problem) {
  const index_t tiles = ceil_div(problem.n, few_rows_block);
  for (index_t first = 0; first < problem.batch; first += matmul_grid_limit) {
    const index_t batch = min(problem.batch - first, matmul_grid_limit);
    matmul_arguments<T> arguments = bind(problem, first);
    few_rows_totals<T> totals;
    if (plan.split_k_slices > 1) {
      arguments.slice_k = matmul_chunk;
      const index_t elements = plan.split_k_slices * batch * problem.m * problem.n;
      totals.data = static_cast<T*>(scratch(space, static_cast<std::size_t>(elements) * sizeof(T)));
      totals.arrived = counters(space);
    }
    const launch_shape shape{
        .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.split_k_slices),
                     static_cast<unsigned>(batch)),
        .block = dim3(static_cast<unsigned>(few_rows_block)),
        .label = "matmul (few rows)",
        .programmatic_launch = true};
    if (plan.b_k_major) {
      select_rows<T, true>(space, shape, arguments, totals);
    } else {
      select_rows<T, false>(space, shape, arguments, totals);
    }
  }
}

template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<double>&);

}  // namespace tandem::cuda_impl
