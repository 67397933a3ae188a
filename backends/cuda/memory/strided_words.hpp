// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

namespace tandem::cuda_impl {

/// Strided memory as a kernel moves it: a box of words of 1, 2, 4, 8 or 16 bytes, the widest that
/// sizes, strides and addresses allow. Extents and strides are in words. `Sides` is 1 for a fill
/// and 2 for a copy (destination, source).
template <std::size_t Sides>
struct strided_words {
  /// An element of several words adds a dimension.
  static constexpr int max_rank = maximum_rank + 1;

  int rank = 0;
  std::size_t word_bytes = 1;
  index_t extent[max_rank] = {};
  index_t stride[Sides][max_rank] = {};

  constexpr index_t size() const {
    index_t product = 1;
    for (int d = 0; d < rank; ++d) product *= extent[d];
    return product;
  }
};

/// The lowest set bit of x, which is the largest power of two that divides x.
constexpr std::size_t lowest_bit(std::size_t x) { return x & (~x + 1); }

/// Describes the elements of a problem as a box of bytes. Its innermost dimension is contiguous: a
/// row if the row's elements are contiguous on all sides, otherwise one element.
template <std::size_t Sides>
constexpr strided_words<Sides> make_strided_bytes(int rank, const index_t* extent,
                                                  const index_t* const (&stride)[Sides],
                                                  std::size_t element_bytes) {
  const auto bytes = static_cast<index_t>(element_bytes);
  bool row = rank > 0;
  for (std::size_t side = 0; side < Sides; ++side) row = row && stride[side][rank - 1] == 1;
  const int outer = row ? rank - 1 : rank;
  strided_words<Sides> box;
  box.rank = outer + 1;
  for (int d = 0; d < outer; ++d) box.extent[d] = extent[d];
  box.extent[outer] = row ? extent[outer] * bytes : bytes;
  for (std::size_t side = 0; side < Sides; ++side) {
    for (int d = 0; d < outer; ++d) box.stride[side][d] = stride[side][d] * bytes;
    box.stride[side][outer] = 1;
  }
  return box;
}

/// Describes a problem with at least one element as a box of words. For example, rows of 4 floats
/// move as 16-byte words.
///
/// @param extent   in elements, the last dimension innermost
/// @param stride   in elements
/// @param address  of the element at index zero, as an integer
/// @param widest   upper bound for the word size in bytes, a power of two
template <std::size_t Sides>
constexpr strided_words<Sides> make_strided_words(int rank, const index_t* extent,
                                                  const index_t* const (&stride)[Sides],
                                                  std::size_t element_bytes,
                                                  const std::size_t (&address)[Sides],
                                                  std::size_t widest = 16) {
  strided_words<Sides> box = make_strided_bytes(rank, extent, stride, element_bytes);
  const int last = box.rank - 1;
  std::size_t bits = widest | static_cast<std::size_t>(box.extent[last]);
  for (std::size_t side = 0; side < Sides; ++side) {
    bits |= address[side];
    for (int d = 0; d < last; ++d) bits |= static_cast<std::size_t>(box.stride[side][d]);
  }
  box.word_bytes = lowest_bit(bits);
  const auto word = static_cast<index_t>(box.word_bytes);
  box.extent[last] /= word;
  for (std::size_t side = 0; side < Sides; ++side) {
    for (int d = 0; d < last; ++d) box.stride[side][d] /= word;
  }
  if (box.extent[last] == 1 && last > 0) box.rank = last;
  return box;
}

}  // namespace tandem::cuda_impl
