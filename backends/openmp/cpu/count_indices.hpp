// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/extents.hpp>

#include <limits>
#include <type_traits>

/// Loops over indices in the type of a user's function, in the forms that compilers vectorise.
namespace tandem::openmp_impl {

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// Calls f(i) for begin <= i - base < end, vectorised if f allows it: the pragma tells the compiler
/// that the iterations of a parallel loop are independent.
template <class Index, class Counter, class Function>
[[gnu::always_inline]] inline void count_vectors(Counter base, Counter begin, Counter end,
                                                 const Function& f) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#ifndef TANDEM_DEVICE_PASS  // the device compiler does not know it
#pragma GCC unroll 2
#endif
#endif
  for (Counter i = begin; i < end; ++i) f(static_cast<Index>(base + i));
}

/// Calls f(i) for first <= i < end and counts in Index itself. The last call stands outside the
/// loop, since the next index may not fit.
template <class Index, class Function>
[[gnu::always_inline]] inline void count_each(index_t first, index_t end, const Function& f) {
  if (first >= end) return;
  const auto last = static_cast<Index>(end - 1);
  count_vectors<Index, Index>(0, static_cast<Index>(first), last, f);
  f(last);
}

/// Calls f(i) for first <= i < end, counting from zero to lengths that fit Counter.
template <class Index, class Counter, class Function>
[[gnu::always_inline]] inline void count_from_zero(index_t first, index_t end, const Function& f) {
  constexpr auto longest = static_cast<index_t>(std::numeric_limits<Counter>::max());
  while (first < end) {
    const index_t length = end - first < longest ? end - first : longest;
    count_vectors<Index>(static_cast<Counter>(first), Counter{0}, static_cast<Counter>(length), f);
    first += length;
  }
}

/// Calls f(i) for first <= i < end and counts so that compilers recognise neighbouring indices as
/// neighbours in memory. They do so if sums cannot wrap around: in `int`, though not in an `int`
/// cast from a wider counter; in `unsigned` while all indices are small; in narrower types only if
/// the index itself is the counter.
template <class Index, class Function>
[[gnu::always_inline]] inline void count_up(index_t first, index_t end, const Function& f) {
  constexpr index_t most = index_t{1} << 30;
  if constexpr (sizeof(Index) == sizeof(index_t)) {
    count_from_zero<Index, index_t>(first, end, f);
  } else if constexpr (sizeof(Index) != sizeof(int)) {
    count_each<Index>(first, end, f);
  } else if constexpr (std::is_signed_v<Index>) {
    count_from_zero<Index, int>(first, end, f);
  } else if (first >= 0 && end <= most) {
    count_from_zero<Index, int>(first, end, f);
  } else {
    count_each<Index>(first, end, f);
  }
}

/// Calls f(i) for `length` indices of a row, starting at first >= 0, all of which Index can hold.
/// Short rows skip chunking.
template <class Index, class Function>
[[gnu::always_inline]] inline void count_row(index_t first, index_t length, const Function& f) {
  if constexpr (std::is_signed_v<Index> && sizeof(Index) >= sizeof(int)) {
    count_vectors<Index, Index>(static_cast<Index>(first), 0, static_cast<Index>(length), f);
  } else {
    count_up<Index>(first, first + length, f);
  }
}

/// Calls f(i) for first <= i < end, one by one: the compiler does not know what an index that is
/// hidden from it has to do with the next one.
template <class Index, class Function>
[[gnu::always_inline]] inline void count_scalars(index_t first, index_t end, const Function& f) {
  for (index_t at = first; at < end; ++at) {
    auto i = static_cast<Index>(at);
    asm("" : "+r"(i));
    f(i);
  }
}

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
