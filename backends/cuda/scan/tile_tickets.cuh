// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/published_values.cuh>

namespace tandem::cuda_impl {

/// A number that a block has drawn, and the epoch of what its kernel publishes.
struct tile_ticket {
  int number;
  unsigned epoch;
};

/// Numbers that blocks draw: tiles are given out in their order to blocks that run, so that a tile
/// may wait for every tile before it.
///
/// They count in the lower half of a word that the kernels of a stream hand on; the upper half
/// counts the kernels and gives each its epoch. So no launch has to clear anything, and none has to
/// tell its kernel which one it is: a recorded launch can be replayed.
struct tile_tickets {
  published_cell* next;   ///< zero when the memory is new; the kernel's last draw sets it on
  unsigned last;          ///< the last number that is drawn
  published_cell* cells;  ///< what marks are published in
  unsigned cell_count;    ///< all of them, those of other kernels of the stream too

  /// Begins to draw; what comes back is for ticket(), and nothing waits for it before.
  __device__ published_cell draw() const { return atomicAdd(next, published_cell{1}); }

  /// What was drawn. By the thread that drew it.
  __device__ tile_ticket ticket(published_cell drawn) const {
    const unsigned kernel = static_cast<unsigned>(drawn >> 32);
    const unsigned number = static_cast<unsigned>(drawn);
    // All numbers are drawn, and the kernel that draws next comes after this one.
    if (number == last) atomicExch(next, published_cell{epoch_of(kernel) % ~0u} << 32);
    return {static_cast<int>(number), epoch_of(kernel)};
  }

  /// Forgets the value of one cell that was published long ago; by one thread of a kernel. Marks
  /// come again after 2^32 kernels: each cell is visited many times before.
  __device__ void clear_stale_cell(unsigned epoch) const {
    published_cell* const cell = cells + epoch % cell_count;
    const published_cell seen = *static_cast<volatile published_cell*>(cell);
    if (static_cast<unsigned>(seen >> 32) != epoch) atomicCAS(cell, seen, published_cell{0});
  }

 private:
  /// 1 to 2^32 - 1 for kernels 0 to 2^32 - 2, after which comes kernel 0.
  __device__ static unsigned epoch_of(unsigned kernel) { return kernel + 1; }
};

}  // namespace tandem::cuda_impl
