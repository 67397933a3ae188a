// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The kernels that run before and after a product: copies of operands that the engines cannot read
/// in place 16 bytes at a time, and the sum over the slices of split-K.
namespace tandem::cuda_impl {

/// Describes `planes` matrices of `outer` runs of `inner` elements; strides are in elements. In the
/// copy, runs are contiguous and `pitch` elements apart, and matrices are `plane` elements apart.
/// `pitch` is at least `inner` rounded up to 16 bytes; zeros fill the padding.
struct operand_pack {
  index_t inner = 0;
  index_t outer = 0;
  index_t planes = 1;
  index_t inner_stride = 1;
  index_t outer_stride = 0;
  index_t plane_stride = 0;
  index_t pitch = 0;
  index_t plane = 0;
};

/// Unsigned integer with the size of T; packing moves bits.
template <class T>
using packed_bits =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

/// A copy to enqueue. Element is an unsigned integer of the elements' size: 8, 16 or 32 bits.
template <class Element>
struct operand_copy {
  operand_pack shape;
  const Element* source = nullptr;
  Element* target = nullptr;

  /// Whether runs are contiguous already, so that they need only be aligned.
  constexpr bool has_runs() const { return shape.inner_stride == 1 || shape.inner == 1; }
};

/// Enqueues the copy.
template <class Element>
void pack_operand(const cuda& space, const operand_copy<Element>& copy);

/// Enqueues both copies, in one launch if only their alignment changes.
template <class Element>
void pack_operands(const cuda& space, const operand_copy<Element>& first,
                   const operand_copy<Element>& second);

/// Rounds bytes up to a multiple of 256, the alignment of the parts of a call's scratch memory.
constexpr std::size_t whole_lines(index_t bytes) {
  return static_cast<std::size_t>(round_up(bytes, index_t{256}));
}

/// Describes the copy to `room` of an operand of `outer` rows of a (columns of b) by k terms, in
/// `planes` matrices, with runs `pitch` elements apart. The copy is contiguous along k if
/// `k_major`, otherwise along the outer index.
template <class In>
operand_copy<packed_bits<In>> copy_of(const matmul_operand<In>& x, index_t outer, index_t k,
                                      index_t planes, bool k_major, index_t pitch, void* room) {
  using bits = packed_bits<In>;
  return {.shape = {.inner = k_major ? k : outer,
                    .outer = k_major ? outer : k,
                    .planes = planes,
                    .inner_stride = k_major ? x.k_stride : x.outer_stride,
                    .outer_stride = k_major ? x.outer_stride : x.k_stride,
                    .plane_stride = x.batch_stride,
                    .pitch = pitch,
                    .plane = (k_major ? outer : k) * pitch},
          .source = reinterpret_cast<const bits*>(x.data),
          .target = static_cast<bits*>(room)};
}

/// Returns the operand in its copy.
template <class In>
matmul_operand<In> copied(const operand_copy<packed_bits<In>>& copy, bool k_major) {
  return {.data = reinterpret_cast<const In*>(copy.target),
          .outer_stride = k_major ? copy.shape.pitch : 1,
          .k_stride = k_major ? 1 : copy.shape.pitch,
          .batch_stride = copy.shape.plane_stride == 0 ? 0 : copy.shape.plane};
}

/// Enqueues the copy that copy_of describes, and returns it.
template <class In>
matmul_operand<In> copy_operand(const cuda& space, const matmul_operand<In>& x, index_t outer,
                                index_t k, index_t planes, bool k_major, index_t pitch,
                                void* room) {
  const auto copy = copy_of(x, outer, k, planes, k_major, pitch, room);
  pack_operand(space, copy);
  return copied<In>(copy, k_major);
}

// The second kernel of split-K: adds the totals of the slices of k.

/// How a block of split_k_sum_kernel works. For floats, one thread per element adds in ascending
/// order. Blocks are small because there are few elements, and more multiprocessors then wait for
/// memory concurrently. Integers are added in any order, each warp taking an eighth of the slices:
/// with few elements and many slices, a single thread would serialise the latency of its loads.
template <class Sum>
struct split_k_sum_policy {
  static constexpr bool in_order = std::is_floating_point_v<Sum>;
  static constexpr int elements = in_order ? 64 : 32;
  static constexpr int sharing = in_order ? 1 : 8;  ///< threads per element
  static constexpr int threads = elements * sharing;
  /// Leaves 128 registers for floats, half of them for loads. Integers need few, and eight of their
  /// blocks would exceed the threads of the smallest multiprocessor.
  static constexpr int min_blocks_per_sm = in_order ? 8 : 1;
};

/// Returns the sum of `slices` totals `stride` elements apart, added in ascending order. Keeps
/// `Ahead` loads in flight.
template <int Ahead, class Sum>
__device__ __forceinline__ Sum sum_in_order(const Sum* totals, index_t stride, index_t slices) {
  Sum total = -Sum{0};  // -0 + x == x for every x
  for (index_t slice = 0; slice < slices; slice += Ahead, totals += Ahead * stride) {
    Sum some[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i) some[i] = slice + i < slices ? totals[i * stride] : -Sum{0};
#pragma unroll
    for (int i = 0; i < Ahead; ++i) total += some[i];
  }
  return total;
}

/// Returns, in the first warp, the sum modulo 2^32 of the totals of the lane's element. Each warp
/// of the block adds some of the slices. All threads of the block must call it.
template <class Policy>
__device__ __forceinline__ std::int32_t sum_by_warps(const std::int32_t* totals, bool exists,
                                                     index_t stride, index_t slices) {
  __shared__ std::uint32_t sums[Policy::sharing][Policy::elements];
  const unsigned lane = threadIdx.x % Policy::elements;
  const unsigned group = threadIdx.x / Policy::elements;
  std::uint32_t sum = 0;
  if (exists) {
#pragma unroll 8
    for (index_t slice = group; slice < slices; slice += Policy::sharing)
      sum += static_cast<std::uint32_t>(totals[slice * stride]);
  }
  sums[group][lane] = sum;
  __syncthreads();
  if (group != 0) return 0;
#pragma unroll
  for (int i = 1; i < Policy::sharing; ++i) sum += sums[i][lane];
  return static_cast<std::int32_t>(sum);
}

/// Whether the slices' totals are stored by columns, like c. Totals of floats are stored by rows.
template <class T, class In>
TANDEM_FUNCTION constexpr bool totals_by_columns(const matmul_arguments<T, In>& problem) {
  return std::is_integral_v<T> && problem.c_row == 1 && problem.c_column != 1;
}

/// Returns the arguments of the products that write the totals of slices of `terms` terms of k. The
/// totals are contiguous matrices, one slice after another.
template <class T, class In>
matmul_arguments<T, In> slice_arguments(matmul_arguments<T, In> p, index_t batch, index_t terms,
                                        T* totals) {
  const bool columns = totals_by_columns(p);
  p.c = totals;
  p.c_row = columns ? 1 : p.n;
  p.c_column = columns ? p.m : 1;
  p.c_batch = p.m * p.n;
  p.c_slice = batch * p.c_batch;
  p.slice_k = terms;
  p.finish = {};
  return p;
}

/// Adds the totals of the slices of k and finishes them. Uses only the extents, c and finish of
/// `problem`.
///
/// @param slices  number of totals per element
/// @param totals  those of slice 0 as contiguous batch x m x n matrices (batch x n x m if
///                totals_by_columns), then those of slice 1, ..
template <class T, class In, class Sum>
__global__ void __launch_bounds__(split_k_sum_policy<Sum>::threads,
                                  split_k_sum_policy<Sum>::min_blocks_per_sm)
    split_k_sum_kernel(const __grid_constant__ matmul_arguments<T, In> problem, const Sum* totals,
                       index_t batch, index_t slices) {
  using policy = split_k_sum_policy<Sum>;
  ptx::grid_dependency_wait();
  const index_t matrix = problem.m * problem.n;
  const unsigned lane = policy::in_order ? threadIdx.x : threadIdx.x % policy::elements;
  const index_t element = static_cast<index_t>(blockIdx.x) * policy::elements + lane;
  Sum total;
  if constexpr (policy::in_order) {
    if (element >= batch * matrix) return;
    constexpr int ahead = 256 / static_cast<int>(sizeof(Sum));  // 64 registers
    const Sum* const first = totals + element;
    total = slices <= 8 ? sum_in_order<8>(first, batch * matrix, slices)
                        : sum_in_order<ahead>(first, batch * matrix, slices);
  } else {
    total =
        sum_by_warps<policy>(totals + element, element < batch * matrix, batch * matrix, slices);
    if (threadIdx.x >= policy::elements || element >= batch * matrix) return;
  }
  const index_t inside = element % matrix;
  const bool columns = totals_by_columns(problem);
  const index_t row = columns ? inside % problem.m : inside / problem.n;
  const index_t column = columns ? inside / problem.m : inside % problem.n;
  store_element(problem.finish, total, row, column,
                problem.c + element / matrix * problem.c_batch + row * problem.c_row +
                    column * problem.c_column);
}

template <class T, class In, class Sum>
void sum_slices(const cuda& space, const matmul_arguments<T, In>& problem, const Sum* totals,
                index_t batch, index_t slices) {
  using policy = split_k_sum_policy<Sum>;
  const index_t blocks = ceil_div<index_t>(batch * problem.m * problem.n, policy::elements);
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(blocks)),
                           .block = dim3(policy::threads),
                           .label = "matmul (sum of the slices of k)",
                           .programmatic_launch = true};
  launch(space, shape, &split_k_sum_kernel<T, In, Sum>, problem, totals, batch, slices);
}

}  // namespace tandem::cuda_impl
