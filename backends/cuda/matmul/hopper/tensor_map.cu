// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/launch.cuh>

#include <tandem/core/errors.hpp>

#include <string>

namespace tandem::cuda_impl {
namespace {

using encoder = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, asked for by name: linking it would keep programs from starting where
/// there is no driver.
encoder find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned version = 12000;  // CUDA 12.0 brought it
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, version,
                                         cudaEnableDefault, &found),
        "cudaGetDriverEntryPointByVersion");
  if (found != cudaDriverEntryPointSuccess || function == nullptr)
    throw device_error("matmul: the driver lacks cuTensorMapEncodeTiled, which CUDA 12.0 brought");
  return reinterpret_cast<encoder>(function);
}

}  // namespace

CUtensorMap encode(const wgmma_map& map) {
  static const encoder function = find_encoder();
  const cuuint64_t extents[3] = {static_cast<cuuint64_t>(map.inner),
                                 static_cast<cuuint64_t>(map.outer),
                                 static_cast<cuuint64_t>(map.planes)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(map.outer_stride),
                                 static_cast<cuuint64_t>(map.plane_stride)};
  const cuuint32_t box[3] = {static_cast<cuuint32_t>(map.box_inner),
                             static_cast<cuuint32_t>(map.box_outer), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  // What L2 fetches for a box's row that begins anywhere: no more than the lines it lies in.
  const CUtensorMapL2promotion fetched = map.outer_stride % 256 == 0
                                             ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                             : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  CUtensorMap result;
  const CUresult status = function(&result, map.type, 3, const_cast<void*>(map.data), extents,
                                   strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, map.swizzle,
                                   fetched, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw device_error("matmul: cuTensorMapEncodeTiled: error " + std::to_string(status) +
                       " for extents " + std::to_string(map.inner) + " x " +
                       std::to_string(map.outer) + " x " + std::to_string(map.planes));
  }
  return result;
}

}  // namespace tandem::cuda_impl
