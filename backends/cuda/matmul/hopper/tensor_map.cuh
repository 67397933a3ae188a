// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cuda.h>

namespace tandem::cuda_impl {

/// `planes` matrices of `outer` runs of `inner` contiguous elements, which TMA copies in tiles of
/// tile_inner x tile_outer elements, rows swizzled by as many bytes as they have, 128 or 64.
/// Strides in bytes.
struct tensor_map {
  CUtensorMapDataType type;
  const void* data;
  index_t inner;
  index_t outer;
  index_t planes;
  index_t outer_stride;
  index_t plane_stride;
  int tile_inner;
  int tile_outer;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};

/// Encodes a map as the kernels take it. Errors: device_error.
CUtensorMap encode(const tensor_map& map);

/// An operand or result as maps see it: `planes` matrices of `outer` contiguous runs of `inner`
/// elements. Strides in elements.
struct tensor_matrix {
  const void* data = nullptr;
  index_t inner = 0;
  index_t outer = 0;
  index_t planes = 1;
  index_t outer_stride = 0;
  index_t plane_stride = 0;
};

/// The map of a matrix of elements of `bytes` bytes, in tiles of at most `tile_inner` elements and
/// one row of 128 bytes, or 64 where there are no more, by `tile_outer`.
CUtensorMap map_matrix(const tensor_matrix& m, CUtensorMapDataType type, int bytes, int tile_inner,
                       int tile_outer);

}  // namespace tandem::cuda_impl
