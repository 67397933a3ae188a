// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tandem {

/// Which way sort() puts its keys.
enum class sort_order : unsigned char {
  ascending,  ///< smallest first, NaN last
  descending  ///< the reverse: NaN first, then the largest; equal keys still keep their order
};

/// How the bits of a key are read.
enum class key_kind : unsigned char { unsigned_integer, signed_integer, floating_point };

/// Types that sort() takes as keys.
template <class T>
concept sortable_key =
    std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= sizeof(std::uint64_t));

namespace detail {

template <sortable_key T>
inline constexpr key_kind kind_of_key = std::is_floating_point_v<T> ? key_kind::floating_point
                                        : std::is_signed_v<T>       ? key_kind::signed_integer
                                                                    : key_kind::unsigned_integer;

/// The unsigned integer of Bytes (1, 2, 4 or 8) bytes.
template <std::size_t Bytes>
using key_word = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The order of keys, for every backend: the words of keys are mapped to ranks, unsigned integers
/// in the order of the keys, one to one so that a sort may carry ranks in place of keys.
///
/// Floating point is in the order of <. NaNs come behind infinity whatever their sign, and among
/// themselves by their bits: positive sign before negative, so that no two of different bits are
/// equal. Both zeros are equal; their ranks are side by side, and place() makes them one.
template <class Word, key_kind Kind, sort_order Order>
struct sort_key {
  using word = Word;
  static constexpr key_kind kind = Kind;
  static constexpr sort_order order = Order;
  /// Whether keys of different bits can be equal.
  static constexpr bool has_equals = Kind == key_kind::floating_point;

  /// Position of a key among all keys; no two have the same.
  TANDEM_FUNCTION static constexpr Word ordered_bits(Word key) {
    if constexpr (Kind == key_kind::signed_integer) key = static_cast<Word>(key ^ sign);
    if constexpr (Kind == key_kind::floating_point) {
      // Negative numbers descend with their bits. Those below -infinity are NaNs: subtracting
      // wraps them to the top.
      key = static_cast<Word>((key & sign) != 0 ? ~key : key | sign);
      key = static_cast<Word>(key - fraction);
    }
    return Order == sort_order::descending ? static_cast<Word>(~key) : key;
  }

  /// The key of a rank.
  TANDEM_FUNCTION static constexpr Word key(Word rank) {
    if constexpr (Order == sort_order::descending) rank = static_cast<Word>(~rank);
    if constexpr (Kind == key_kind::signed_integer) rank = static_cast<Word>(rank ^ sign);
    if constexpr (Kind == key_kind::floating_point) {
      rank = static_cast<Word>(rank + fraction);
      rank = static_cast<Word>((rank & sign) != 0 ? rank ^ sign : ~rank);
    }
    return rank;
  }

  /// What a sort compares: a rank, the same one for both zeros.
  TANDEM_FUNCTION static constexpr Word comparable_bits(Word rank) {
    if constexpr (Kind == key_kind::floating_point) {
      if (rank == sort_key::ordered_bits(sign)) return sort_key::ordered_bits(0);
    }
    return rank;
  }

 private:
  static constexpr Word sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  static constexpr Word fraction =
      sizeof(Word) == 4 ? static_cast<Word>(0x007fffffu) : static_cast<Word>(0x000fffffffffffffu);
};

/// The place of a key of type T, which sorts and comparisons go by.
template <sort_order Order, sortable_key T>
TANDEM_FUNCTION constexpr auto comparable_bits_of(T key) {
  using word = key_word<sizeof(T)>;
  using order = sort_key<word, kind_of_key<T>, Order>;
  return order::comparable_bits(order::ordered_bits(__builtin_bit_cast(word, key)));
}

}  // namespace detail
}  // namespace tandem
