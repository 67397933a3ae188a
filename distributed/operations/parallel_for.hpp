// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/group/arguments.hpp>

namespace tandem {

/// Calls f for every index of `indices`, each on the member that holds the row of that number:
///
///   tandem::parallel_for(gpus, tandem::grid{{1, ny - 1}, {1, nx - 1}}, heat{}, u, v);
///
/// @param indices    as on one space. The index of the first dimension is a row of the sharded
///                   arguments; if there are none, members take equal shares of the indices
/// @param f          f(i, arguments...) with the indices of the whole. It sees the member's rows
///                   and the halo of the arrays, and their extents of the whole
/// @param arguments  sharded arrays of one cut and replicated arrays, as views; values by copy. A
///                   replicated array that f writes differs between the members afterwards
/// Errors            extent_error if the arrays have different cuts or the indices are not rows of
///                   them; otherwise as on one space. A member's error names it
/// Complexity        one loop per member, over its rows
/// Asynchronous on the members.
template <class Space, index_space Indices, class Function, class... Argument>
void parallel_for(const group<Space>& members, const Indices& indices, const Function& f,
                  Argument&&... arguments) {
  constexpr const char* name = "parallel_for";
  detail::require_count(name, indices);
  const detail::shared_rows rows(name, members, indices, arguments...);
  const auto bound = [&](int p) {
    return detail::bind_to_loop<Space, detail::rank_of<Indices>>(
        f, detail::argument_of(arguments, p)...);
  };
  if constexpr (detail::check_kernel<Function, Space>()) {
    detail::require_loop<decltype(bound(0))>(name, detail::as_loop(indices));
    detail::for_each_member(members, [&](int p) {
      const range own = rows.of_member(p);
      if (own.size() > 0)
        detail::loop_over(members.member(p), detail::with_rows(indices, own), bound(p));
    });
  }
}

}  // namespace tandem
