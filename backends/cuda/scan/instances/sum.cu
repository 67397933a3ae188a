// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/scan/dispatch.cuh>

namespace tandem::cuda_impl {

template void launch_scan(const cuda&, const char*, const scan_sum_problem<float>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<double>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<int>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<long>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned long>&);

}  // namespace tandem::cuda_impl
