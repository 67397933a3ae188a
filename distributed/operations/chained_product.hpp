// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/cut/product_chunks.hpp>
#include <tandem/distributed/operations/matmul.hpp>
#include <tandem/distributed/operations/product_totals.hpp>
#include <tandem/distributed/operations/transfers.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

/// Products of matrices that members share out along k.
namespace tandem::detail {

/// Bytes of chains that a member keeps at a time.
inline constexpr std::size_t bytes_of_chains = std::size_t{512} << 20;

/// A product a^T b of matrices that are cut by rows, which are the terms. Members compute the
/// chains of their chunks for a block of rows of c, all at once and without waiting for each other.
/// Then the totals of the block pass from member to member, each of which adds its chains, while
/// the others compute those of the next block. The members that hold the rows of c finish them.
template <class Space, class A, class B, class C>
class chained_product {
 public:
  using sum_type = matmul_sum_t<typename C::value_type>;

  /// Allocates the buffers: chains of at most `bytes` bytes per member, or of 256 rows of a chunk.
  chained_product(const group<Space>& members, const cut& terms, const A& a, const B& b, C& c,
                  const member_options<Space, sum_type>& options, std::size_t bytes)
      : members_(members), a_(a), b_(b), c_(c), options_(options), chunks_(chunks_of(terms)) {
    const index_t n = c.extent(1);
    index_t most = 0;
    index_t split = 0;
    for (const product_chunks& one : chunks_) {
      most = std::max(most, one.count());
      split = std::max(split, one.split.size());
    }
    block_ =
        chain_block::fitting(c.extent(0), most, static_cast<std::size_t>(n) * sizeof(Sum), bytes);
    chains_ = buffer<Sum>(block_.chunks * block_.rows * n);
    totals_ = buffer<Sum>(block_.rows * n);
    arrived_ = buffer<Sum>(block_.rows * n);
    split_of_a_ = buffer<In>(split * a.row_size());
    split_of_b_ = buffer<In>(split * b.row_size());
  }

  /// Enqueues all of it.
  void run() {
    gather_split_chunks();
    const index_t m = c_.extent(0);
    range before;
    for (index_t begin = 0; begin < m; begin += block_.rows) {
      const range rows(begin, std::min(begin + block_.rows, m));
      for_each_member(members_, [&](int p) { multiply(p, rows, first_of(p)); });
      finish(before);
      pass(rows);
      before = rows;
    }
    finish(before);
  }

 private:
  using In = typename A::value_type;
  using Sum = sum_type;
  static constexpr const char* name = "matmul";
  template <class T>
  using lines = array<T, 1, group<Space>, layout_right>;
  template <class T>
  using matrix = view<T, 2, layout_right, typename Space::memory_type>;

  /// A range of the numbers of a member's chunks, the split one last.
  struct some_chunks {
    index_t begin;
    index_t end;
  };

  static std::vector<product_chunks> chunks_of(const cut& terms) {
    auto list = list_for<product_chunks>(name, terms.parts());
    for (int p = 0; p < terms.parts(); ++p)
      list.push_back(product_chunks::of({terms.begin(p), terms.end(p)}, terms.rows()));
    return list;
  }

  template <class T>
  lines<T> buffer(index_t elements) const {
    return lines<T>(extents<1>(elements), members_, replicated);
  }

  const product_chunks& chunks(int p) const { return chunks_[static_cast<std::size_t>(p)]; }
  some_chunks first_of(int p) const { return next_of(p, 0); }
  some_chunks next_of(int p, index_t begin) const {
    return {begin, std::min(begin + block_.chunks, chunks(p).count())};
  }

  /// Brings the rows of each member's split chunk together.
  void gather_split_chunks() {
    transfers<Space> copies(name, members_);
    const auto add = [&](const auto& x, auto& to) {
      for (int p = 0; p < members_.size(); ++p) {
        const range& rows = chunks(p).split;
        if (rows.size() > 0) copies.add_rows(x, rows, p, split_chunk(p, x, to));
      }
    };
    add(a_, split_of_a_);
    add(b_, split_of_b_);
    copies.run();
  }

  /// The rows of a member's split chunk, with the indices of the whole.
  template <class X>
  matrix<In> split_chunk(int p, const X& x, lines<In>& copied) const {
    const index_t before = chunks(p).split.begin * x.row_size();
    return {moved_back(copied.part(p).data_handle(), before), x.extents()};
  }

