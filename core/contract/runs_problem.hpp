// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem {

/// A reduction of the values of each run of equal neighbouring keys, as backends get it: checked.
/// Output r is the combination of run r's terms in the canonical shape that they have alone, and
/// keys_out has its key. The outputs take the first `room` runs.
///
/// Key   trivially copyable, with a default constructor and ==
/// Load  function object index_t -> accumulator, called with 0 <= i < size
/// R     reducer
///
/// Inputs and outputs do not overlap.
template <class Key, class Load, class R>
struct runs_problem {
  index_t size = 0;  ///< of keys, at least 1
  const Key* keys = nullptr;
  index_t key_stride = 1;
  Key* keys_out = nullptr;
  index_t keys_out_stride = 1;
  Load load;
  R reducer;
  typename R::result* out = nullptr;
  index_t out_stride = 1;
  index_t room = 0;           ///< at most `size`
  index_t* begins = nullptr;  ///< memory for room + 2 indices, the backend's to use
};

}  // namespace tandem
