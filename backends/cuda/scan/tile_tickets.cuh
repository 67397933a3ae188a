// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/published_values.cuh>

namespace tandem::cuda_impl {

/// A number that a block has drawn, and the epoch of its kernel's published values.
struct tile_ticket {
  int number;
  unsigned epoch;
};

/// Numbers that blocks draw, by which tiles are assigned in ascending order to resident blocks, so
/// that a tile may wait for every tile before it.
///
/// The numbers are counted in the lower half of a word of the stream's persistent memory; the upper
/// half counts the kernels and gives each its epoch. So no launch has to clear anything or to tell
/// its kernel its epoch, and a recorded launch can be replayed.
struct tile_tickets {
  published_cell* next;   ///< zero in new memory; the kernel's last draw advances it
  unsigned last;          ///< the last number that any block draws
  published_cell* cells;  ///< the stream's published values
  unsigned cell_count;    ///< all of them, including those of other kernels

  /// Starts a draw. The result is for ticket(), and nothing waits for it before.
  __device__ published_cell draw() const { return atomicAdd(next, published_cell{1}); }

  /// The ticket drawn; called by the thread that drew it.
  __device__ tile_ticket ticket(published_cell drawn) const {
    const unsigned kernel = static_cast<unsigned>(drawn >> 32);
    const unsigned number = static_cast<unsigned>(drawn);
    // All numbers are drawn, so the next draw is that of the next kernel.
    if (number == last) atomicExch(next, published_cell{epoch_of(kernel) % ~0u} << 32);
    return {static_cast<int>(number), epoch_of(kernel)};
  }

  /// Clears one cell unless this kernel published it; called by one thread per kernel. Epochs recur
  /// after 2^32 kernels, and each cell is cleared many times before that.
  __device__ void clear_stale_cell(unsigned epoch) const {
    published_cell* const cell = cells + epoch % cell_count;
    const published_cell seen = *static_cast<volatile published_cell*>(cell);
    if (static_cast<unsigned>(seen >> 32) != epoch) atomicCAS(cell, seen, published_cell{0});
  }

 private:
  /// The epochs 1 to 2^32 - 1 of kernels 0 to 2^32 - 2, which kernel 0 follows.
  __device__ static unsigned epoch_of(unsigned kernel) { return kernel + 1; }
};

}  // namespace tandem::cuda_impl
