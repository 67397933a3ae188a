// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/arguments.cuh>
#include <tandem/backends/cuda/matmul/plan/tensor.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>

namespace tandem::cuda_impl {

/// Enqueues the wgmma kernel of a plan's tile and orders. Everything of `arguments` is set.
/// Defined, one type a file, in matmul_wgmma_*.cu, which are compiled for sm_90a alone.
template <tensor_type Type>
void launch_wgmma(const cuda& space, const tensor_plan& plan, const wgmma_arguments& arguments);

/// The map of `planes` matrices of `outer` runs of `inner` contiguous elements, which is copied in
/// boxes of box_inner x box_outer elements, rows swizzled by as many bytes as they have, 128 or 64.
/// Strides in bytes.
/// Errors: device_error.
struct wgmma_map {
  CUtensorMapDataType type;
  const void* data;
  index_t inner;
  index_t outer;
  index_t planes;
  index_t outer_stride;
  index_t plane_stride;
  int box_inner;
  int box_outer;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};
CUtensorMap encode(const wgmma_map& map);

}  // namespace tandem::cuda_impl
