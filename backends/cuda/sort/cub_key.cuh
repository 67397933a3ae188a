// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cub/block/radix_rank_sort_operations.cuh>
#include <cub/util_type.cuh>
#include <cub/version.cuh>

#include <tandem/core/contract/sort_key.hpp>

/// tandem's order of keys (core/contract/sort_key.hpp) as a type that CUB's radix sort takes, since
/// CUB's own order of floats puts NaNs of negative sign first.
///
/// Specialises two templates of namespace cub: NumericTraits, which says how a key becomes an
/// unsigned integer, and BaseDigitExtractor, at which -0 and +0 become equal. CUB 2.3 (CUDA 12.4)
/// to 3.0 have them; before 3.0 a key's category is an enumeration, from 3.0 on whether it is a
/// float. A version that lacks one fails to compile rather than sort in another order: a
/// decomposer, which CUB documents for keys of a caller's own, cannot make keys of different bits
/// equal.
namespace tandem::cuda_impl {

/// The bits of a key, of a type that states their order.
template <class Order>
struct sort_key {
  using order = Order;
  typename Order::word bits;
};

// What tells CUB that a key is no float: before 3.0 its category.
#if CUB_VERSION < 300000
inline constexpr ::cub::Category key_category = ::cub::UNSIGNED_INTEGER;
#else
inline constexpr bool key_category = false;
#endif

}  // namespace tandem::cuda_impl

CUB_NAMESPACE_BEGIN

/// What CUB requires of a key type: unsigned integers in the order of the keys, and the keys with
/// which it may pad the last tile.
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

/// The hook at which CUB makes the two zeros of a float equal, just before it extracts a digit.
template <class Order>
struct BaseDigitExtractor<tandem::cuda_impl::sort_key<Order>, tandem::cuda_impl::key_category> {
  using UnsignedBits = typename Order::word;

  __host__ __device__ static UnsignedBits ProcessFloatMinusZero(UnsignedBits rank) {
    return Order::comparable_bits(rank);
  }
};

CUB_NAMESPACE_END
