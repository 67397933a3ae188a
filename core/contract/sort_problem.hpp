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

/// Calls run with the sort_key of the problem: an integer of the word, or a floating-point number
/// if one has that size.
template <class Word, class Run>
void with_kind(const sort_problem& problem, const Run& run) {
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

}  // namespace detail
}  // namespace tandem
