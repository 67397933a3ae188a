// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/reduce_axis/policy.hpp>
#include <tandem/core/contract/reduce_axis_problem.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/math.hpp>

/// How outputs are stored, and how partial results of one output from several blocks are combined.
namespace tandem::cuda_impl {

/// Output o is at (o / inner, o % inner). Free if there is one row of outputs.
struct output_index {
  index_t p;
  index_t q;
};
__device__ inline output_index split_output(index_t o, index_t outer, index_t inner) {
  if (outer == 1) return {0, o};
  const index_t p = o / inner;
  return {p, o - p * inner};
}

/// The reducer of the terms that rows or columns read.
template <class Terms>
using reducer_of = decltype(Terms::reducer);

/// Number of terms in the tile that begins at term `begin` of a slice of `terms` terms; 0 past its
/// end.
template <class R>
__device__ int terms_of_tile(index_t begin, index_t terms) {
  return static_cast<int>(
      tandem::max(index_t{0}, tandem::min(terms - begin, index_t{canonical::tile<R>})));
}

/// Finishes accumulators into the outputs of a problem.
template <class R>
struct axis_output {
  R reducer;
  typename R::result* out;
  index_t outer;
  index_t inner;
  index_t outer_stride;
  index_t inner_stride;

  __device__ void operator()(index_t o, const typename R::accumulator& value) const {
    const output_index at = split_output(o, outer, inner);
    out[at.p * outer_stride + at.q * inner_stride] = reducer.finish(value);
  }
};

template <class Slices, class R>
axis_output<R> make_axis_output(const reduce_axis_problem<Slices, R>& problem) {
  return {
      problem.reducer,         problem.out, problem.outer, problem.inner, problem.out_outer_stride,
      problem.out_inner_stride};
}

/// Memory for partial results: part k of output o is partials[k * outputs + o]. As much space again
/// follows the last part. Counters are zeroed. Both pointers are null if outputs have one part.
template <class T>
struct axis_partials {
  T* partials;
  unsigned* counters;
  index_t outputs;
};

/// Partial results that one thread combines at a time. They take at most 128 bytes of registers,
/// and there are at least four, so that all levels above the parts fit into the space after them.
template <class T>
inline constexpr int partials_per_thread = sizeof(T) <= 8    ? 16
                                           : sizeof(T) <= 16 ? 8
                                                             : 4;

/// Returns whether all `arrivals` blocks that share the counter have arrived. This is true only in
/// the last one, which then sees everything that the others have stored. Resets the counter to
/// zero.
__device__ inline bool block_arrives_last_of(unsigned* counter, unsigned arrivals) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    // One fence covers the whole block: the barrier has made the block's stores visible to this
    // thread.
    __threadfence();
    last = atomicInc(counter, arrivals - 1) == arrivals - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// The aligned adjacent tree over `Each` parts of one output, starting at part `first`. Parts past
/// `count` are skipped.
template <int Each, class T, class R>
__device__ T fold_partials(const T* part, index_t stride, int first, int count, const R& reducer) {
  values<T, Each> value;
#pragma unroll
  for (int i = 0; i < Each; ++i)
    value[i] = first + i < count ? load_l2(part + (first + i) * stride) : reducer.identity();
#pragma unroll
  for (int distance = 1; distance < Each; distance *= 2) {
#pragma unroll
    for (int i = 0; i < Each; i += 2 * distance)
      value[i] = reducer.combine(value[i], value[i + distance]);
  }
  return value[0];
}

/// Combines the `count` parts of each output from `first` to end - 1, using all threads of a block.
/// Part k of output o is part[k * outputs + o], and output(o, value) receives the result.
/// Intermediate levels are stored after the parts; up to partials_per_thread parts need none.
template <class T, class R, class Output>
__device__ void finish_outputs(T* part, index_t outputs, index_t first, index_t end, int count,
                               const R& reducer, const Output& output) {
  constexpr int each = partials_per_thread<T>;
  const auto width = static_cast<unsigned>(end - first);
  T* level = part + first;
#pragma unroll 1
  for (;;) {
    const int runs = (count + each - 1) / each;
    T* above = level + count * outputs;
#pragma unroll 1
    for (unsigned task = threadIdx.x; task < width * static_cast<unsigned>(runs);
         task += blockDim.x) {
      const unsigned run = task / width;
      const unsigned column = task - run * width;
      const T value = fold_partials<each>(level + column, outputs, static_cast<int>(run) * each,
                                          count, reducer);
      if (runs == 1) {
        output(first + column, value);
      } else {
        above[run * outputs + column] = value;
      }
    }
    if (runs == 1) return;
    __syncthreads();
    level = above;
    count = runs;
  }
}

}  // namespace tandem::cuda_impl
