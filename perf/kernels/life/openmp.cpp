// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/life/kernel.hpp>

namespace perf::life_openmp {

void generation(const cell* __restrict board, cell* __restrict next, index_t rows, index_t n) {
#pragma omp parallel for schedule(static)
  for (index_t j = 1; j < rows - 1; ++j) {
    const cell* const row = board + j * n;
    const cell* const up = row - n;
    const cell* const down = row + n;
    cell* const out = next + j * n;
#pragma omp simd
    for (index_t i = life_border; i < n - life_border; ++i) {
      const auto count = static_cast<cell>(up[i - 1] + up[i] + up[i + 1] + row[i - 1] + row[i + 1] +
                                           down[i - 1] + down[i] + down[i + 1]);
      out[i] = static_cast<cell>((count | row[i]) == 3);
    }
  }
}

void life_by_hand(life<openmp>& kernel) {
  cell* const board = kernel.board.data_handle();
  cell* const next = kernel.next.data_handle();
  generation(board, next, kernel.rows(), kernel.columns());
  generation(next, board, kernel.rows(), kernel.columns());
}

const registration cpu(list_kernel<openmp, life<openmp>, life_by_hand>);

}  // namespace perf::life_openmp
