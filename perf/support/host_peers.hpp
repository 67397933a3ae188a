// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/names.hpp>

#if PERF_HAS_KOKKOS
#include <Kokkos_Core.hpp>
#endif
#if PERF_HAS_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#endif

namespace perf {

/// Whether this build has TBB (Debian: libtbb-dev), and a Kokkos built with OpenMP. The functions
/// below do nothing without them, and no benchmark calls them then.
inline constexpr bool tbb_present = PERF_HAS_TBB != 0;
inline constexpr bool kokkos_present = PERF_HAS_KOKKOS != 0;

/// Calls body(begin, end) for the ranges into which TBB splits n indices.
template <class Body>
void tbb_for([[maybe_unused]] index_t n, [[maybe_unused]] const Body& body) {
#if PERF_HAS_TBB
  tbb::parallel_for(
      tbb::blocked_range<index_t>(0, n),
      [&](const tbb::blocked_range<index_t>& part) { body(part.begin(), part.end()); });
#endif
}

/// Joins fold(begin, end, so_far) over the ranges into which TBB splits n indices.
template <class T, class Fold, class Join>
T tbb_reduce([[maybe_unused]] index_t n, const T& identity, [[maybe_unused]] const Fold& fold,
             [[maybe_unused]] const Join& join) {
#if PERF_HAS_TBB
  return tbb::parallel_reduce(
      tbb::blocked_range<index_t>(0, n), identity,
      [&](const tbb::blocked_range<index_t>& part, const T& so_far) {
        return fold(part.begin(), part.end(), so_far);
      },
      join);
#else
  return identity;
#endif
}

#if PERF_HAS_KOKKOS
/// A Kokkos range of n indices, of the type that lets g++ vectorise a loop's body. The first call
/// initialises Kokkos on as many threads as OpenMP has; it is finalised when the program ends.
inline auto kokkos_range(index_t n) {
  static const Kokkos::ScopeGuard begun(
      Kokkos::InitializationSettings().set_disable_warnings(true));
  return Kokkos::RangePolicy<Kokkos::OpenMP, Kokkos::IndexType<index_t>>(0, n);
}

/// A reduction functor for Kokkos: step(so_far, i) and join(so_far, other) update a reference.
template <class T, class Step, class Join>
struct kokkos_fold {
  using value_type = T;

  T identity;
  Step step;
  Join joined;

  void operator()(index_t i, T& so_far) const { step(so_far, i); }
  void init(T& so_far) const { so_far = identity; }
  void join(T& so_far, const T& other) const { joined(so_far, other); }
};
#endif

/// Calls body(i) for n indices by Kokkos::parallel_for.
template <class Body>
void kokkos_for([[maybe_unused]] index_t n, [[maybe_unused]] const Body& body) {
#if PERF_HAS_KOKKOS
  Kokkos::parallel_for(kokkos_range(n), body);
#endif
}

/// Reduces n indices by Kokkos::parallel_reduce with step(so_far, i) and join(so_far, other).
template <class T, class Step, class Join>
T kokkos_reduce([[maybe_unused]] index_t n, const T& identity, [[maybe_unused]] const Step& step,
                [[maybe_unused]] const Join& join) {
  T total = identity;
#if PERF_HAS_KOKKOS
  Kokkos::parallel_reduce(kokkos_range(n), kokkos_fold<T, Step, Join>{identity, step, join}, total);
#endif
  return total;
}

/// Calls step(i, so_far, is_final) for n indices by Kokkos::parallel_scan.
template <class Step>
void kokkos_scan([[maybe_unused]] index_t n, [[maybe_unused]] const Step& step) {
#if PERF_HAS_KOKKOS
  Kokkos::parallel_scan(kokkos_range(n), step);
#endif
}

}  // namespace perf
