// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/block/grid_finish.cuh>
#include <tandem/backends/cuda/block/lane_tile.cuh>
#include <tandem/backends/cuda/block/ordered_tile.cuh>
#include <tandem/backends/cuda/launch.cuh>
#include <tandem/backends/cuda/result_mailbox.hpp>
#include <tandem/backends/cuda/runtime.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

namespace cuda_impl {

/// Writes the accumulator to mapped memory of the host, then the number that the host waits for.
template <class Accumulator>
struct mailbox_output {
  Accumulator* value;
  volatile std::uint64_t* arrived;
  std::uint64_t sequence;

  __device__ void operator()(const Accumulator& result) const {
    *value = result;
    __threadfence_system();
    *arrived = sequence;
  }
};

/// Writes the accumulator to memory of the device.
template <class Accumulator>
struct device_output {
  Accumulator* value;

  __device__ void operator()(const Accumulator& result) const { *value = result; }
};

/// Writes the finished result to memory of the device.
template <class R>
struct result_output {
  typename R::result* out;
  R reducer;

  __device__ void operator()(const typename R::accumulator& result) const {
    *out = reducer.finish(result);
  }
};

/// Reduces the tiles of n terms; output(accumulator) runs in one thread of the grid.
///
/// A team folds `each` (1 or 2) adjacent tiles. All shapes share the aligned adjacent tree above
/// tiles, so that only the tile differs between them.
template <class Tile, class Output>
__global__ void __launch_bounds__(Tile::block, Tile::resident_blocks)
    reduce_kernel(const __grid_constant__ Tile tile, index_t n, int each,
                  typename Tile::accumulator* partials, unsigned* counter,
                  const __grid_constant__ Output output) {
  using accumulator = typename Tile::accumulator;
  constexpr int teams = Tile::block / Tile::team;
  const index_t first =
      (index_t{blockIdx.x} * teams + static_cast<int>(threadIdx.x) / Tile::team) * each;
  accumulator value = tile.reducer.identity();
#pragma unroll 1
  for (int j = 0; j < each; ++j) value = tile.reducer.combine(value, tile.fold(first + j, n));
  value = warp_tree<Tile::team, warp_threads>(value, tile.reducer);
  value = block_tree<Tile::block / warp_threads>(value, tile.reducer);
  grid_finish<Tile::block>(value, partials, counter, tile.reducer, output);
}

/// Grid of a reduction: how many blocks, and how many adjacent tiles a team folds.
struct reduce_shape {
  index_t blocks;
  int each;
};

template <class Tile>
reduce_shape shape_of_reduce(index_t n) {
  constexpr index_t block_elements = Tile::elements * (Tile::block / Tile::team);
  const index_t blocks = ceil_div(n, block_elements);
  // Segments of the ordered shape come one a lane: a second one would part a warp's loads.
  if (Tile::team > 1 && blocks >= pair_blocks) return {ceil_div(blocks, index_t{2}), 2};
  return {blocks, 1};
}

template <class Tile, class Output>
void launch_tiles(const cuda& space, const char* label, index_t n, const Tile& tile,
                  const Output& output, void* room) {
  using accumulator = typename Tile::accumulator;
  const reduce_shape shape = shape_of_reduce<Tile>(n);
  const launch_shape grid{.grid = dim3(static_cast<unsigned>(shape.blocks)),
                          .block = dim3(Tile::block),
                          .label = label};
  launch(space, grid, reduce_kernel<Tile, Output>, tile, n, shape.each,
         static_cast<accumulator*>(room), counters(space), output);
}

/// Fewest terms of a block, whatever the tile's type.
template <class R, class Accumulator = typename R::accumulator>
inline constexpr index_t least_block_elements =
    R::commutative
        ? canonical::tile<Accumulator> * (select_reduce(sizeof(Accumulator)).block / warp_threads)
        : canonical::segment * select_ordered_block(sizeof(Accumulator));

/// Bytes of partial results for n terms: one a block, and as much again for the levels above.
template <class R>
std::size_t partial_bytes(index_t n) {
  return 2 * sizeof(typename R::accumulator) *
         static_cast<std::size_t>(ceil_div(n, least_block_elements<R>));
}

/// Terms of a load functor, in the shape that the reducer asks for.
template <class Load, class R, class Output>
void launch_loads(const cuda& space, const char* label, index_t n, const Load& load,
                  const R& reducer, const Output& output, void* room) {
  if constexpr (R::commutative) {
    launch_tiles(space, label, n, function_tile<Load, R>{load, reducer}, output, room);
  } else {
    launch_tiles(space, label, n, ordered_tile<Load, R>{load, reducer}, output, room);
  }
}

template <class Load, class R, class Output>
void launch_reduce(const cuda& space, const char* label, index_t n, const Load& load,
                   const R& reducer, const Output& output, void* room) {
  launch_loads(space, label, n, load, reducer, output, room);
}

/// Contiguous elements: 16 bytes a load where they lie on such a boundary.
template <class T, class R, class Output>
  requires(R::commutative && has_vector_tile<T, R>)
void launch_reduce(const cuda& space, const char* label, index_t n,
                   const contiguous_load<T, R>& load, const R& reducer, const Output& output,
                   void* room) {
  if (is_vector_aligned(load.data)) {
    launch_tiles(space, label, n, vector_tile<T, R>{load.data, reducer}, output, room);
  } else {
    launch_loads(space, label, n, load, reducer, output, room);
  }
}

/// Writes one value: what a reduction of no terms gives.
template <class T>
__global__ void store_kernel(T* out, const T value) {
  *out = value;
}

/// A result that fits the mailbox: the host polls for it.
template <class Load, class R>
typename R::accumulator reduce_through_mailbox(const cuda& space, const char* label, index_t n,
                                               const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  const mailbox box = result_mailbox(space);
  const std::uint64_t sequence = next_sequence(space);
  char* const device = static_cast<char*>(box.device);
  const mailbox_output<accumulator> output{
      reinterpret_cast<accumulator*>(device + mailbox_value_offset),
      reinterpret_cast<volatile std::uint64_t*>(device), sequence};
  launch_reduce(space, label, n, load, reducer, output, scratch(space, partial_bytes<R>(n)));
  wait_for_result(space, label, static_cast<const std::uint64_t*>(box.host), sequence);
  return *reinterpret_cast<const accumulator*>(static_cast<const char*>(box.host) +
                                               mailbox_value_offset);
}

/// A larger result: copied from the end of the scratch.
template <class Load, class R>
typename R::accumulator reduce_through_copy(const cuda& space, const char* label, index_t n,
                                            const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  const std::size_t bytes = partial_bytes<R>(n);
  char* const room = static_cast<char*>(scratch(space, bytes + sizeof(accumulator)));
  accumulator* const value = reinterpret_cast<accumulator*>(room + bytes);
  launch_reduce(space, label, n, load, reducer, device_output<accumulator>{value}, room);
  accumulator result = reducer.identity();
  check(cudaMemcpyAsync(&result, value, sizeof(result), cudaMemcpyDeviceToHost,
                        space.native_stream()),
        "cudaMemcpyAsync");
  space.fence();
  return result;
}

}  // namespace cuda_impl

