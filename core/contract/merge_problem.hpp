// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_problem.hpp>

#include <cstddef>

namespace tandem {

/// Keys in the order of a sort, and the values that belong to them.
struct sorted_run {
  index_t size = 0;
  const void* keys = nullptr;
  const void* values = nullptr;  ///< null without values
};

/// A stable merge of two sorted runs as backends receive it: checked, contiguous, in the order of
/// sort_key.hpp. Of equal keys, those of the left run come first.
///
/// The outputs have room for both runs and overlap neither. Members have the meaning of those of
/// sort_problem.
struct merge_problem {
  key_kind kind = key_kind::unsigned_integer;
  sort_order order = sort_order::ascending;
  std::size_t key_bytes = 4;
  std::size_t value_bytes = 0;
  sorted_run left;
  sorted_run right;
  void* keys_out = nullptr;
  void* values_out = nullptr;
};

}  // namespace tandem
