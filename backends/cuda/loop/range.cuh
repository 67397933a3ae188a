// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/loop/policy.hpp>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/range.hpp>

#include <cstdint>
#include <type_traits>

namespace tandem {

namespace cuda_impl {

/// Type in which the indices of a loop are computed: the type of the function object's parameter,
/// but at least int.
template <class F>
using work_index = std::conditional_t<(sizeof(loop_index<F>) < sizeof(int)), int, loop_index<F>>;

/// Indices begin, begin + 1, .. of one launch. The count is unsigned, so that 32 bits can hold the
/// 2^32 - 1 indices starting at -2^31.
template <class Index>
struct range_chunk {
  Index begin;
  std::make_unsigned_t<Index> count;
};

template <class F>
consteval int items_for() {
  if constexpr (requires { F::element_bytes; }) {
    return items_per_thread(F::element_bytes);
  } else {
    return loops.items;
  }
}

/// Indices per thread of a loop over f: 16 bytes' worth of elements if f states their size in
/// `element_bytes`, as transform's function objects do. A lambda does not.
template <class F>
inline constexpr int loop_items = items_for<F>();

/// Calls call(first), call(first + Distance), .., `Count` times. All distances are compile-time
/// constants.
template <int Count, int Distance, class Index, class Call>
__device__ inline void call_strided(const Call& call, Index first) {
#pragma unroll
  for (int item = 0; item < Count; ++item) call(first + item * Distance);
}

/// Calls f for the tile of indices that this block owns, loop_items per thread.
///
/// A full tile has compile-time distances and no bounds checks, so the compiler may issue the loads
/// of all its indices before the first store. This applies to const views and to elements that the
/// compiler can prove are not stored to. The proof requires that a thread's indices stay in the
/// form of one value plus constants, so an optimization barrier hides that value. Otherwise the
/// compiler splits the value, merges its parts with others, and can no longer see that x(i) += 1
/// stores to a different element than the next index loads.
template <class Index, class F>
__global__ void __launch_bounds__(loops.block)
    range_kernel(const __grid_constant__ F f, range_chunk<Index> chunk) {
  ptx::grid_dependency_wait();
  using Unsigned = std::make_unsigned_t<Index>;
  constexpr unsigned tile = loops.block * loop_items<F>;
  const Unsigned first = static_cast<Unsigned>(blockIdx.x) * tile;
  const Unsigned left = chunk.count - first;
  const Index at = ptx::optimization_barrier(
      static_cast<Index>(static_cast<Unsigned>(chunk.begin) + first + threadIdx.x));
  const auto call = [&](Index i) { f(static_cast<loop_index<F>>(i)); };
  if (left >= tile) {
    call_strided<loop_items<F>, loops.block>(call, at);
  } else {
    const auto end = static_cast<unsigned>(left);
#pragma unroll 1
    for (unsigned offset = threadIdx.x; offset < end; offset += loops.block)
      call(at + static_cast<Index>(offset - threadIdx.x));
  }
}

/// Calls f for one index per thread, in blocks of at most `Threads` threads. Registers are
/// allocated for that many threads.
template <int Threads, class Index, class F>
__global__ void __launch_bounds__(Threads)
    range_block_kernel(const __grid_constant__ F f, range_chunk<Index> chunk) {
  ptx::grid_dependency_wait();
  using Unsigned = std::make_unsigned_t<Index>;
  const Unsigned first = static_cast<Unsigned>(blockIdx.x) * blockDim.x;
  if (threadIdx.x >= chunk.count - first) return;
  f(static_cast<loop_index<F>>(static_cast<Unsigned>(chunk.begin) + first + threadIdx.x));
}

/// Calls f for every (blocks * threads)-th index, starting at the thread's index.
template <int Threads, class Index, class F>
__global__ void __launch_bounds__(Threads)
    grid_stride_kernel(const __grid_constant__ F f, range_chunk<Index> chunk) {
  ptx::grid_dependency_wait();
  using Unsigned = std::make_unsigned_t<Index>;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t offset = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; offset < chunk.count; offset += step) {
    f(static_cast<loop_index<F>>(static_cast<Unsigned>(chunk.begin) +
                                 static_cast<Unsigned>(offset)));
  }
}

/// Calls start(shape, chunk) for each chunk of the loop. A chunk has at most 2^31 - 1 blocks of
/// `tile` indices and `threads` threads.
template <class Index, class Start>
void for_chunks(const char* label, const range& r, index_t tile, index_t threads,
                const Start& start) {
  for (index_t begin = r.begin; begin < r.end;) {
    const index_t count = tandem::min(r.end - begin, max_grid_x * tile);
    start(launch_shape{.grid = dim3(static_cast<unsigned>(ceil_div(count, tile))),
                       .block = dim3(static_cast<unsigned>(threads)),
                       .label = label,
                       .programmatic_launch = true},
          range_chunk<Index>{static_cast<Index>(begin),
                             static_cast<std::make_unsigned_t<Index>>(count)});
    begin += count;
  }
}

/// Launches the loop with one index per thread, in blocks of `block` threads; `block` is at most
/// `Threads`.
template <int Threads, class F>
void launch_blocks(const cuda& space, const char* label, const range& r, index_t block,
                   const F& f) {
  using Index = work_index<F>;
  for_chunks<Index>(label, r, block, block,
                    [&](const launch_shape& shape, const range_chunk<Index>& chunk) {
                      launch(space, shape, range_block_kernel<Threads, Index, F>, f, chunk);
                    });
}

/// Launches the loop in blocks of the size that the caller chose.
template <int Threads, class F>
void launch_chosen_blocks(const cuda& space, const char* label, const range& r, const F& f) {
  require_block(space, label, r.block);
  launch_blocks<Threads>(space, label, r, r.block, f);
}

/// Launches the loop in blocks of the size that the caller or policy.hpp chose.
template <class F>
void launch_range(const cuda& space, const char* label, const range& r, const F& f) {
  using Index = work_index<F>;
  if (r.block != 0) return launch_chosen_blocks<max_block_threads>(space, label, r, f);
  if constexpr (loop_items<F> > 1) {
    const device_limits& device = limits(space);
    if (unrolls(r.size(), device.compute_capability, device.multiprocessors)) {
      return for_chunks<Index>(label, r, loops.block * loop_items<F>, loops.block,
                               [&](const launch_shape& shape, const range_chunk<Index>& chunk) {
                                 launch(space, shape, range_kernel<Index, F>, f, chunk);
                               });
    }
  }
  launch_blocks<loops.block>(space, label, r, loops.block, f);
}

}  // namespace cuda_impl

