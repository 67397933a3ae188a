// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/scan.hpp>
#include <tandem/core/array.hpp>
#include <tandem/core/contract/select_problem.hpp>
#include <tandem/core/reducers.hpp>

/// Selection built on a backend's required operations. Backends without a dispatch_select run it,
/// and it is the simplest specification of the results of the others.
namespace tandem::detail {

/// 1 if an element is kept, else 0.
template <class T, class Keep>
struct select_flag {
  select_problem<T, Keep> problem;

  TANDEM_FUNCTION index_t operator()(index_t i) const { return problem.keeps(i) ? 1 : 0; }
};

/// Stores a kept element behind the kept ones before it.
template <class T, class Keep>
struct select_store {
  select_problem<T, Keep> problem;
  const index_t* position;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const index_t at = position[i];
    if (at < problem.room && problem.keeps(i))
      problem.out[at * problem.out_stride] = problem.element(i);
  }
};

/// Copies the kept elements to out in their order.
template <class Space, class T, class Keep>
void select_generically(const Space& space, const char* label,
                        const select_problem<T, Keep>& problem) {
  if (problem.size == 0) return;
  array<index_t, 1, Space, layout_right> position(extents<1>(problem.size), space);
  using load = function_load<select_flag<T, Keep>, index_t, sum<index_t>>;
  generic_scan(space, label,
               scan_problem<load, index_t, sum<index_t>>{
                   problem.size, load{{problem}, {}, 0}, {}, position.data_handle(), 1, true, 0});
  dispatch_for(space, label, range{0, problem.size},
               select_store<T, Keep>{problem, position.data_handle()});
}

/// Counts the kept elements: the terms of a sum.
template <class T, class Keep>
auto select_terms(const select_problem<T, Keep>& problem) {
  return function_load<select_flag<T, Keep>, index_t, sum<index_t>>{{problem}, {}, 0};
}

}  // namespace tandem::detail
