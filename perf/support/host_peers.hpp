// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#if PERF_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#endif

namespace perf {

/// Whether this build knows TBB (Debian: libtbb-dev).
inline constexpr bool tbb_present = PERF_HAS_TBB != 0;

/// Calls body(begin, end) for parts of n indices as TBB shares them out; nothing without TBB, which
/// no entry asks for then.
template <class Body>
void tbb_for([[maybe_unused]] tandem::index_t n, [[maybe_unused]] const Body& body) {
#if PERF_HAS_TBB
  tbb::parallel_for(
      tbb::blocked_range<tandem::index_t>(0, n),
      [&](const tbb::blocked_range<tandem::index_t>& part) { body(part.begin(), part.end()); });
#endif
}

/// Joins fold(begin, end, so far) over parts of n indices as TBB shares them out.
template <class T, class Fold, class Join>
T tbb_reduce([[maybe_unused]] tandem::index_t n, const T& identity,
             [[maybe_unused]] const Fold& fold, [[maybe_unused]] const Join& join) {
#if PERF_HAS_TBB
  return tbb::parallel_reduce(
      tbb::blocked_range<tandem::index_t>(0, n), identity,
      [&](const tbb::blocked_range<tandem::index_t>& part, const T& so_far) {
        return fold(part.begin(), part.end(), so_far);
      },
      join);
#else
  return identity;
#endif
}

}  // namespace perf
