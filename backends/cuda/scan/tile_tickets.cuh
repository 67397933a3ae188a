// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/published_values.cuh>

namespace tandem::cuda_impl {

/// A ticket that a block has drawn, and the epoch of its kernel's published values.
struct tile_ticket {
  int number;
  unsigned epoch;
};

/// Tickets that blocks draw. They assign tiles in ascending order to resident blocks, so a tile may
/// wait for every tile before it.
///
/// The lower half of a word in the stream's persistent memory counts the tickets. The upper half
/// counts the kernels and gives each its epoch. So no launch has to clear anything or pass an epoch
/// to its kernel, and a recorded launch can be replayed.
struct tile_tickets {
  published_cell* next;   ///< zero in new memory; the kernel's last draw advances it
  unsigned last;          ///< the last ticket that any block draws
  published_cell* cells;  ///< the stream's published values
  unsigned cell_count;    ///< all of them, including those of other kernels

  /// Issues a draw. Nothing waits for the result until ticket() uses it.
  __device__ published_cell draw() const { return atomicAdd(next, published_cell{1}); }

  /// Converts a draw to a ticket. Called by the thread that drew it.
  __device__ tile_ticket ticket(published_cell drawn) const {
    const unsigned kernel = static_cast<unsigned>(drawn >> 32);
    const unsigned number = static_cast<unsigned>(drawn);
    // All tickets are drawn, so the next draw belongs to the next kernel.
    if (number == last) atomicExch(next, published_cell{epoch_of(kernel) % ~0u} << 32);
    return {static_cast<int>(number), epoch_of(kernel)};
  }

  /// Returns the epoch of the next kernel, of which no ticket has been drawn.
  __device__ unsigned next_epoch() const {
    return epoch_of(static_cast<unsigned>(*static_cast<volatile published_cell*>(next) >> 32));
  }
  /// Makes the tickets of the next kernel begin with number `first`.
  __device__ void start_at(int first) const { atomicAdd(next, static_cast<published_cell>(first)); }

  /// Clears one cell unless this kernel published it. Called by one thread per kernel. Epochs recur
  /// after 2^32 kernels, and each cell is cleared many times before that.
  __device__ void clear_stale_cell(unsigned epoch) const {
    published_cell* const cell = cells + epoch % cell_count;
    const published_cell seen = *static_cast<volatile published_cell*>(cell);
    if (static_cast<unsigned>(seen >> 32) != epoch) atomicCAS(cell, seen, published_cell{0});
  }

 private:
  /// Kernels 0 to 2^32 - 2 have epochs 1 to 2^32 - 1; then kernel 0 follows.
  __device__ static unsigned epoch_of(unsigned kernel) { return kernel + 1; }
};

}  // namespace tandem::cuda_impl
