// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/core/extents.hpp>

#include <cstdint>
#include <type_traits>

/// Operands that kernels cannot read 16 bytes at a time where they lie, copied to where they can.
namespace tandem::cuda_impl {

/// `planes` matrices of `outer` runs of `inner` elements, strides in elements. The copy's runs are
/// contiguous, `pitch` elements apart, its matrices `plane`; `pitch` is `inner` rounded up to 16
/// bytes, which zeros fill, or more.
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

/// The unsigned integers that stand for elements of T.
template <class T>
using packed_bits =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

/// Enqueues the copy. Element is an unsigned integer of the elements' size: 8, 16 or 32 bits.
template <class Element>
void pack_operand(const cuda& space, const operand_pack& shape, const Element* source,
                  Element* target);

}  // namespace tandem::cuda_impl
