// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/passes/pack.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <tandem/core/math.hpp>

#include <algorithm>

namespace tandem::cuda_impl {
namespace {

constexpr int row_threads = 256;
constexpr int square = 32;  // of the transposing kernel
constexpr int square_rows = 8;
constexpr index_t grid_limit = 65535;  // blocks of a grid along y and z

/// The 16 bytes that begin `shift` bytes after the first of two neighbouring pieces of 16 bytes.
__device__ __forceinline__ uint4 shifted(uint4 low, uint4 high, unsigned shift) {
  unsigned w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (shift & 8) {
#pragma unroll
    for (int i = 0; i < 6; ++i) w[i] = w[i + 2];
  }
  if (shift & 4) {
#pragma unroll
    for (int i = 0; i < 5; ++i) w[i] = w[i + 1];
  }
  const unsigned bits = shift % 4 * 8;
  return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                    __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/// Copies 16 bytes; where only `left` elements are left of the run, zeros follow. Reads aligned
/// pieces of 16 bytes where they lie in the run, which begins `before` elements earlier.
template <class Element>
__device__ __forceinline__ void copy_piece(const Element* source, Element* target, index_t before,
                                           index_t left) {
  constexpr index_t width = 16 / sizeof(Element);
  const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(source) % 16);
  const index_t ahead = shift / sizeof(Element);
  const bool inside = shift == 0 ? left >= width : before >= ahead && left >= 2 * width - ahead;
  if (inside) {
    const uint4* const pieces = reinterpret_cast<const uint4*>(source - ahead);
    const uint4 low = __ldg(pieces);
    const uint4 high = shift == 0 ? low : __ldg(pieces + 1);
    *reinterpret_cast<uint4*>(target) = shifted(low, high, shift);
    return;
  }
#pragma unroll 1
  for (index_t i = 0; i < width; ++i) target[i] = i < left ? source[i] : Element{0};
}

/// Runs that are contiguous already, at any alignment: a piece of 16 bytes a thread.
template <class Element>
__global__ void __launch_bounds__(row_threads)
    pack_rows_kernel(const __grid_constant__ operand_pack shape, const Element* source,
                     Element* target) {
  ptx::grid_dependency_wait();
  constexpr index_t width = 16 / sizeof(Element);
  const index_t first = (blockIdx.x * index_t{row_threads} + threadIdx.x) * width;
  if (first >= shape.inner) return;
  for (index_t plane = blockIdx.z; plane < shape.planes; plane += gridDim.z) {
    for (index_t row = blockIdx.y; row < shape.outer; row += gridDim.y) {
      copy_piece(source + plane * shape.plane_stride + row * shape.outer_stride + first,
                 target + plane * shape.plane + row * shape.pitch + first, first,
                 shape.inner - first);
    }
  }
}

/// Any strides: squares by way of shared memory, read along `outer`, written along `inner`.
template <class Element>
__global__ void __launch_bounds__(square* square_rows)
    pack_transposing_kernel(const __grid_constant__ operand_pack shape, const Element* source,
                            Element* target) {
  ptx::grid_dependency_wait();
  __shared__ Element values[square][square + 1];
  const index_t outer = blockIdx.x * index_t{square};
  for (index_t plane = blockIdx.z; plane < shape.planes; plane += gridDim.z) {
    for (index_t inner = blockIdx.y * index_t{square}; inner < shape.inner;
         inner += gridDim.y * index_t{square}) {
      const Element* const from = source + plane * shape.plane_stride +
                                  (outer + threadIdx.x) * shape.outer_stride +
                                  inner * shape.inner_stride;
#pragma unroll
      for (int i = threadIdx.y; i < square; i += square_rows) {
        if (outer + threadIdx.x < shape.outer && inner + i < shape.inner)
          values[i][threadIdx.x] = from[i * shape.inner_stride];
      }
      __syncthreads();
      Element* const to = target + plane * shape.plane + outer * shape.pitch + inner + threadIdx.x;
#pragma unroll
      for (int i = threadIdx.y; i < square; i += square_rows) {
        if (outer + i < shape.outer && inner + threadIdx.x < shape.pitch)
          to[i * shape.pitch] =
              inner + threadIdx.x < shape.inner ? values[threadIdx.x][i] : Element{0};
      }
      __syncthreads();
    }
  }
}

unsigned bounded(index_t blocks) { return static_cast<unsigned>(std::min(blocks, grid_limit)); }

}  // namespace

template <class Element>
void pack_operand(const cuda& space, const operand_pack& shape, const Element* source,
                  Element* target) {
  constexpr auto width = static_cast<index_t>(16 / sizeof(Element));
  if (shape.inner_stride == 1 || shape.inner == 1) {
    const launch_shape rows{
        .grid = dim3(static_cast<unsigned>(ceil_div(shape.inner, width * row_threads)),
                     bounded(shape.outer), bounded(shape.planes)),
        .block = dim3(row_threads),
        .label = "matmul (aligning an operand)",
        .programmatic_launch = true};
    return launch(space, rows, &pack_rows_kernel<Element>, shape, source, target);
  }
  const launch_shape squares{
      .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(shape.outer, square)),
                   bounded(ceil_div<index_t>(shape.inner, square)), bounded(shape.planes)),
      .block = dim3(square, square_rows),
      .label = "matmul (transposing an operand)",
      .programmatic_launch = true};
  launch(space, squares, &pack_transposing_kernel<Element>, shape, source, target);
}

template void pack_operand(const cuda&, const operand_pack&, const std::uint16_t*, std::uint16_t*);
template void pack_operand(const cuda&, const operand_pack&, const std::uint32_t*, std::uint32_t*);

}  // namespace tandem::cuda_impl
