// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/scan/dispatch.cuh>

namespace tandem::cuda_impl {

template void launch_scan(const cuda&, const char*, const scan_sum_problem<float>&,
                          const scan_part<float>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<double>&,
                          const scan_part<double>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<int>&,
                          const scan_part<int>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned>&,
                          const scan_part<unsigned>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<long>&,
                          const scan_part<long>&);
template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned long>&,
                          const scan_part<unsigned long>&);
template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<float>&,
                                 const range&, float*);
template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<double>&,
                                 const range&, double*);
template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<int>&,
                                 const range&, int*);
template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<unsigned>&,
                                 const range&, unsigned*);
template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<long>&,
                                 const range&, long*);
template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<unsigned long>&,
                                 const range&, unsigned long*);

}  // namespace tandem::cuda_impl
