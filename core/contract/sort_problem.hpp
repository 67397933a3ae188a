// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_key.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <type_traits>

namespace tandem {

/// A stable sort as backends receive it: checked, contiguous, in the order of sort_key.hpp.
///
/// keys_out receives the sorted keys, values_out the values that belong to them. An output is
/// either its input, sorted in place, or overlaps nothing.
struct sort_problem {
  index_t size = 0;
  key_kind kind = key_kind::unsigned_integer;
  sort_order order = sort_order::ascending;
  std::size_t key_bytes = 4;  ///< 1, 2, 4 or 8, aligned as such; 4 or 8 for floating point
  const void* keys = nullptr;
  void* keys_out = nullptr;
  std::size_t value_bytes = 0;   ///< 0 without values, otherwise any
  const void* values = nullptr;  ///< null without values
  void* values_out = nullptr;
};

namespace detail {

/// Calls run(std::type_identity<sort_key<..>>) for a problem's order.
template <class Word, key_kind Kind, class Run>
void with_order(sort_order order, const Run& run) {
  if (order == sort_order::ascending) {
    run(std::type_identity<sort_key<Word, Kind, sort_order::ascending>>{});
  } else {
    run(std::type_identity<sort_key<Word, Kind, sort_order::descending>>{});
  }
}

/// Calls run with the sort_key of a problem with `kind` and `order`: an integer of the word, or a
/// floating-point number if one has that size.
template <class Word, class Problem, class Run>
void with_kind(const Problem& problem, const Run& run) {
  switch (problem.kind) {
    case key_kind::unsigned_integer:
      return with_order<Word, key_kind::unsigned_integer>(problem.order, run);
    case key_kind::signed_integer:
      return with_order<Word, key_kind::signed_integer>(problem.order, run);
    case key_kind::floating_point:
      if constexpr (sizeof(Word) >= 4)
        with_order<Word, key_kind::floating_point>(problem.order, run);
  }
}

/// The order of integers: their ranks are their words with some bits flipped. One type for all of
/// them keeps compiled code small.
template <class Word>
struct integer_order {
  static constexpr bool has_equals = false;
  Word flip;

  TANDEM_FUNCTION Word ordered_bits(Word key) const { return static_cast<Word>(key ^ flip); }
  TANDEM_FUNCTION Word key(Word rank) const { return static_cast<Word>(rank ^ flip); }
  bool is_identity() const { return flip == 0; }
  TANDEM_FUNCTION static Word comparable_bits(Word rank) { return rank; }
};

/// The order of floating point.
template <class Order>
struct float_order : Order {
  static constexpr bool is_identity() { return false; }
};

/// Calls run with the integer_order or the float_order of a problem.
template <class Word, class Problem, class Run>
void with_order_object(const Problem& problem, const Run& run) {
  with_kind<Word>(problem, [&](auto order) {
    using Order = typename decltype(order)::type;
    if constexpr (Order::has_equals) {
      run(float_order<Order>{});
    } else {
      run(integer_order<Word>{Order::ordered_bits(0)});
    }
  });
}

}  // namespace detail
}  // namespace tandem
