// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/explain.hpp>
#include <tandem/backends/cuda/matmul/common/has_sm90a.hpp>
#include <tandem/backends/cuda/matmul/dispatch_tensor.cuh>
#include <tandem/backends/cuda/matmul/hopper/run.cuh>
#include <tandem/backends/cuda/matmul/mma/launch.cuh>
#include <tandem/backends/cuda/matmul/reference/reference.hpp>

#include <cstdio>

namespace tandem {
namespace cuda_impl {
namespace {

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
template <class T, class In>
void explain(const matmul_problem<T, In>& p, const tensor_plan& plan) {
  if (!explains_matmul()) return;
  const char* const name = plan.kernel == tensor_kernel::wgmma ? tensor_tiles[plan.tile].name
                           : plan.kernel == tensor_kernel::mma ? "mma.sync"
                                                               : "a reference kernel";
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr,
               "tandem: matmul %s for %lld of m %lld, n %lld, k %lld; k in %lld part(s), a %s, "
               "b %s: %s\n",
               name, print(p.batch), print(p.m), print(p.n), print(p.k), print(plan.split_k_slices),
               plan.a.packed ? "copied" : "in place", plan.b.packed ? "copied" : "in place",
               plan.reason);
}

template <class T, class In>
void run_mma(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  const device_limits& device = limits(space);
  const mma_plan how = plan_mma(p, plan.chunk, 1, device.multiprocessors, device.block_shared);
  launch_mma(space, how, bind(p, 0), p.batch);
}

/// Most matrices of one launch.
index_t launch_batch(const tensor_plan& plan, index_t m, index_t n) {
  if (plan.kernel != tensor_kernel::wgmma) return matmul_grid_limit;
  const tensor_tile& tile = tensor_tiles[plan.tile];
  const index_t tiles =
      ceil_div<index_t>(m, tile.m()) * ceil_div<index_t>(n, tile.n) * plan.split_k_slices;
  return max(index_t{1}, min(matmul_grid_limit, tensor_launch_tiles / tiles));
}

template <class T, class In>
void run(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  const index_t most = launch_batch(plan, p.m, p.n);
  for (index_t first = 0; first < p.batch; first += most) {
    const matmul_problem<T, In> some =
        tandem::detail::batch_slice(p, first, min(p.batch - first, most));
    if (plan.kernel == tensor_kernel::mma) {
      run_mma(space, plan, some);
    } else if constexpr (has_sm90a) {
      run_wgmma(space, plan, some);
    }
  }
}

template <class T, class In>
void multiply(const cuda& space, const matmul_problem<T, In>& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const matmul_problem<T, In> p = tensor_oriented(problem);
  const tensor_plan plan = plan_tensor(p, tensor_limits(space));
  explain(p, plan);
  if (plan.kernel == tensor_kernel::reference) return run_reference(space, p, p.kernel);
  run(space, plan, p);
}

}  // namespace

tensor_device tensor_limits(const cuda& space) {
  const device_limits& device = limits(space);
  return {device.multiprocessors, device.compute_capability, has_sm90a};
}

bool multiply_tf32(const cuda& space, const matmul_problem<float>& problem) {
  if (problem.kernel != matmul_kernel::automatic) return false;
  if (!has_mma<float>(tensor_limits(space))) {
    explain_matmul("matmul in floats", problem,
                   "tf32, asked for, falls back since the device lacks mma.sync of tf32");
    return false;
  }
  multiply(space, problem);
  return true;
}

}  // namespace cuda_impl

void dispatch_matmul(const cuda& space, const matmul_problem<half>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<float, half>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<bf16>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<float, bf16>& problem) {
  cuda_impl::multiply(space, problem);
}

}  // namespace tandem
