// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/core/contract/reduce_axis_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Bytes of memory that a term is read from, if known; 0 for a function.
template <class Slices>
inline constexpr std::size_t bytes_of_element = 0;
template <class T, class R>
inline constexpr std::size_t bytes_of_element<strided_slices<T, R>> = sizeof(T);

/// How a problem is divided among threads: by groups of slices or, if there are few groups, by
/// aligned subtrees of each, whose totals are the leaves of the tree above.
struct axis_plan {
  index_t across;      ///< groups of one p
  index_t groups;      ///< groups in all
  index_t terms;       ///< terms of a subtree
  index_t subtrees;    ///< subtrees of a slice
  data_location from;  ///< level from which terms are read
  bool is_balanced;    ///< threads steal subtrees
  bool is_adaptive;    ///< the loop forks only if that pays
};

/// Plans a reduction by groups of Groups::width slices.
template <class Groups, class Slices, class R>
axis_plan plan_axis(int threads, const reduce_axis_problem<Slices, R>& problem) {
  const index_t across = ceil_div(problem.inner, Groups::width);
  const index_t groups = problem.outer * across;
  const index_t wanted = subtrees_per_thread * threads;
  index_t terms = Groups::leaf;
  while (terms < problem.terms && terms < Groups::most_terms &&
         groups * ceil_div(problem.terms, terms * 2) >= wanted)
    terms *= 2;
  const index_t all = problem.outputs() * problem.terms;
  const auto bytes = static_cast<std::size_t>(all) * bytes_of_element<Slices>;
  return {.across = across,
          .groups = groups,
          .terms = terms,
          .subtrees = ceil_div(problem.terms, terms),
          .from = location_of(bytes, threads),
          .is_balanced = all >= balanced_terms && threads > 1,
          .is_adaptive = all < adaptive_terms};
}

}  // namespace tandem::openmp_impl
