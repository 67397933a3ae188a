// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <tandem/core/contract/strided.hpp>

#include <tandem/core/math.hpp>

#include <algorithm>
#include <bit>

namespace tandem::cuda_impl {
namespace {

constexpr int row_threads = 256;
constexpr int square = 32;  // of the transposing kernel
constexpr int square_rows = 8;
constexpr index_t grid_limit = 65535;  // maximum blocks of a grid along y and z

/// Returns the 16 bytes that start `shift` bytes into two adjacent 16-byte pieces.
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

/// Copies 16 bytes; if only `left` elements of the run remain, fills with zeros. Reads the aligned
/// 16-byte pieces that lie in the run, which starts `before` elements earlier.
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

/// Two copies of runs that are already contiguous. Blocks from `second_block` on along z process
/// the second one, and together they cover both along x and y.
template <class Element>
struct row_copies {
  operand_copy<Element> copy[2];
  unsigned second_block = 0;
};

/// Copies runs at any alignment, blockDim.y at a time. Each thread copies a 16-byte piece.
template <class Element>
__global__ void __launch_bounds__(row_threads)
    pack_rows_kernel(const __grid_constant__ row_copies<Element> both) {
  ptx::grid_dependency_wait();
  constexpr index_t width = 16 / sizeof(Element);
  const bool second = blockIdx.z >= both.second_block;
  const operand_copy<Element>& copy = both.copy[second];
  const operand_pack& shape = copy.shape;
  const unsigned planes = second ? gridDim.z - both.second_block : both.second_block;
  const index_t first = (blockIdx.x * index_t{blockDim.x} + threadIdx.x) * width;
  if (first >= shape.inner) return;
  for (index_t plane = blockIdx.z - (second ? both.second_block : 0); plane < shape.planes;
       plane += planes) {
    for (index_t row = blockIdx.y * index_t{blockDim.y} + threadIdx.y; row < shape.outer;
         row += index_t{gridDim.y} * blockDim.y) {
      copy_piece(copy.source + plane * shape.plane_stride + row * shape.outer_stride + first,
                 copy.target + plane * shape.plane + row * shape.pitch + first, first,
                 shape.inner - first);
    }
  }
}

/// Copies any strides: squares go through shared memory, read along `outer`, written along `inner`.
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

/// Rows and terms that a block of pack_bytes_kernel copies, and its threads.
constexpr int bytes_width = 64;
constexpr int bytes_threads = 256;

/// Pitch in words of the tile in shared memory: one word of padding per row, so that lanes along
/// rows and along terms access different banks.
constexpr int bytes_pitch = bytes_width / 4 + 1;

/// How bytes are read: one by one along terms or rows, or four rows at a time.
enum class bytes_access : unsigned char { terms, rows, row_words };

/// Reads a tile byte by byte; adjacent lanes are along rows or terms.
__device__ __forceinline__ void gather_bytes(const operand_pack& shape, const std::uint8_t* x,
                                             index_t rows, index_t terms, bool along_rows,
                                             std::uint32_t* tile) {
  constexpr int width = bytes_width;
  constexpr int lines = bytes_threads / width;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(tile);
  const int lane = static_cast<int>(threadIdx.x) % width;
  const int line = static_cast<int>(threadIdx.x) / width;
  const int row = along_rows ? lane : line;
  const int term = along_rows ? line : lane;
  const int row_step = along_rows ? 0 : lines;
  const int term_step = along_rows ? lines : 0;
  x += row * shape.outer_stride + term * shape.inner_stride;
  const index_t step = row_step * shape.outer_stride + term_step * shape.inner_stride;
#pragma unroll
  for (int i = 0; i < width / lines; ++i) {
    const int r = row + i * row_step;
    const int t = term + i * term_step;
    bytes[r * bytes_pitch * 4 + t] = r < rows && t < terms ? x[i * step] : std::uint8_t{0};
  }
}

/// Reads a tile in squares of 4 rows by 4 terms, one per thread: four words along rows, then
/// transposed.
__device__ __forceinline__ void gather_words(const operand_pack& shape, const std::uint8_t* x,
                                             index_t rows, index_t terms, std::uint32_t* tile) {
  constexpr int squares = bytes_width / 4;
  static_assert(squares * squares == bytes_threads);
  const int row = static_cast<int>(threadIdx.x) % squares * 4;
  const int term = static_cast<int>(threadIdx.x) / squares * 4;
  std::uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint8_t* const word = x + row + (term + i) * shape.inner_stride;
    const bool exists = row < rows && term + i < terms;
    words[i] = exists ? *reinterpret_cast<const std::uint32_t*>(word) : 0;
  }
  const std::uint32_t low01 = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t low23 = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t high01 = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t high23 = __byte_perm(words[2], words[3], 0x7362);
  std::uint32_t* const target = tile + row * bytes_pitch + term / 4;
  target[0] = __byte_perm(low01, low23, 0x5410);
  target[bytes_pitch] = __byte_perm(low01, low23, 0x7632);
  target[2 * bytes_pitch] = __byte_perm(high01, high23, 0x5410);
  target[3 * bytes_pitch] = __byte_perm(high01, high23, 0x7632);
}

/// Copies bytes with any strides, one tile per block. Reads as `access` specifies; each thread
/// writes 16 terms.
__global__ void __launch_bounds__(bytes_threads)
    pack_bytes_kernel(const __grid_constant__ operand_pack shape, const std::uint8_t* source,
                      std::uint8_t* target, bytes_access access) {
  constexpr int width = bytes_width;
  __shared__ std::uint32_t tile[width * bytes_pitch];
  ptx::grid_dependency_wait();
  const index_t tiles_k = (shape.inner + width - 1) / width;
  const index_t first_row = blockIdx.x / tiles_k * width;
  const index_t first_term = blockIdx.x % tiles_k * width;
  const std::uint8_t* const x = source + blockIdx.z * shape.plane_stride +
                                first_row * shape.outer_stride + first_term * shape.inner_stride;
  const index_t rows = shape.outer - first_row;
  const index_t terms = shape.inner - first_term;
  if (access == bytes_access::row_words) {
    gather_words(shape, x, rows, terms, tile);
  } else {
    gather_bytes(shape, x, rows, terms, access == bytes_access::rows, tile);
  }
  __syncthreads();
  const int row = static_cast<int>(threadIdx.x) / 4;
  const int chunk = static_cast<int>(threadIdx.x) % 4;
  const index_t term = first_term + chunk * 16;
  if (row >= rows || term >= shape.pitch) return;
  const std::uint32_t* const words = tile + row * bytes_pitch + chunk * 4;
  *reinterpret_cast<uint4*>(target + blockIdx.z * shape.plane + (first_row + row) * shape.pitch +
                            term) = {words[0], words[1], words[2], words[3]};
}

bytes_access access_of(const operand_pack& shape, const std::uint8_t* data) {
  using tandem::detail::magnitude;
  const auto words = [](index_t extent) { return extent % 4 == 0; };
  if (shape.outer_stride == 1 && words(shape.outer) && words(shape.inner_stride) &&
      words(shape.plane_stride) && reinterpret_cast<std::uintptr_t>(data) % 4 == 0)
    return bytes_access::row_words;
  return magnitude(shape.outer_stride) < magnitude(shape.inner_stride) ? bytes_access::rows
                                                                       : bytes_access::terms;
}

void pack_bytes(const cuda& space, const operand_pack& shape, const std::uint8_t* source,
                std::uint8_t* target) {
  const index_t tiles =
      ceil_div<index_t>(shape.outer, bytes_width) * ceil_div<index_t>(shape.inner, bytes_width);
  const launch_shape launched{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(shape.planes)),
      .block = dim3(bytes_threads),
      .label = "matmul (transposing an operand of bytes)",
      .programmatic_launch = true};
  launch(space, launched, &pack_bytes_kernel, shape, source, target, access_of(shape, source));
}

