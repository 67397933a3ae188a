// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/reduce/argminmax_tile.cuh>
#include <tandem/backends/cuda/reduce/kernel.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>
#include <tandem/backends/cuda/reduce/ordered_tile.cuh>
#include <tandem/backends/cuda/reduce/shared_memory_tile.cuh>
#include <tandem/backends/cuda/reduce/small_kernel.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/result_mailbox.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

namespace cuda_impl {

/// Calls run(tile) with the tile for the terms of a load functor, in the shape of the reducer.
template <class Load, class R, class Run>
void with_function_tile(const Load& load, const R& reducer, const Run& run) {
  if constexpr (R::commutative) {
    run(function_tile<Load, R>{load, reducer});
  } else {
    run(ordered_tile<Load, R>{load, reducer});
  }
}

/// Calls run(tile) with the fastest tile for a load: one with 16-byte loads where elements are
/// contiguous and aligned.
template <class Load, class R, class Run>
void with_tile(const Load& load, const R& reducer, const Run& run) {
  with_function_tile(load, reducer, run);
}
template <class T, class R, class Run>
  requires(R::commutative && (has_vector_tile<T, R> || has_argminmax_tile<T, R>))
void with_tile(const contiguous_load<T, R>& load, const R& reducer, const Run& run) {
  if (!is_vector_aligned(load.data)) {
    with_function_tile(load, reducer, run);
  } else if constexpr (has_argminmax_tile<T, R>) {
    run(argminmax_tile<T, R>{load.data, reducer});
  } else if constexpr (has_narrow_rows<T, R>) {
    run(shared_memory_tile<T, R>{{load.data, reducer}});
  } else {
    run(vector_tile<T, R>{load.data, reducer});
  }
}

/// Writes the result of a reduction of no terms.
template <class T>
__global__ void store_kernel(T* out, const T value) {
  *out = value;
}

/// Combines the values of a grid's blocks on the host, by the aligned adjacent tree.
template <class R>
typename R::accumulator combine_received(const result_call& call, index_t blocks,
                                         const R& reducer) {
  using accumulator = typename R::accumulator;
  accumulator value[max_host_words];
  auto count = static_cast<int>(blocks);
  for (int i = 0; i < count; ++i) value[i] = received<accumulator>(call, i);
  for (; count > 1; count = (count + 1) / 2) {
    for (int i = 0; i < count / 2; ++i) value[i] = reducer.combine(value[2 * i], value[2 * i + 1]);
    if (count % 2 == 1) value[count / 2] = value[count - 1];
  }
  return value[0];
}

/// Whether accumulators go through the mailbox: up to 256 bytes do.
template <class Accumulator>
inline constexpr bool fits_mailbox = result_words<Accumulator> <= max_host_words / 2;

/// Whether a tile's terms come from a function, in the commutative shape.
template <class Tile>
inline constexpr bool folds_function = false;
template <class Load, class R>
inline constexpr bool folds_function<function_tile<Load, R>> = true;

/// Enqueues a reduction of which the host combines the results of blocks, and returns their number;
/// 0 where they would be too many, and nothing is enqueued.
template <class Tile, class Output>
index_t reduce_to_blocks(const cuda& space, const char* label, index_t n, const Tile& tile,
                         const Output& output) {
  using accumulator = typename Tile::accumulator;
  constexpr int words = result_words<accumulator>;
  if constexpr (folds_function<Tile> && small_tiles<accumulator> > 0) {
    const small_grid grid =
        select_small_grid(ceil_div(n, Tile::elements), small_tiles<accumulator>, words);
    if (grid.blocks > 0)
      launch_small_kernel(space, label, grid, n, tile.load, tile.reducer, output);
    return grid.blocks;
  } else {
    const reduce_grid grid = select_host_grid(items_of<Tile>(n), Tile::block / warp_threads, words);
    if (grid.blocks > 0) launch_reduce_kernel(space, label, grid, n, tile, output, nullptr);
    return grid.blocks;
  }
}

/// Reduces to a result that the host polls for. Small grids send the results of their blocks.
template <class Load, class R>
typename R::accumulator reduce_through_mailbox(const cuda& space, const char* label, index_t n,
                                               const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  constexpr int words = result_words<accumulator>;
  index_t values = 1;
  const result_call call = open_mailbox(space);
  with_tile(load, reducer, [&]<class Tile>(const Tile& tile) {
    const block_messages<accumulator> by_block{call.device, call.number};
    values = reduce_to_blocks(space, label, n, tile, by_block);
    if (values > 0) return;
    values = 1;
    const reduce_grid grid = device_grid<Tile>(space, n);
    const result_message<accumulator> output{call.device, call.number};
    launch_reduce_kernel(space, label, grid, n, tile, output,
                         partials_for<accumulator>(space, grid));
  });
  wait_for_results(space, label, call, words * static_cast<int>(values));
  return combine_received(call, values, reducer);
}

/// Reduces to a larger result, which is copied from the end of the scratch.
template <class Load, class R>
typename R::accumulator reduce_through_copy(const cuda& space, const char* label, index_t n,
                                            const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  accumulator result = reducer.identity();
  with_tile(load, reducer, [&]<class Tile>(const Tile& tile) {
    const reduce_grid grid = device_grid<Tile>(space, n);
    const auto count = 2 * static_cast<std::size_t>(grid.blocks);
    auto* const memory =
        static_cast<accumulator*>(scratch(space, (count + 1) * sizeof(accumulator)));
    const device_output<accumulator> output{memory + count};
    launch_reduce_kernel(space, label, grid, n, tile, output, memory);
    check(cudaMemcpyAsync(&result, output.value, sizeof(result), cudaMemcpyDeviceToHost,
                          space.native_stream()),
          "cudaMemcpyAsync");
  });
  space.fence();
  return result;
}

}  // namespace cuda_impl

/// Combines load(0) .. load(n - 1), n >= 1, in the canonical shape and returns the accumulator. One
/// kernel; blocks until its result is there. Errors: device_error.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const cuda& space, const char* label, index_t n,
                                        const Load& load, const R& reducer) {
  if constexpr (cuda_impl::fits_mailbox<typename R::accumulator>) {
    return cuda_impl::reduce_through_mailbox(space, label, n, load, reducer);
  } else {
    return cuda_impl::reduce_through_copy(space, label, n, load, reducer);
  }
}

/// Combines n terms in the stream's order and writes the finished result to `out`, memory of the
/// device; n = 0 writes reducer.empty(). Does not block.
template <class Load, class R>
void dispatch_reduce_into(const cuda& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  if (n == 0) {
    const cuda_impl::launch_shape one{.grid = dim3(1), .block = dim3(1), .label = label};
    cuda_impl::launch(space, one, cuda_impl::store_kernel<typename R::result>, out,
                      reducer.empty());
    return;
  }
  cuda_impl::with_tile(load, reducer, [&]<class Tile>(const Tile& tile) {
    const cuda_impl::reduce_grid grid = cuda_impl::device_grid<Tile>(space, n);
    cuda_impl::launch_reduce_kernel(space, label, grid, n, tile,
                                    cuda_impl::result_output<R>{out, reducer},
                                    cuda_impl::partials_for<typename R::accumulator>(space, grid));
  });
}

}  // namespace tandem
