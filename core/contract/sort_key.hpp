// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tandem {

/// The direction of sort().
enum class sort_order : unsigned char {
  ascending,  ///< smallest first, NaN last
  descending  ///< the reverse: NaN first, then the largest; equal keys still keep their order
};

/// How the bits of a key are interpreted.
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

/// The order of keys, for every backend. Keys are mapped one to one to ranks, unsigned integers
/// that order like the keys, so that a sort may move ranks instead of keys.
///
/// Floating point is ordered by <. NaNs come after infinity whatever their sign, ordered by their
/// bits: positive before negative, so no two with different bits are equal. Both zeros are equal;
/// their ranks are adjacent, and place() merges them.
template <class Word, key_kind Kind, sort_order Order>
struct sort_key {
  using word = Word;
  static constexpr key_kind kind = Kind;
  static constexpr sort_order order = Order;
  /// Whether keys with different bits can be equal.
  static constexpr bool has_equals = Kind == key_kind::floating_point;

  /// Position of a key among all keys; no two have the same position.
  TANDEM_FUNCTION static constexpr Word ordered_bits(Word key) {
    if constexpr (Kind == key_kind::signed_integer) key = static_cast<Word>(key ^ sign);
    if constexpr (Kind == key_kind::floating_point) {
      // Negative numbers descend with their bits. Those below -infinity are NaNs: subtracting wraps
      // them to the top.
      key = static_cast<Word>((key & sign) != 0 ? ~key : key | sign);
      key = static_cast<Word>(key - fraction);
    }
    return Order == sort_order::descending ? static_cast<Word>(~key) : key;
  }

  /// Returns the key of a rank.
  TANDEM_FUNCTION static constexpr Word key(Word rank) {
    if constexpr (Order == sort_order::descending) rank = static_cast<Word>(~rank);
    if constexpr (Kind == key_kind::signed_integer) rank = static_cast<Word>(rank ^ sign);
    if constexpr (Kind == key_kind::floating_point) {
      rank = static_cast<Word>(rank + fraction);
      rank = static_cast<Word>((rank & sign) != 0 ? rank ^ sign : ~rank);
    }
    return rank;
  }

  /// The value that a sort compares: a rank, the same one for both zeros.
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

/// The place of a key of type T, by which sorts and comparisons order it.
template <sort_order Order, sortable_key T>
TANDEM_FUNCTION constexpr auto comparable_bits_of(T key) {
  using word = key_word<sizeof(T)>;
  using order = sort_key<word, kind_of_key<T>, Order>;
  return order::comparable_bits(order::ordered_bits(__builtin_bit_cast(word, key)));
}

}  // namespace detail
}  // namespace tandem
