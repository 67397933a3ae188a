// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/explain.hpp>
#include <tandem/backends/cuda/matmul/common/has_sm90a.hpp>
#include <tandem/backends/cuda/matmul/dispatch_bf16x.hpp>
#include <tandem/backends/cuda/matmul/hopper/bf16x/launch.hpp>

#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <algorithm>
#include <cstdio>

namespace tandem::cuda_impl {
namespace {

/// Indices have 32 bits in the kernels; a pair of tiles may reach beyond the end.
constexpr index_t most_split_extent = 0x7fffffff - 1024;

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
void explain(const matmul_problem<float>& p, bool able) {
  if (!explains_matmul()) return;
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr, "tandem: %s for %lld of m %lld, n %lld, k %lld: bf16x%d, %s\n",
               able ? "matmul of bf16 parts 128x128" : "matmul in floats", print(p.batch),
               print(p.m), print(p.n), print(p.k), p.precision == matmul_precision::bf16x6 ? 6 : 9,
               able ? "asked for" : "asked for, falls back since the device lacks wgmma");
}

}  // namespace

bool run_split(const cuda& space, const matmul_problem<float>& problem) {
  const bool wanted = problem.precision == matmul_precision::bf16x6 ||
                      problem.precision == matmul_precision::bf16x9;
  if (!wanted || problem.kernel != matmul_kernel::automatic) return false;
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0 || problem.k == 0) return false;
  if (std::max({problem.m, problem.n, problem.k}) > most_split_extent) return false;
  const bool able = has_sm90a && limits(space).compute_capability == 90;
  explain(problem, able);
  if constexpr (has_sm90a) {
    if (able) run_bf16x(space, problem);
  }
  return able;
}

}  // namespace tandem::cuda_impl
