// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>

namespace tandem {

void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem) {
  openmp_impl::run_matmul(space.threads(), problem,
                          *openmp_impl::usable_matmul_kernels<float>().front());
}

void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem) {
  openmp_impl::run_matmul(space.threads(), problem,
                          *openmp_impl::usable_matmul_kernels<double>().front());
}

}  // namespace tandem