/// Combines load(0) .. load(n - 1), n >= 1, in the canonical shape and returns the accumulator. One
/// kernel; blocks until its result is there. Errors: device_error.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const cuda& space, const char* label, index_t n,
                                        const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  if constexpr (sizeof(accumulator) <= cuda_impl::mailbox_value_bytes &&
                alignof(accumulator) <= cuda_impl::mailbox_value_offset) {
    return cuda_impl::reduce_through_mailbox(space, label, n, load, reducer);
  } else {
    return cuda_impl::reduce_through_copy(space, label, n, load, reducer);
  }
}

/// The same in the stream's order, with the finished result in `out`, memory of the device; n = 0
/// writes reducer.empty(). Does not block.
template <class Load, class R>
void dispatch_reduce_into(const cuda& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  if (n == 0) {
    const cuda_impl::launch_shape one{.grid = dim3(1), .block = dim3(1), .label = label};
    cuda_impl::launch(space, one, cuda_impl::store_kernel<typename R::result>, out,
                      reducer.empty());
    return;
  }
  void* const room = cuda_impl::scratch(space, cuda_impl::partial_bytes<R>(n));
  cuda_impl::launch_reduce(space, label, n, load, reducer,
                           cuda_impl::result_output<R>{out, reducer}, room);
}

}  // namespace tandem
