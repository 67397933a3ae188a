// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/halo_packing/kernel.hpp>

namespace perf::halo_packing_openmp {

/// One loop over the lists of all variables, whose threads take one list after the other.
void by_hand(halo_packing<openmp>& kernel) {
  const int* const sent = kernel.sent.data_handle();
  const int* const ghosts = kernel.ghosts.data_handle();
  double* const buffer = kernel.buffer.data_handle();
  const index_t elements = kernel.sent.size();
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(dynamic)
    for (std::size_t v = 0; v < halo_variables; ++v) {
      for (std::size_t l = 0; l < halo_neighbours; ++l) {
        const double* const x = kernel.variables[v].data_handle();
        double* const to = buffer + static_cast<index_t>(v) * elements;
        for (index_t i = kernel.begin[l]; i < kernel.begin[l + 1]; ++i) to[i] = x[sent[i]];
      }
    }
#pragma omp for collapse(2) schedule(dynamic)
    for (std::size_t v = 0; v < halo_variables; ++v) {
      for (std::size_t l = 0; l < halo_neighbours; ++l) {
        double* const x = kernel.variables[v].data_handle();
        const double* const from = buffer + static_cast<index_t>(v) * elements;
        for (index_t i = kernel.begin[l]; i < kernel.begin[l + 1]; ++i) x[ghosts[i]] = from[i];
      }
    }
  }
}

/// One loop over the elements of all lists, which are one behind the other. A thread unpacks what
/// it has packed, so that none waits for another: ghosts are never sent.
void tuned(halo_packing<openmp>& kernel) {
  const int* const sent = kernel.sent.data_handle();
  const int* const ghosts = kernel.ghosts.data_handle();
  double* const buffer = kernel.buffer.data_handle();
  const index_t elements = kernel.sent.size();
#pragma omp parallel
  {
    const index_t begin = elements * omp_get_thread_num() / omp_get_num_threads();
    const index_t end = elements * (omp_get_thread_num() + 1) / omp_get_num_threads();
    for (std::size_t v = 0; v < halo_variables; ++v) {
      double* const x = kernel.variables[v].data_handle();
      double* const at = buffer + static_cast<index_t>(v) * elements;
#pragma GCC unroll 4
      for (index_t i = begin; i < end; ++i) at[i] = x[sent[i]];
#pragma GCC unroll 4
      for (index_t i = begin; i < end; ++i) x[ghosts[i]] = at[i];
    }
  }
}

const registration all(list_kernel<openmp, halo_packing<openmp>, by_hand, tuned>);

}  // namespace perf::halo_packing_openmp
