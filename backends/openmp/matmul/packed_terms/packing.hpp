// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/backends/openmp/matmul/problem.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Calls pack(entry, first, count) for a thread's partition of `entries` times `lines` lines: for
/// short runs of lines of one entry, so that a second pass over a packed line finds it in a cache.
template <class Pack>
void for_own_lines(index_t entries, index_t lines, int part, int parts, const Pack& pack) {
  constexpr index_t run_lines = 64;
  const share mine = share_of(entries * lines, part, parts);
  for (index_t at = mine.begin; at < mine.end;) {
    const index_t first = at % lines;
    const index_t count = tandem::min(tandem::min(lines - first, mine.end - at), run_lines);
    pack(at / lines, first, count);
    at += count;
  }
}

/// Packs the elements of a and b into elements of several terms, entry after entry without gaps. T
/// is c's type.
template <class T, class In>
struct matmul_packing {
  using element = detail::matmul_sum_t<T>;

  const matmul_problem<T, In>& p;
  const packed_terms_kernels<In, element>& kernels;
  index_t elements;  ///< elements per row of a: its terms, padded with zeros
  index_t front;     ///< elements in front of a row of a: its sums' initial value, or a gap
  index_t a_entries;
  index_t b_entries;

  matmul_packing(const matmul_problem<T, In>& problem,
                 const packed_terms_kernels<In, element>& with)
      : p(problem),
        kernels(with),
        elements(round_up<index_t>(ceil_div<index_t>(p.k, kernels.terms), kernels.depth)),
        front(kernels.start != nullptr ? 1 : gap_of(elements)),
        a_entries(p.a_batch == 0 ? 1 : p.batch),
        b_entries(p.b_batch == 0 ? 1 : p.batch) {}

  index_t a_row() const { return front + elements; }
  index_t a_size() const { return p.m * a_row(); }
  index_t b_size() const { return elements * p.n; }
  /// Elements of all entries of a, rounded up so that b after them is aligned to a cache line.
  index_t a_sizes() const { return round_up<index_t>(a_entries * a_size(), 16); }
  index_t sizes() const { return a_sizes() + b_entries * b_size(); }

  /// Returns how many of `threads` threads are worth waking to pack.
  int useful_threads(int threads) const {
    constexpr index_t fork_elements = index_t{1} << 14;
    return sizes() < fork_elements ? 1 : threads;
  }

  /// Whether one thread is faster than several: the operands fit its L2 and there is little work.
  bool is_serial() const {
    constexpr index_t cached_elements = index_t{1} << 16;  // a quarter of a MiB
    return sizes() <= cached_elements && p.batch * p.m * p.n * elements < kernels.serial_work;
  }

  /// Packs a thread's partition to `memory`, which has sizes() elements for the whole problem.
  /// Calls seen_a and seen_b with (pointer, elements) of what was packed, a few lines at a time.
  template <class SeenA, class SeenB>
  void pack(int part, int parts, element* memory, const SeenA& seen_a, const SeenB& seen_b) const {
    for_own_lines(a_entries, p.m, part, parts, [&](index_t entry, index_t row, index_t rows) {
      element* const to = memory + entry * a_size() + row * a_row();
      pack_a(to + front, entry, row, rows);
      seen_a(to, rows * a_row());
    });
    for_own_lines(b_entries, elements, part, parts,
                  [&](index_t entry, index_t first, index_t count) {
                    element* const to = memory + a_sizes() + entry * b_size() + first * p.n;
                    pack_b(to, entry, first, count);
                    seen_b(to, count * p.n);
                  });
  }

  /// Returns the product of the packed elements.
  matmul_problem<T, element> product(const element* memory) const {
    auto q = with_element_types<T, element>(p);
    q.k = elements;
    q.a = memory + front;
    q.a_batch = a_entries > 1 ? a_size() : 0;
    q.a_row = a_row();
    q.a_column = 1;
    q.b = memory + a_sizes();
    q.b_batch = b_entries > 1 ? b_size() : 0;
    q.b_row = p.n;
    q.b_column = 1;
    return q;
  }

 private:
  /// Elements of a row that hold terms; zeros follow them.
  index_t filled() const { return ceil_div<index_t>(p.k, kernels.terms); }

  /// Returns the gap in front of each row for kernels that read whole lines of several rows at
  /// once: with an even number of lines, all rows would map to the same few sets of a cache.
  index_t gap_of(index_t of_row) const {
    return kernels.depth > 1 && of_row % (2 * kernels.depth) == 0 ? kernels.depth : 0;
  }

  void pack_a(element* to, index_t entry, index_t row, index_t rows) const {
    const In* const from = p.a + entry * p.a_batch + row * p.a_row;
    kernels.pack_a({.source = from,
                    .across = p.a_row,
                    .along = p.a_column,
                    .count = rows,
                    .terms = p.k,
                    .to = to,
                    .stride = a_row()});
    for (index_t i = 0; i < rows; ++i)
      for (index_t q = filled(); q < elements; ++q) to[i * a_row() + q] = element{};
    if (kernels.start != nullptr) kernels.start(to, a_row(), rows, elements);
  }

  void pack_b(element* to, index_t entry, index_t first, index_t count) const {
    const index_t zeros = tandem::max(first, filled());
    for (index_t at = (zeros - first) * p.n; at < count * p.n; ++at) to[at] = element{};
    if (first >= filled()) return;
    const index_t term = first * kernels.terms;
    const In* const from = p.b + entry * p.b_batch + term * p.b_row;
    kernels.pack_b({.source = from,
                    .across = p.b_column,
                    .along = p.b_row,
                    .count = p.n,
                    .terms = tandem::min(count * kernels.terms, p.k - term),
                    .to = to,
                    .stride = p.n});
  }
};

}  // namespace tandem::openmp_impl
