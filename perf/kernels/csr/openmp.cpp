// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/csr/kernel.hpp>

namespace perf::csr_openmp {

template <row_lengths Lengths>
void multiply_by_hand(csr_times_vector<openmp, Lengths>& kernel) {
  const int* const begin = kernel.row_begin.data_handle();
  const int* const column = kernel.column.data_handle();
  const float* const value = kernel.value.data_handle();
  const float* const x = kernel.x.data_handle();
  float* const y = kernel.y.data_handle();
  const index_t rows = kernel.y.size();
#pragma omp parallel for schedule(static)
  for (index_t r = 0; r < rows; ++r) {
    float sum = 0;  // a vector of gathered elements takes longer than the elements in order
    for (int k = begin[r]; k < begin[r + 1]; ++k) sum = tandem::fma(value[k], x[column[k]], sum);
    y[r] = sum;
  }
}

const registration five(list_kernel<openmp, csr_of_5<openmp>, multiply_by_hand<row_lengths::five>>);
const registration thirty(
    list_kernel<openmp, csr_of_30<openmp>, multiply_by_hand<row_lengths::thirty>>);
const registration skewed(
    list_kernel<openmp, csr_skewed<openmp>, multiply_by_hand<row_lengths::skewed>>);

}  // namespace perf::csr_openmp
