// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/matmul.hpp>
#include <tandem/distributed/operations/copy.hpp>

namespace tandem {

namespace detail {

template <class Space, class A, class B, class C, class Options>
void multiply_parts(const group<Space>& members, const A& a, const B& b, C& c,
                    const Options& options) {
  for_each_member(
      members, [&](int p) { matmul(members.member(p), a.part(p), b.part(p), c.part(p), options); });
}

}  // namespace detail

/// Computes c = epilogue(alpha * a b + beta * c), as matmul() on one space and with its bits. Each
/// member computes the rows, or the products of a batch, that it holds of c.
///
/// @param a        m x k, sharded by the cut of c
/// @param b        k x n. Replicated, or sharded by any cut: every member then gets a copy of all
///                 of it for the time of the call. With a batch, also one matrix per product,
///                 sharded by the cut of c
/// @param c        m x n, sharded; with a batch, the products are cut
/// @param options  as on one space, without a bias
/// Errors          extent_error if shapes or the cuts of a and c differ; argument_error for arrays
///                 of other members, and for a bias; those of matmul on one space
/// Complexity      each member multiplies its rows. A sharded b moves to every member
/// Asynchronous on the members.
template <class Space, class Ta, int Ra, class Tb, int Rb, class Tc, int Rc>
void matmul(
    const group<Space>& members, const array<Ta, Ra, group<Space>, layout_right>& a,
    const array<Tb, Rb, group<Space>, layout_right>& b,
    array<Tc, Rc, group<Space>, layout_right>& c,
    const detail::matmul_options_for<
        Space, typename array<Tc, Rc, group<Space>, layout_right>::view_type>& options = {}) {
  constexpr const char* name = "matmul";
  static_assert(Ra == Rc && (Rc == 2 || Rc == 3),
                "tandem: matmul on a group: a and c have rank 2, or 3 for a batch");
  detail::common_cut common(name);
  common.add(members, a);
  common.add(members, c);
  detail::require_members(name, members, b);
  detail::require(a.is_replicated() == c.is_replicated(), name,
                  "one of a and c is replicated, the other one is not");
  detail::require(!options.epilogue.bias.has_value(), name,
                  "a bias is in the memory of one member: add it by transform()");
  detail::require_equal(name, "rows of a", a.extent(Ra - 2), "rows of c", c.extent(Rc - 2));
  detail::require_equal(name, "columns of a", a.extent(Ra - 1), "rows of b", b.extent(Rb - 2));
  detail::require_equal(name, "columns of b", b.extent(Rb - 1), "columns of c", c.extent(Rc - 1));
  if (Rb == 3) common.add(members, b);
  if (Rb == 3 || b.is_replicated()) {
    detail::multiply_parts(members, a, b, c, options);
  } else {
    array<Tb, Rb, group<Space>, layout_right> everywhere(b.extents(), members, replicated);
    copy(members, b, everywhere);
    detail::multiply_parts(members, a, everywhere, c, options);
  }
}

}  // namespace tandem
