// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/random/policy.hpp>
#include <tandem/core/contract/random_problem.hpp>

#include <cstdint>

/// Kernels that write a line of random numbers. They are bound by instructions, so a thread takes
/// several counters, a block's threads apart, whose keys the compiler computes once.
namespace tandem::cuda_impl {

/// Whether a thread block of `Counters` counters per thread writes whole blocks of elements alone,
/// at places for store_block().
template <int Counters, class Sampler>
__device__ inline bool is_whole_tile(const random_problem<Sampler>& line, bool is_aligned) {
  constexpr index_t elements =
      index_t{random_tuning.block} * Counters * random_problem<Sampler>::block;
  return is_aligned && (index_t{blockIdx.x} + 1) * elements <= line.size;
}

/// Writes a tile at the end of a line, or one that is not aligned.
template <int Counters, class Sampler>
__device__ __forceinline__ void write_partial_tile(const random_problem<Sampler>& line,
                                                   bool is_aligned) {
  constexpr int block = random_problem<Sampler>::block;
  index_t b = index_t{blockIdx.x} * random_tuning.block * Counters + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < Counters; ++k, b += random_tuning.block) {
    if (block * b < line.size) line.write_block(b, is_aligned);
  }
}

/// Writes the values of `Counters` counters per thread.
template <int Counters, class Sampler>
__global__ void __launch_bounds__(random_tuning.block)
    fill_random_kernel(const __grid_constant__ random_problem<Sampler> line, bool is_aligned) {
  ptx::grid_dependency_wait();
  if (!is_whole_tile<Counters>(line, is_aligned))
    return write_partial_tile<Counters>(line, is_aligned);
  const index_t first = index_t{blockIdx.x} * random_tuning.block * Counters + threadIdx.x;
#pragma unroll
  for (int k = 0; k < Counters; ++k) {
    const index_t b = first + k * random_tuning.block;
    line.store_block(b, line.make_block(b));
  }
}

using normal_problem = random_problem<detail::normal_sampler<float>>;

/// The normal variables of a warp in shared memory. A quarter of the words lie in a tail, where a
/// variable takes three times the instructions of one in the centre, and hardly ever do all lanes
/// agree; so words in tails wait in a queue, from which each lane takes one at a time.
template <int Counters>
struct normal_tile {
  static constexpr int blocks_count = Counters * warp_threads;
  normal_problem::block_values blocks[blocks_count];          ///< values, or words in tails
  std::uint16_t queue[normal_problem::block * blocks_count];  ///< places of the latter
};

/// The variable of a word, from the parts of its magnitude.
__device__ __forceinline__ float finish_normal(const normal_problem& line,
                                               const detail::normal_word& u,
                                               const detail::ratio<float>& magnitude) {
  return line.sampler.scaled(
      u.with_sign(device::quotient_in_range(magnitude.above, magnitude.below)));
}

/// The end of a warp's queue, by address as instructions on shared memory take it: the compiler
/// would compute that of the tile again for each word.
class normal_queue_end {
 public:
  __device__ explicit normal_queue_end(const std::uint16_t* queue)
      : begin_(ptx::shared_address(queue)) {
    end_ = ptx::optimization_barrier(begin_);
    lanes_below_ = (1u << lane_of_warp()) - 1;
  }

  /// Appends the places of the lanes that wait; called by all lanes.
  __device__ __forceinline__ void append(bool waits, unsigned place) {
    const unsigned waiting = __ballot_sync(whole_warp, waits);
    const unsigned at = end_ + sizeof(std::uint16_t) * __popc(waiting & lanes_below_);
    // By hand, because the compiler would branch around the store.
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\t@p st.shared.u16 [%0], %1;\n\t}"
                 :
                 : "r"(at), "h"(static_cast<std::uint16_t>(place)),
                   "r"(static_cast<unsigned>(waits))
                 : "memory");
    end_ += sizeof(std::uint16_t) * __popc(waiting);
  }
  __device__ int size() const { return static_cast<int>(end_ - begin_) / sizeof(std::uint16_t); }

 private:
  unsigned begin_;
  unsigned end_;
  unsigned lanes_below_;
};

/// Fills a tile with the variables of counters `first` and on, those in tails as words. Returns how
/// many these are.
template <int Counters>
__device__ __forceinline__ int draw_normals(normal_tile<Counters>& tile, const normal_problem& line,
                                            index_t first) {
  normal_queue_end end(tile.queue);
#pragma unroll
  for (int c = 0; c < Counters; ++c) {
    const int block = c * warp_threads + lane_of_warp();
    const philox_words words =
        detail::stream_words(line.seed, static_cast<std::uint64_t>(first + block), 0);
    normal_problem::block_values values;
#pragma unroll
    for (int k = 0; k < normal_problem::block; ++k) {
      const detail::normal_word u{words.word[k]};
      const float x = u.x();
      const bool is_central = x < static_cast<float>(detail::normal_split);
      const float value = finish_normal(line, u, detail::normal_centre(x));
      values.of[k] = is_central ? value : __uint_as_float(u.word);
      end.append(!is_central, static_cast<unsigned>(normal_problem::block * block + k));
    }
    tile.blocks[block] = values;
  }
  return end.size();
}

/// Replaces a tile's words in tails by their variables.
template <int Counters>
__device__ __forceinline__ void finish_tails(normal_tile<Counters>& tile,
                                             const normal_problem& line, int queued) {
  constexpr int block = normal_problem::block;
  for (int i = lane_of_warp(); i < queued; i += warp_threads) {
    const unsigned place = tile.queue[i];
    float& at = tile.blocks[place / block].of[place % block];
    const detail::normal_word u{__float_as_uint(at)};
    at = finish_normal(line, u, detail::normal_beyond(u.tail(), 31.0f));
  }
}

/// Writes the normal variables of `Counters` counters per thread.
template <int Counters>
__global__ void __launch_bounds__(random_tuning.block)
    fill_normal_kernel(const __grid_constant__ normal_problem line, bool is_aligned) {
  ptx::grid_dependency_wait();
  if (!is_whole_tile<Counters>(line, is_aligned))
    return write_partial_tile<Counters>(line, is_aligned);
  __shared__ normal_tile<Counters> tiles[random_tuning.block / warp_threads];
  normal_tile<Counters>& tile = tiles[warp_of_block()];
  const index_t first =
      (index_t{blockIdx.x} * random_tuning.block + warp_of_block() * warp_threads) * Counters;
  const int queued = draw_normals(tile, line, first);
  __syncwarp();
  finish_tails(tile, line, queued);
  __syncwarp();
#pragma unroll
  for (int c = 0; c < Counters; ++c) {
    const int block = c * warp_threads + lane_of_warp();
    line.store_block(first + block, tile.blocks[block]);
  }
}

}  // namespace tandem::cuda_impl
