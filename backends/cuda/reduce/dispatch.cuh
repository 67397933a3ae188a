// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/reduce/argminmax_tile.cuh>
#include <tandem/backends/cuda/reduce/cub.hpp>
#include <tandem/backends/cuda/reduce/kernel.cuh>
#include <tandem/backends/cuda/reduce/ordered_tile.cuh>
#include <tandem/backends/cuda/reduce/plan.hpp>
#include <tandem/backends/cuda/reduce/shared_memory_tile.cuh>
#include <tandem/backends/cuda/reduce/small_kernel.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/result_slot.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

namespace cuda_impl {

/// Contiguous, 16-byte aligned elements as terms of a tile.
template <class T>
struct aligned_elements {
  const T* data;
};

/// Whether a tile reads aligned elements of type T for R in 16-byte words.
template <class T, class R>
inline constexpr bool has_aligned_tile =
    R::commutative && (has_vector_tile<T, R> || has_argminmax_tile<T, R>);

/// Returns the tile for the terms of a load functor.
template <class Load, class R>
auto reduce_tile(const Load& terms, const R& reducer) {
  if constexpr (R::commutative) {
    return function_tile<Load, R>{terms, reducer};
  } else {
    return ordered_tile<Load, R>{terms, reducer};
  }
}

/// Returns the tile for aligned elements.
template <class T, class R>
  requires has_aligned_tile<T, R>
auto reduce_tile(const aligned_elements<T>& terms, const R& reducer) {
  if constexpr (has_argminmax_tile<T, R>) {
    return argminmax_tile<T, R>{terms.data, reducer};
  } else if constexpr (has_narrow_rows<T, R>) {
    return shared_memory_tile<T, R>{{terms.data, reducer}};
  } else {
    return vector_tile<T, R>{terms.data, reducer};
  }
}

/// Calls run(tile) with the tile for a load; it depends on whether contiguous elements are aligned.
template <class Load, class R, class Run>
void with_reduce_tile(const Load& load, const R& reducer, const Run& run) {
  run(reduce_tile(load, reducer));
}
template <class T, class R, class Run>
  requires has_aligned_tile<T, R>
void with_reduce_tile(const contiguous_load<T, R>& load, const R& reducer, const Run& run) {
  if (is_vector_aligned(load.data)) {
    run(reduce_tile(aligned_elements<T>{load.data}, reducer));
  } else {
    run(reduce_tile(load, reducer));
  }
}

/// Whether accumulators go through the mapped result slot: those of up to 256 bytes do.
template <class Accumulator>
inline constexpr bool fits_result_slot = result_words<Accumulator> <= max_host_words / 2;

/// Whether the small kernel supports a tile: one of a function's terms, in the commutative shape.
template <class Tile>
inline constexpr bool has_small_kernel = false;
template <class Load, class R>
inline constexpr bool has_small_kernel<function_tile<Load, R>> =
    fits_result_slot<typename R::accumulator> && small_tiles<R, false> > 0;

/// The properties of a tile that determine the grid.
template <class Tile>
inline constexpr reduce_shape shape_of = [] {
  using accumulator = typename Tile::accumulator;
  reduce_shape shape{.item_elements = Tile::item_elements,
                     .max_warps = Tile::block / warp_threads,
                     .items = Tile::items,
                     .words = result_words<accumulator>};
  if constexpr (has_small_kernel<Tile>) {
    shape.small_tile = Tile::elements;
    shape.max_small_tiles = small_tiles<decltype(Tile::reducer), true>;
    shape.max_small_device_tiles = small_tiles<decltype(Tile::reducer), false>;
    shape.small_tiles_per_sm =
        most_small_tiles_per_sm(static_cast<int>(sizeof(staged_tiles<decltype(Tile::reducer), 1>)));
  }
  return shape;
}();

/// Returns scratch for the partial results of a grid: one per block, and as many again for the
/// levels above.
template <class Accumulator>
void* partials_for(const cuda& space, const reduce_grid& grid) {
  if (grid.blocks == 1) return nullptr;
  return scratch(space, 2 * sizeof(Accumulator) * static_cast<std::size_t>(grid.blocks));
}

/// Writes the result of a reduction over no terms.
template <class R>
__global__ void store_empty_kernel(typename R::result* out, const R reducer) {
  *out = reducer.empty();
}

/// Enqueues a planned reduction. `partials` is scratch for the blocks' results if the device
/// combines them.
template <class Tile, class Output>
void run_reduction(const cuda& space, const char* label, index_t n, const Tile& tile,
                   const reduce_plan& plan, const Output& output, void* partials) {
  if constexpr (has_small_kernel<Tile>) {
    if (plan.is_small()) {
      return launch_small_kernel(space, label, plan.grid, n, tile.load, tile.reducer, output,
                                 partials);
    }
  }
  if constexpr (!has_small_kernel<Tile> || !Output::takes_block_results)
    launch_reduce_kernel(space, label, plan.grid, n, tile, output, partials);
}

/// Enqueues a reduction whose results the host receives in a call of the result slot.
template <class Tile>
void run_for_host(const cuda& space, const char* label, index_t n, const Tile& tile,
                  const reduce_plan& plan, const result_call& call) {
  using accumulator = typename Tile::accumulator;
  if (plan.device_combines()) {
    const result_message<accumulator> output{call.device, call.number};
    run_reduction(space, label, n, tile, plan, output, partials_for<accumulator>(space, plan.grid));
  } else {
    const block_messages<accumulator> output{call.device, call.number};
    run_reduction(space, label, n, tile, plan, output, nullptr);
  }
}

/// Combines the values of a grid's blocks on the host with the aligned adjacent tree.
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

/// Reduces to a result for which the host polls. Small grids send the results of their blocks.
template <class Load, class R>
typename R::accumulator reduce_through_result_slot(const cuda& space, const char* label, index_t n,
                                                   const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  const result_call call = open_result_slot(space);
  index_t values = 1;
  with_reduce_tile(load, reducer, [&]<class Tile>(const Tile& tile) {
    const reduce_plan plan = plan_for_host(shape_of<Tile>, n, limits(space).multiprocessors);
    values = plan.results();
    run_for_host(space, label, n, tile, plan, call);
  });
  wait_for_results(space, label, call, result_words<accumulator> * static_cast<int>(values));
  return combine_received(call, values, reducer);
}

/// Reduces with CUB to a result for which the host polls.
template <class T, class R>
typename R::accumulator cub_reduce_through_result_slot(const cuda& space, const char* label,
                                                       index_t n,
                                                       const contiguous_load<T, R>& load) {
  using accumulator = typename R::accumulator;
  const result_call call = open_result_slot(space);
  enqueue_cub_reduce(space, n, load, nullptr, call.device, call.number);
  wait_for_results(space, label, call, result_words<accumulator>);
  return received<accumulator>(call, 0);
}

/// Reduces to a larger result, which is copied from the end of the scratch.
template <class Load, class R>
typename R::accumulator reduce_through_copy(const cuda& space, const char* label, index_t n,
                                            const Load& load, const R& reducer) {
  using accumulator = typename R::accumulator;
  accumulator result = reducer.identity();
  with_reduce_tile(load, reducer, [&]<class Tile>(const Tile& tile) {
    const reduce_grid grid = plan_on_device(shape_of<Tile>, n, limits(space).multiprocessors).grid;
    const auto count = 2 * static_cast<std::size_t>(grid.blocks);
    auto* const memory =
        static_cast<accumulator*>(scratch(space, (count + 1) * sizeof(accumulator)));
    const device_output<accumulator> output{memory + count};
    launch_reduce_kernel(space, label, grid, n, tile, output, memory);
    const capture_allowance allowance;
    check(cudaMemcpyAsync(&result, output.value, sizeof(result), cudaMemcpyDeviceToHost,
                          space.native_stream()),
          "parallel_reduce: cudaMemcpyAsync");
  });
  space.fence();
  return result;
}

/// Reduces n terms, n >= 1, to device memory.
template <class Load, class R>
void reduce_on_device(const cuda& space, const char* label, index_t n, const Load& load,
                      const R& reducer, typename R::result* out) {
  with_reduce_tile(load, reducer, [&]<class Tile>(const Tile& tile) {
    const reduce_plan plan = plan_on_device(shape_of<Tile>, n, limits(space).multiprocessors);
    run_reduction(space, label, n, tile, plan, result_output<R>{out, reducer},
                  partials_for<typename R::accumulator>(space, plan.grid));
  });
}

/// A sum whose tree over lanes is CUB's, which instances/sum.cu defines: no header that users
/// include brings CUB.
template <class T>
struct cub_sum : sum<T> {
  template <int Lanes>
  __device__ T warp_reduce(T value) const;
};

/// The load of a reduction that the library contains, compiled in instances/sum.cu: sums of
/// contiguous floats and doubles.
template <class T>
using cub_sum_load = contiguous_load<T, cub_sum<T>>;
template <class Load>
inline constexpr bool is_compiled_sum = false;
template <>
inline constexpr bool is_compiled_sum<contiguous_load<float, sum<float>>> = true;
template <>
inline constexpr bool is_compiled_sum<contiguous_load<double, sum<double>>> = true;

extern template float reduce_through_result_slot(const cuda&, const char*, index_t,
                                                 const cub_sum_load<float>&, const cub_sum<float>&);
extern template double reduce_through_result_slot(const cuda&, const char*, index_t,
                                                  const cub_sum_load<double>&,
                                                  const cub_sum<double>&);
extern template void reduce_on_device(const cuda&, const char*, index_t, const cub_sum_load<float>&,
                                      const cub_sum<float>&, float*);
extern template void reduce_on_device(const cuda&, const char*, index_t,
                                      const cub_sum_load<double>&, const cub_sum<double>&, double*);

}  // namespace cuda_impl