/// Runs parallel_for over a range: calls f(i) for each index. A block size that the caller chose is
/// launched exactly, with one index per thread. Otherwise policy.hpp decides both.
template <class F>
void dispatch_for(const cuda& space, const char* label, const range& r, const F& f) {
  cuda_impl::require_argument_size<F>();
  cuda_impl::launch_range(space, label, r, f);
}

/// Runs parallel_for in blocks whose size is a compile-time constant.
template <index_t Threads, class F>
void dispatch_for(const cuda& space, const char* label, const block_range<Threads>& r, const F& f) {
  cuda_impl::require_argument_size<F>();
  cuda_impl::launch_chosen_blocks<static_cast<int>(Threads)>(space, label, r, f);
}

/// Runs parallel_for as one launch of exactly the blocks that the caller chose.
template <index_t Threads, class F>
void dispatch_for(const cuda& space, const char* label, const grid_stride_range<Threads>& r,
                  const F& f) {
  using Index = cuda_impl::work_index<F>;
  cuda_impl::require_argument_size<F>();
  cuda_impl::require_block(space, label, r.block);
  const cuda_impl::range_chunk<Index> chunk{static_cast<Index>(r.begin),
                                            static_cast<std::make_unsigned_t<Index>>(r.size())};
  cuda_impl::launch(space,
                    {.grid = dim3(static_cast<unsigned>(r.blocks)),
                     .block = dim3(static_cast<unsigned>(r.block)),
                     .label = label,
                     .programmatic_launch = true},
                    cuda_impl::grid_stride_kernel<static_cast<int>(Threads), Index, F>, f, chunk);
}

}  // namespace tandem
