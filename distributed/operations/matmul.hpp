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

/// Computes columns of c from those of a b that every member has.
template <class Space, class A, class B, class C, class Options>
void multiply_columns(const group<Space>& members, const A& a, const B& b, C& c, const slice& some,
                      const Options& options) {
  for_each_member(members, [&](int p) {
    matmul(members.member(p), a.part(p), subview(b.part(p), tandem::all, some),
           subview(c.part(p), tandem::all, some), options);
  });
}

/// The columns of b that arrive before the first product starts; the others arrive beside it. An
/// eighth takes a link less time than a member needs to multiply it, and whole tiles of kernels
/// keep rows aligned.
constexpr index_t first_columns(index_t columns) {
  constexpr index_t kernel_tile = 256;
  const index_t eighth = round_up(columns / 8, kernel_tile);
  return columns >= 8 * kernel_tile ? eighth : columns;
}

/// Multiplies by a sharded b: copies all of it to every member, in two steps of columns, of which
/// the second one overlaps with the product of the first.
template <class Space, class A, class B, class C, class Options>
void multiply_gathered(const group<Space>& members, const A& a, const B& b, C& c,
                       const Options& options) {
  B everywhere(b.extents(), members, replicated);
  const auto copiers = streams_beside("matmul", members);
  const index_t columns = b.extent(1);
  const index_t first = first_columns(columns);
  const auto copy_columns = [&](const slice& some) {
    transfers<Space> copies("matmul", copiers);
    for (int q = 0; q < b.members(); ++q) copies.add_columns(b, some, q, everywhere.whole(q));
    copies.run();
    return copiers.record();
  };
  const auto head = copy_columns({0, first});
  const auto tail = copy_columns({first, columns});
  wait_each(members, head);
  multiply_columns(members, a, everywhere, c, {0, first}, options);
  wait_each(members, tail);
  if (first < columns) multiply_columns(members, a, everywhere, c, {first, columns}, options);
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
///                 of other members, if c is a or b, and for a bias; those of matmul on one space
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
  detail::require_two_arrays(name, "c overlaps a", a, c);
  detail::require_two_arrays(name, "c overlaps b", b, c);
  detail::require_equal(name, "rows of a", a.extent(Ra - 2), "rows of c", c.extent(Rc - 2));
  detail::require_equal(name, "columns of a", a.extent(Ra - 1), "rows of b", b.extent(Rb - 2));
  detail::require_equal(name, "columns of b", b.extent(Rb - 1), "columns of c", c.extent(Rc - 1));
  if (Rb == 3) common.add(members, b);
  if constexpr (Rb == 2 && Rc == 2) {
    if (!b.is_replicated() && members.size() > 1)
      return detail::multiply_gathered(members, a, b, c, options);
  }
  detail::multiply_parts(members, a, b, c, options);
}

}  // namespace tandem
