// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/memory.hpp>

#include <cstddef>

namespace tandem {

/// A type-erased copy as backends receive it: `rank` dimensions of elements of `element_bytes`
/// bytes, strides in elements. Source and destination have the same extents and do not overlap.
/// Dimensions that can be merged have been merged, so a contiguous copy has rank 1 and stride 1 on
/// both sides; rank 0 is one element.
struct copy_problem {
  int rank = 0;
  index_t extent[maximum_rank] = {};
  index_t source_stride[maximum_rank] = {};
  index_t destination_stride[maximum_rank] = {};
  std::size_t element_bytes = 0;
  const void* source = nullptr;
  void* destination = nullptr;
  memory_kind source_kind = memory_kind::host;
  memory_kind destination_kind = memory_kind::host;

  /// Number of elements.
  index_t size() const {
    index_t product = 1;
    for (int d = 0; d < rank; ++d) product *= extent[d];
    return product;
  }
  /// Whether both sides are contiguous.
  bool is_contiguous() const {
    return rank == 0 ||
           (rank == 1 && (extent[0] == 1 || (source_stride[0] == 1 && destination_stride[0] == 1)));
  }
};

/// A fill as backends receive it: every element of a strided destination becomes the
/// `element_bytes` bytes at `value` (host memory). Dimensions have been merged as in copy_problem.
struct fill_problem {
  int rank = 0;
  index_t extent[maximum_rank] = {};
  index_t stride[maximum_rank] = {};
  std::size_t element_bytes = 0;
  const void* value = nullptr;
  void* destination = nullptr;

  index_t size() const {
    index_t product = 1;
    for (int d = 0; d < rank; ++d) product *= extent[d];
    return product;
  }
};

/// Describes a fill as a copy of one host element with source strides of zero.
inline copy_problem as_copy(const fill_problem& fill) {
  copy_problem repeated;
  repeated.rank = fill.rank;
  for (int d = 0; d < fill.rank; ++d) {
    repeated.extent[d] = fill.extent[d];
    repeated.destination_stride[d] = fill.stride[d];
  }
  repeated.element_bytes = fill.element_bytes;
  repeated.source = fill.value;
  repeated.destination = fill.destination;
  return repeated;
}

}  // namespace tandem