  /// Computes the chains of some of a member's chunks for some rows of c.
  void multiply(int p, const range& rows, const some_chunks& some) {
    const index_t n = c_.extent(1);
    const auto given = options_.of(p, slice{0, 0});
    const matmul_options<Sum, typename Space::memory_type> plain{.precision = given.precision,
                                                                 .kernel = given.kernel};
    Sum* const chains = chains_.part(p).data_handle();
    const product_chunks& mine = chunks(p);
    const slice rows_of_c{rows.begin, rows.end};
    const index_t whole = std::min(some.end, mine.whole_count()) - some.begin;
    if (whole > 0) {
      const index_t begin = mine.whole.begin + some.begin * matmul_chunk;
      const slice terms{begin, begin + whole * matmul_chunk};
      const view<Sum, 3, layout_right, typename Space::memory_type> to(
          chains, extents<3>(whole, rows.size(), n));
      matmul(members_.member(p),
             transposed(by_chunks(subview(a_.whole(p), terms, rows_of_c)), 0, 2, 1),
             by_chunks(subview(b_.whole(p), terms, all)), to, plain);
    }
    if (some.end > mine.whole_count()) {
      const slice terms{mine.split.begin, mine.split.end};
      matmul(members_.member(p),
             transposed(subview(split_chunk(p, a_, split_of_a_), terms, rows_of_c)),
             subview(split_chunk(p, b_, split_of_b_), terms, all),
             matrix<Sum>(chains + whole * rows.size() * n, extents<2>(rows.size(), n)), plain);
    }
  }

  /// The rows of whole chunks as one matrix per chunk.
  template <class View>
  static auto by_chunks(const View& v) {
    const extents<3> sizes(v.extent(0) / matmul_chunk, matmul_chunk, v.extent(1));
    const extents<3> strides(matmul_chunk * v.stride(0), v.stride(0), v.stride(1));
    return view<typename View::element_type, 3, layout_stride, typename View::memory_type>(
        v.data_handle(), layout_stride::mapping<3>(sizes, strides));
  }

  /// Passes the totals of some rows along the members, which add their chains.
  void pass(const range& rows) {
    last_ = -1;
    for (int p = 0; p < members_.size(); ++p) {
      if (chunks(p).count() == 0) continue;
      if (last_ >= 0) {
        transfers<Space> hop(name, members_);
        add_totals_to(hop, p, 0, rows.size() * c_.extent(1), totals_.part(p).data_handle());
        hop.run();
      }
      for_member(p, members_.size(), [&] { add_chains_of(p, rows); });
      last_ = p;
    }
  }

  /// Adds all chains of a member to the totals of some rows, or starts these with them.
  void add_chains_of(int p, const range& rows) {
    const index_t elements = rows.size() * c_.extent(1);
    for (some_chunks some = first_of(p); some.begin < some.end; some = next_of(p, some.end)) {
      if (some.begin > 0) multiply(p, rows, some);
      run_loop(members_.member(p), name, range(elements),
               add_chains<Sum>{totals_.part(p).data_handle(), chains_.part(p).data_handle(),
                               elements, some.end - some.begin, last_ < 0 && some.begin == 0});
    }
  }

  /// Adds a copy of the latest totals, those from element `first` on, to member p.
  void add_totals_to(transfers<Space>& copies, int p, index_t first, index_t count, Sum* to) {
    using line = view<Sum, 1, layout_right, typename Space::memory_type>;
    copies.add(last_, p,
               make_copy_problem(line(totals_.part(last_).data_handle() + first, extents<1>(count)),
                                 line(to, extents<1>(count))));
  }

  /// Computes some rows of c from their totals, which the last member has.
  void finish(const range& rows) {
    const index_t n = c_.extent(1);
    const auto own = [&](int p) {
      return range(std::max(rows.begin, c_.rows().begin(p)), std::min(rows.end, c_.rows().end(p)));
    };
    transfers<Space> copies(name, members_);
    for (int p = 0; p < members_.size(); ++p) {
      if (own(p).size() > 0 && p != last_)
        add_totals_to(copies, p, (own(p).begin - rows.begin) * n, own(p).size() * n,
                      arrived_.part(p).data_handle());
    }
    copies.run();
    for_each_member(members_, [&](int p) {
      const range mine = own(p);
      if (mine.size() == 0) return;
      const Sum* const from = p == last_
                                  ? totals_.part(p).data_handle() + (mine.begin - rows.begin) * n
                                  : arrived_.part(p).data_handle();
      finish_product(members_.member(p), matrix<const Sum>(from, extents<2>(mine.size(), n)),
                     subview(c_.whole(p), slice{mine.begin, mine.end}, all),
                     options_.of(p, slice{0, n}));
    });
  }

  const group<Space>& members_;
  const A& a_;
  const B& b_;
  C& c_;
  const member_options<Space, Sum>& options_;
  std::vector<product_chunks> chunks_;
  chain_block block_{};
  int last_ = -1;  ///< the member that has the latest totals
  lines<Sum> chains_;
  lines<Sum> totals_;
  lines<Sum> arrived_;  ///< totals of rows of c that the member holds
  lines<In> split_of_a_;
  lines<In> split_of_b_;
};

}  // namespace tandem::detail
