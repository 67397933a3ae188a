// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>

namespace tandem {

void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem) {
  openmp_impl::run_matmul(space.threads(), problem,
                          openmp_impl::best_kernels<openmp_impl::matmul_kernels<float>>());
}

void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem) {
  openmp_impl::run_matmul(space.threads(), problem,
                          openmp_impl::best_kernels<openmp_impl::matmul_kernels<double>>());
}

}  // namespace tandem
