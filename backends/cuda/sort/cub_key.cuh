// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cub/block/radix_rank_sort_operations.cuh>
#include <cub/util_type.cuh>
#include <cub/version.cuh>

#include <tandem/core/contract/sort_key.hpp>

/// tandem's key order (core/contract/sort_key.hpp) as a key type for CUB's radix sort, since CUB's
/// order of floats puts NaNs with the sign bit set first.
///
/// Specialises two templates of namespace cub: NumericTraits, which maps a key to an unsigned
/// integer, and BaseDigitExtractor, which makes -0 and +0 equal. CUB 2.3 (CUDA 12.4) to 3.0 have
/// them. Before 3.0 a key's category is an enumeration; from 3.0 on it is a bool that tells whether
/// the key is a float. If a version lacks either template, compilation fails rather than the order
/// changing. A decomposer, which CUB documents for user-defined keys, cannot make keys with
/// different bits equal.
namespace tandem::cuda_impl {

/// The bits of a key, with their order in the type.
template <class Order>
struct sort_key {
  using order = Order;
  typename Order::word bits;
};

// Tells CUB that a key is not a float; before 3.0 this is the key's category.
#if CUB_VERSION < 300000
inline constexpr ::cub::Category key_category = ::cub::UNSIGNED_INTEGER;
#else
inline constexpr bool key_category = false;
#endif

}  // namespace tandem::cuda_impl

CUB_NAMESPACE_BEGIN

/// What CUB requires of a key type: unsigned integers in key order, and the keys with which CUB may
/// pad the last tile.
template <class Order>
struct NumericTraits<tandem::cuda_impl::sort_key<Order>> {
  using UnsignedBits = typename Order::word;
  static constexpr auto CATEGORY = tandem::cuda_impl::key_category;
  static constexpr bool is_primitive = false;
  static constexpr UnsignedBits LOWEST_KEY = Order::key(UnsignedBits{0});
  static constexpr UnsignedBits MAX_KEY = Order::key(static_cast<UnsignedBits>(~UnsignedBits{0}));

  __host__ __device__ static UnsignedBits TwiddleIn(UnsignedBits key) {
    return Order::ordered_bits(key);
  }
  __host__ __device__ static UnsignedBits TwiddleOut(UnsignedBits rank) { return Order::key(rank); }
};

/// The customization point at which CUB makes the two zeros of a float equal, just before it
/// extracts a digit.
template <class Order>
struct BaseDigitExtractor<tandem::cuda_impl::sort_key<Order>, tandem::cuda_impl::key_category> {
  using UnsignedBits = typename Order::word;

  __host__ __device__ static UnsignedBits ProcessFloatMinusZero(UnsignedBits rank) {
    return Order::comparable_bits(rank);
  }
};

CUB_NAMESPACE_END