unsigned bounded(index_t blocks) { return static_cast<unsigned>(std::min(blocks, grid_limit)); }

/// Copies one or two operands of contiguous runs.
template <class Element>
void pack_rows(const cuda& space, const operand_copy<Element>& first,
               const operand_copy<Element>* second) {
  const operand_pack& a = first.shape;
  const operand_pack b = second != nullptr ? second->shape : operand_pack{.planes = 0};
  const row_copies<Element> both{.copy = {first, second != nullptr ? *second : first},
                                 .second_block = bounded(min(a.planes, grid_limit / 2))};
  const index_t pieces =
      ceil_div(max(a.inner, b.inner) * static_cast<index_t>(sizeof(Element)), index_t{16});
  const auto lanes = std::bit_ceil(static_cast<unsigned>(std::min<index_t>(pieces, row_threads)));
  const unsigned runs = row_threads / lanes;  // per block, several of them if they are short
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(ceil_div(pieces, index_t{lanes})),
                   bounded(ceil_div(max(a.outer, b.outer), index_t{runs})),
                   both.second_block + bounded(min(b.planes, grid_limit / 2))),
      .block = dim3(lanes, runs),
      .label = second != nullptr ? "matmul (aligning operands)" : "matmul (aligning an operand)",
      .programmatic_launch = true};
  launch(space, shape, &pack_rows_kernel<Element>, both);
}

}  // namespace

template <class Element>
void pack_operand(const cuda& space, const operand_copy<Element>& copy) {
  if (copy.has_runs()) return pack_rows<Element>(space, copy, nullptr);
  const operand_pack& shape = copy.shape;
  if constexpr (sizeof(Element) == 1) {
    pack_bytes(space, shape, copy.source, copy.target);
  } else {
    const launch_shape squares{
        .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(shape.outer, square)),
                     bounded(ceil_div<index_t>(shape.inner, square)), bounded(shape.planes)),
        .block = dim3(square, square_rows),
        .label = "matmul (transposing an operand)",
        .programmatic_launch = true};
    launch(space, squares, &pack_transposing_kernel<Element>, shape, copy.source, copy.target);
  }
}

template <class Element>
void pack_operands(const cuda& space, const operand_copy<Element>& first,
                   const operand_copy<Element>& second) {
  if (first.has_runs() && second.has_runs()) return pack_rows(space, first, &second);
  pack_operand(space, first);
  pack_operand(space, second);
}

template void pack_operand(const cuda&, const operand_copy<std::uint8_t>&);
template void pack_operand(const cuda&, const operand_copy<std::uint16_t>&);
template void pack_operand(const cuda&, const operand_copy<std::uint32_t>&);
template void pack_operands(const cuda&, const operand_copy<std::uint8_t>&,
                            const operand_copy<std::uint8_t>&);
template void pack_operands(const cuda&, const operand_copy<std::uint16_t>&,
                            const operand_copy<std::uint16_t>&);
template void pack_operands(const cuda&, const operand_copy<std::uint32_t>&,
                            const operand_copy<std::uint32_t>&);

}  // namespace tandem::cuda_impl
