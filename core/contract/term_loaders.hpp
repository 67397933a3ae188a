// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/view.hpp>

namespace tandem {

/// Reads accumulators of a reduction or a scan from contiguous elements: reducer.lift(data[i], i).
/// Backends recognise the type and read with wide loads.
template <class T, class Reducer>
struct contiguous_load {
  const T* data;
  Reducer reducer;

  TANDEM_FUNCTION constexpr typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(detail::load_constant(data + i), i);
  }
};

/// Reads accumulators from elements `stride` apart.
template <class T, class Reducer>
struct strided_load {
  const T* data;
  index_t stride;
  Reducer reducer;

  TANDEM_FUNCTION constexpr typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(detail::load_constant(data + i * stride), i);
  }
};

/// Reads accumulators from a user's function of the index, which it calls with its own index type.
template <class Function, class Index, class Reducer>
struct function_load {
  Function function;
  Reducer reducer;
  index_t begin;

  TANDEM_FUNCTION constexpr typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(function(static_cast<Index>(begin + i)), begin + i);
  }
};

}  // namespace tandem
