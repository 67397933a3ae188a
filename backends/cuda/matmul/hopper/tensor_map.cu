// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <tandem/core/errors.hpp>

#include <algorithm>
#include <string>

namespace tandem::cuda_impl {
namespace {

using encoder = decltype(&cuTensorMapEncodeTiled);

/// Looks up the driver's function by name: programs that link it do not start without a driver.
encoder find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned version = 12000;  // CUDA 12.0 introduced it
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, version,
                                         cudaEnableDefault, &found),
        "cudaGetDriverEntryPointByVersion");
  if (found != cudaDriverEntryPointSuccess || function == nullptr)
    throw device_error("matmul: the driver lacks cuTensorMapEncodeTiled, which CUDA 12.0 brought");
  return reinterpret_cast<encoder>(function);
}

}  // namespace

CUtensorMap encode(const tensor_map& map) {
  static const encoder function = find_encoder();
  const cuuint64_t extents[3] = {static_cast<cuuint64_t>(map.inner),
                                 static_cast<cuuint64_t>(map.outer),
                                 static_cast<cuuint64_t>(map.planes)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(map.outer_stride),
                                 static_cast<cuuint64_t>(map.plane_stride)};
  const cuuint32_t tile[3] = {static_cast<cuuint32_t>(map.tile_inner),
                              static_cast<cuuint32_t>(map.tile_outer), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  // L2 fetches no more than the lines that hold a tile's row, wherever it begins.
  const CUtensorMapL2promotion fetched = map.outer_stride % 256 == 0
                                             ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                             : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  CUtensorMap result;
  const CUresult status = function(&result, map.type, 3, const_cast<void*>(map.data), extents,
                                   strides, tile, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, map.swizzle,
                                   fetched, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw device_error("matmul: cuTensorMapEncodeTiled: error " + std::to_string(status) +
                       " for extents " + std::to_string(map.inner) + " x " +
                       std::to_string(map.outer) + " x " + std::to_string(map.planes));
  }
  return result;
}

CUtensorMap map_matrix(const tensor_matrix& m, CUtensorMapDataType type, int bytes, int tile_inner,
                       int tile_outer) {
  // If there is only one run or plane, its stride is arbitrary, but the encoder still validates it.
  const index_t run = m.outer > 1 ? m.outer_stride * bytes : (m.inner * bytes + 15) / 16 * 16;
  const int inner = std::min(tile_inner, 128 / bytes);
  return encode(
      {.type = type,
       .data = m.data,
       .inner = m.inner,
       .outer = m.outer,
       .planes = m.planes,
       .outer_stride = run,
       .plane_stride = m.planes > 1 ? m.plane_stride * bytes : run,
       .tile_inner = inner,
       .tile_outer = tile_outer,
       .swizzle = inner * bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B});
}

}  // namespace tandem::cuda_impl
