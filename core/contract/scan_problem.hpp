// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

/// A scan as backends receive it, checked: y[i * y_stride] = op(.. op(load(0), load(1)) ..,
/// load(i)) in the order of docs/numerics.md, or for an exclusive scan of the elements before i,
/// with `init` leftmost.
///
/// Load  function object index_t -> T: contiguous_load, strided_load or function_load
/// T     element and accumulator type
/// R     plain reducer over T, for its combine() and commutativity
///
/// load may read element i of y (a scan in place), but nothing else of y.
template <class Load, class T, class R>
struct scan_problem {
  index_t size = 0;
  Load load;
  R reducer;
  T* y = nullptr;
  index_t y_stride = 1;
  bool exclusive = false;
  T init{};
};

}  // namespace tandem
