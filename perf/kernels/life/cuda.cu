// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/life/kernel.hpp>

namespace perf::life_cuda {

constexpr int threads = 128;
constexpr int rows_per_thread = 4;
/// Cells of a thread in a row: a load of 16 bytes.
constexpr int cells = 16;

/// 16 cells of a row as 32-bit words, with the words to their left and right.
struct cells_and_neighbours {
  unsigned word[6];

  __device__ explicit cells_and_neighbours(const cell* first) {
    const auto* const words = reinterpret_cast<const unsigned*>(first);
    const uint4 own = __ldg(reinterpret_cast<const uint4*>(words));
    word[0] = __ldg(words - 1);
    word[1] = own.x;
    word[2] = own.y;
    word[3] = own.z;
    word[4] = own.w;
    word[5] = __ldg(words + 4);
  }

  /// The left neighbours of the cells of word w, then the right ones, a byte each.
  __device__ unsigned left(int w) const { return __funnelshift_l(word[w - 1], word[w], 8); }
  __device__ unsigned right(int w) const { return __funnelshift_r(word[w], word[w + 1], 8); }
  __device__ unsigned sides(int w) const { return left(w) + right(w); }
};

/// Sums of bytes in words do not carry, since a cell has at most 8 living neighbours.
__global__ void __launch_bounds__(threads)
    life_kernel(const cell* __restrict__ board, cell* __restrict__ next, int rows, int n) {
  const int first =
      static_cast<int>(life_border) +
      (static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x)) * cells;
  if (first >= n - life_border) return;
  const int begin = static_cast<int>(blockIdx.y) * rows_per_thread + 1;
  const int end = min(begin + rows_per_thread, rows - 1);
  const auto load = [&](int j) {
    return cells_and_neighbours(board + static_cast<index_t>(j) * n + first);
  };
  cells_and_neighbours up = load(begin - 1);
  cells_and_neighbours row = load(begin);
  for (int j = begin; j < end; ++j) {
    const cells_and_neighbours down = load(j + 1);
    unsigned out[4];
#pragma unroll
    for (int w = 1; w <= 4; ++w) {
      const unsigned count = up.sides(w) + up.word[w] + row.sides(w) + down.sides(w) + down.word[w];
      out[w - 1] = __vcmpeq4(count | row.word[w], 0x03030303) & 0x01010101;
    }
    *reinterpret_cast<uint4*>(next + static_cast<index_t>(j) * n + first) =
        make_uint4(out[0], out[1], out[2], out[3]);
    up = row;
    row = down;
  }
}

void life_by_hand(life<cuda>& kernel, cudaStream_t stream) {
  const int rows = static_cast<int>(kernel.rows());
  const int n = static_cast<int>(kernel.columns());
  const dim3 blocks(blocks_for(n - 2 * life_border, threads * cells),
                    blocks_for(rows - 2, rows_per_thread));
  auto* const board = reinterpret_cast<cell*>(kernel.board.data_handle());
  auto* const next = reinterpret_cast<cell*>(kernel.next.data_handle());
  life_kernel<<<blocks, threads, 0, stream>>>(board, next, rows, n);
  life_kernel<<<blocks, threads, 0, stream>>>(next, board, rows, n);
  check_launch("hand-written Game of Life");
}

const registration gpu(list_kernel<cuda, life<cuda>, life_by_hand>);

}  // namespace perf::life_cuda
