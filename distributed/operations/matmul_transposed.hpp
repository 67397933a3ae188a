// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/chained_product.hpp>
#include <tandem/distributed/operations/replicas.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// A sharded matrix of which a product takes the columns as rows.
template <class T, class Space>
struct transposed_rows {
  const array<T, 2, group<Space>, layout_right>& rows;
};

/// Computes rows of c on the members that hold them, from a and b on every member.
template <class Space, class A, class B, class C, class Options>
void multiply_copies(const group<Space>& members, const A& a, const B& b, C& c,
                     const Options& options) {
  const auto multiply = [&](const auto& left, const auto& right) {
    for_each_member(members, [&](int p) {
      const slice rows{c.rows().begin(p), c.rows().end(p)};
      matmul(members.member(p), transposed(subview(left.part(p), all, rows)), right.part(p),
             c.part(p), options.of(p, slice{0, c.extent(1)}));
    });
  };
  if (members.size() == 1) return multiply(a, b);
  on_every_member<Space, A> left("matmul", members, a);
  on_every_member<Space, B> right("matmul", members, b);
  fence_on_error(members, [&] {
    left.fill(members, a);
    right.fill(members, b);
    multiply(*left, *right);
  });
}

/// Multiplies into a sharded c. A cut k passes totals from member to member if they have fewer
/// elements than a and b, and if the bits are those of chunks.
template <class Space, class A, class B, class C, class Options>
void multiply_transposed(const group<Space>& members, const cut* terms, const A& a, const B& b,
                         C& c, const Options& given, std::size_t bytes) {
  const member_options<Space, matmul_sum_t<typename C::value_type>> options(members, given);
  require_epilogue(members.member(0), c.part(0), options.of(0, slice{0, c.extent(1)}).epilogue);
  if (c.size() == 0) return;
  const index_t k = a.extent(0);
  const index_t piece = matmul_piece<typename A::value_type>(k, given.precision, given.split_k);
  if (terms == nullptr || members.size() == 1 || piece == k || a.size() + b.size() <= c.size())
    return multiply_copies(members, a, b, c, options);
  chained_product<Space, A, B, C> product(members, *terms, a, b, c, options, bytes);
  fence_on_error(members, [&] { product.run(); });
}

template <class Space, class Ta, class Tb, class C, class Options>
void run_transposed(const group<Space>& members, const transposed_rows<Ta, Space>& left,
                    const array<Tb, 2, group<Space>, layout_right>& b, C& c, const Options& options,
                    std::size_t bytes = bytes_of_chains) {
  constexpr const char* name = "matmul";
  const auto& a = left.rows;
  require_equal(name, "columns of a", a.extent(0), "rows of b", b.extent(0));
  require_equal(name, "rows of c", c.extent(0), "rows of a", a.extent(1));
  require_equal(name, "columns of c", c.extent(1), "columns of b", b.extent(1));
  if (const auto& bias = options.epilogue.bias)
    require_equal(name, "elements of bias", bias->extent(0), "columns of c", c.extent(1));
  common_cut common(name);
  common.add(members, a);
  common.add(members, b);
  const auto multiply = [&](auto& into) {
    multiply_transposed(members, common.rows(), a, b, into, options, bytes);
  };
  if constexpr (sharded_operand<C>) {
    require_members(name, members, c);
    require_two_arrays(name, "c overlaps a", a, c);
    require_two_arrays(name, "c overlaps b", b, c);
    if (!c.is_replicated()) return multiply(c);
  } else {
    require_data(name, "c", c);
    require_distinct_elements(name, "c", c);
  }
  array<typename C::value_type, 2, group<Space>, layout_right> rows(
      extents<2>(a.extent(1), b.extent(1)), members);
  fence_on_error(members, [&] {
    if (options.beta != 0) copy(members, c, rows);
    multiply(rows);
    copy(members, rows, c);
  });
}

}  // namespace detail

/// Takes the columns of a sharded matrix as the rows of a product, matmul(members, transposed(x),
/// y, c). Other operations do not take the result, and it must not outlive the array.
///
/// @param x    sharded or replicated array of rank 2
/// Complexity  constant; no element is accessed
template <class T, class Space>
detail::transposed_rows<T, Space> transposed(const array<T, 2, group<Space>, layout_right>& x) {
  return {x};
}
template <class T, class Space>
detail::transposed_rows<T, Space> transposed(array<T, 2, group<Space>, layout_right>& x) {
  return {x};
}
template <class T, class Space>
void transposed(array<T, 2, group<Space>, layout_right>&& x) = delete;  // would outlive the array

/// Computes c = epilogue(alpha * a b + beta * c) with an a and a b that members share out along k,
/// as matmul() on one space and with its bits. X^T X of a tall X whose rows are sharded:
///
///   tandem::matmul(members, tandem::transposed(x), x, gram);
///
/// @param a        transposed() of a k x m array, sharded, or replicated if b is sharded
/// @param b        k x n, with the cut of that array, or replicated
/// @param c        m x n: sharded by any cut, replicated, or an operand of the host
/// @param options  as on one space; a bias is in memory of the host
/// Errors          extent_error if shapes or the cuts of a and b differ; argument_error for arrays
///                 of other members, and if c is a or b; those of matmul on one space. Memory that
///                 runs out before the first product leaves c unchanged
/// Complexity      each member multiplies the chunks of 1024 terms that begin in its rows; the
///                 other rows of such a chunk move to it. Totals of c pass from member to member, m
///                 n elements each. Scratch per member: the sums of its chunks for some rows of c,
///                 up to 512 MiB or 256 rows, and twice the totals of these rows. If a and b have
///                 fewer elements than c, or if the order of the sum has no chunks (half, bf16 and
///                 tf32 up to 16384 terms, bf16x6 and bf16x9), every member gets a copy of all of a
///                 and b instead, and computes rows of c
/// Asynchronous on the members: members.fence() before the host reads c.
template <class Space, class Ta, class Tb, viewable C>
  requires(!(detail::sharded_operand<C> && std::is_const_v<std::remove_reference_t<C>>))
void matmul(const group<Space>& members, const detail::transposed_rows<Ta, Space>& a,
            const array<Tb, 2, group<Space>, layout_right>& b, C&& c,
            const matmul_options<detail::matmul_sum_t<typename detail::result_view<C>::value_type>,
                                 host_memory>& options = {}) {
  using Left = typename array<Ta, 2, group<Space>, layout_right>::const_view_type;
  using Right = typename array<Tb, 2, group<Space>, layout_right>::const_view_type;
  using Product = detail::result_view<C>;
  constexpr bool is_matrix = Product::rank() == 2;
  static_assert(is_matrix, "tandem: matmul on a group: c of a transposed a has rank 2");
  if constexpr (is_matrix) {
    constexpr bool fit = detail::check_matmul_operands<Left, Right, Product>();
    if constexpr (!fit) {
      return;
    } else if constexpr (detail::sharded_operand<C>) {
      detail::run_transposed(members, a, b, c, options);
    } else {
      const auto product = as_view(std::forward<C>(c));
      detail::run_transposed(members, a, b, product, options);
    }
  }
}

}  // namespace tandem