/// Combines load(0) .. load(n - 1), n >= 1, in the canonical shape and returns the accumulator.
/// Launches one kernel and blocks until the result has arrived. Errors: device_error.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const cuda& space, const char* label, index_t n,
                                        const Load& load, const R& reducer) {
  using namespace cuda_impl;
  if constexpr (cub_form_of_load<Load>::exists) {
    if (selects_cub(n, sizeof(typename cub_form_of_load<Load>::element)))
      return cub_reduce_through_result_slot(space, label, n, load);
  }
  if constexpr (is_compiled_sum<Load>) {
    constexpr cub_sum<typename R::accumulator> compiled{};
    return reduce_through_result_slot(space, label, n, contiguous_load{load.data, compiled},
                                      compiled);
  } else if constexpr (fits_result_slot<typename R::accumulator>) {
    return reduce_through_result_slot(space, label, n, load, reducer);
  } else {
    return reduce_through_copy(space, label, n, load, reducer);
  }
}

/// Combines n terms in stream order and writes the finished result to `out`, in device memory. For
/// n = 0, writes reducer.empty(). Does not block.
template <class Load, class R>
void dispatch_reduce_into(const cuda& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  using namespace cuda_impl;
  if (n == 0) {
    const launch_shape one{.grid = dim3(1), .block = dim3(1), .label = label};
    launch(space, one, store_empty_kernel<R>, out, reducer);
    return;
  }
  if constexpr (cub_form_of_load<Load>::exists) {
    if (selects_cub(n, sizeof(typename cub_form_of_load<Load>::element)))
      return enqueue_cub_reduce(space, n, load, out);
  }
  if constexpr (is_compiled_sum<Load>) {
    constexpr cub_sum<typename R::accumulator> compiled{};
    reduce_on_device(space, label, n, contiguous_load{load.data, compiled}, compiled, out);
  } else {
    reduce_on_device(space, label, n, load, reducer, out);
  }
}

}  // namespace tandem
