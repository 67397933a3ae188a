// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/lattice_boltzmann/kernel.hpp>

namespace perf::lattice_boltzmann_openmp {

template <bool InPlanes>
void step(const float* __restrict before, float* __restrict after, int rows, int columns) {
  const lattice<InPlanes, const float*> in{before, rows, columns};
  const lattice<InPlanes, float*> out{after, rows, columns};
#pragma omp parallel for schedule(static)
  for (int j = 1; j < rows - 1; ++j) {
    if constexpr (InPlanes) {
#pragma omp simd
      for (int i = 1; i < columns - 1; ++i) store(out, j, i, collide(inflow(in, j, i)));
    } else {  // g++ vectorises the arithmetic of a cell instead
#pragma GCC ivdep
      for (int i = 1; i < columns - 1; ++i) store(out, j, i, collide(inflow(in, j, i)));
    }
  }
}

template <bool InPlanes>
void by_hand(lattice_boltzmann<openmp, InPlanes>& kernel) {
  float* const now = kernel.now.data_handle();
  float* const next = kernel.next.data_handle();
  const int rows = static_cast<int>(kernel.rows());
  const int columns = static_cast<int>(kernel.columns());
  step<InPlanes>(now, next, rows, columns);
  step<InPlanes>(next, now, rows, columns);
}

const registration planes(list_kernel<openmp, lattice_boltzmann<openmp, true>, by_hand<true>>);
const registration cells(list_kernel<openmp, lattice_boltzmann<openmp, false>, by_hand<false>>);

}  // namespace perf::lattice_boltzmann_openmp
