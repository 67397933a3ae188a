// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/matmul.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace tandem {

namespace detail {

/// The options of a product as each member gets them, with a copy of the bias on each.
template <class Space, class Sum>
class member_options {
 public:
  member_options(const group<Space>& members, const matmul_options<Sum, host_memory>& given)
      : given_(given) {
    if (const auto& bias = given.epilogue.bias) {
      bias_.emplace(bias->extents(), members, replicated);
      copy(members, *bias, *bias_);
    }
  }

  /// Those of a product that has some columns of c.
  matmul_options<Sum, typename Space::memory_type> of(int p, const slice& columns) const {
    auto options = without_bias<typename Space::memory_type>(given_);
    if (bias_.has_value()) options.epilogue.bias = subview(bias_->part(p), columns);
    return options;
  }

 private:
  const matmul_options<Sum, host_memory>& given_;
  std::optional<array<Sum, 1, group<Space>, layout_right>> bias_;
};

template <class Space, class A, class B, class C, class Options>
void multiply_parts(const group<Space>& members, const A& a, const B& b, C& c,
                    const Options& options) {
  const slice columns(c.extent(C::rank() - 1));
  for_each_member(members, [&](int p) {
    matmul(members.member(p), a.part(p), b.part(p), c.part(p), options.of(p, columns));
  });
}

/// Computes columns of c from those of a b that every member has.
template <class Space, class A, class B, class C, class Options>
void multiply_columns(const group<Space>& members, const A& a, const B& b, C& c, const slice& some,
                      const Options& options) {
  for_each_member(members, [&](int p) {
    matmul(members.member(p), a.part(p), subview(b.part(p), tandem::all, some),
           subview(c.part(p), tandem::all, some), options.of(p, some));
  });
}

/// The end of the columns of b that arrive behind those from `begin` back to `last`, the begin of
/// the piece before. Pieces grow: the first one arrives before there is work, and each of the
/// others takes a link less time than a member needs to multiply by the one before. Their bounds
/// are those of whole tiles of kernels, and their rows are long enough for copy engines.
constexpr index_t end_of_columns(index_t last, index_t begin, index_t columns) {
  constexpr index_t least = 512;
  const index_t size =
      begin == 0 ? round_up(std::max(columns / 16, least), least) : 2 * (begin - last);
  return columns - begin < 2 * size ? columns : begin + size;
}

/// Multiplies by a sharded b: copies all of it to every member by pieces of columns, each beside
/// the product of the piece before. Products take turns on two streams, so that the next one fills
/// the multiprocessors that the end of one leaves idle.
template <class Space, class A, class B, class C, class Options>
void multiply_gathered(const group<Space>& members, const A& a, const B& b, C& c,
                       const Options& options) {
  B everywhere(b.extents(), members, replicated);
  const auto copiers = streams_beside("matmul", members);
  const auto others = streams_beside("matmul", members);
  const auto copy_columns = [&](const slice& some) {
    transfers<Space> copies("matmul", copiers);
    for (int q = 0; q < b.members(); ++q) copies.add_columns(b, some, q, everywhere.whole(q));
    copies.run();
    return copiers.record();
  };
  const auto multiply_pieces = [&] {
    const index_t columns = b.extent(1);
    index_t last = 0;
    bool on_others = false;
    for (index_t begin = 0; begin < columns; on_others = !on_others) {
      const index_t end = end_of_columns(last, begin, columns);
      const auto& spaces = on_others ? others : members;
      wait_each(spaces, copy_columns({begin, end}));
      multiply_columns(spaces, a, everywhere, c, {begin, end}, options);
      last = std::exchange(begin, end);
    }
    wait_each(members, others.record());
  };
  fence_on_error(copiers, [&] { fence_on_error(others, multiply_pieces); });
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
/// @param options  as on one space; a bias is in memory of the host
/// Errors          extent_error if shapes or the cuts of a and c differ; argument_error for arrays
///                 of other members, and if c is a or b; those of matmul on one space
/// Complexity      each member multiplies its rows. A sharded b and a bias move to every member
/// Asynchronous on the members.
template <class Space, class Ta, int Ra, class Tb, int Rb, class Tc, int Rc>
void matmul(const group<Space>& members, const array<Ta, Ra, group<Space>, layout_right>& a,
            const array<Tb, Rb, group<Space>, layout_right>& b,
            array<Tc, Rc, group<Space>, layout_right>& c,
            const matmul_options<detail::matmul_sum_t<Tc>, host_memory>& options = {}) {
  constexpr const char* name = "matmul";
  static_assert(Ra == Rc && (Rc == 2 || Rc == 3),
                "tandem: matmul on a group: a and c have rank 2, or 3 for a batch");
  detail::common_cut common(name);
  common.add(members, a);
  common.add(members, c);
  detail::require_members(name, members, b);
  detail::require(a.is_replicated() == c.is_replicated(), name,
                  "one of a and c is replicated, the other one is not");
  detail::require_two_arrays(name, "c overlaps a", a, c);
  detail::require_two_arrays(name, "c overlaps b", b, c);
  detail::require_equal(name, "rows of a", a.extent(Ra - 2), "rows of c", c.extent(Rc - 2));
  detail::require_equal(name, "columns of a", a.extent(Ra - 1), "rows of b", b.extent(Rb - 2));
  detail::require_equal(name, "columns of b", b.extent(Rb - 1), "columns of c", c.extent(Rc - 1));
  if (Rb == 3) common.add(members, b);
  if (const auto& bias = options.epilogue.bias) {
    detail::require_equal(name, "elements of bias", bias->extent(0), "columns of c",
                          c.extent(Rc - 1));
  }
  const detail::member_options<Space, detail::matmul_sum_t<Tc>> each(members, options);
  if constexpr (Rb == 2 && Rc == 2) {
    if (!b.is_replicated() && members.size() > 1)
      return detail::multiply_gathered(members, a, b, c, each);
  }
  detail::multiply_parts(members, a, b, c, each);
}

}  // namespace tandem
