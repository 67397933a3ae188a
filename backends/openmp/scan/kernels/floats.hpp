// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/scan/kernels/lanes.hpp>
#include <tandem/backends/openmp/scan/kernels/table.hpp>
#include <tandem/core/contract/reduction_shape.hpp>

/// A tile of the canonical scan in vectors whose lanes are segments: a group of `width` segments is
/// transposed, folded lane by lane, combined with the prefix of each segment, and transposed back.
namespace tandem::openmp_impl {
namespace {

/// Kogge-Stone scan of a row of 32 totals, for groups of `width` totals in order.
template <class Op>
class row_scan {
 public:
  static constexpr int groups = canonical::row_segments / Op::width;

  /// The values of group g from its totals.
  [[gnu::always_inline]] vector_t<Op> append(const Op& op, int g, const vector_t<Op>& totals) {
    return step<1, 0>(op, g, totals);
  }
  /// The totals of the row's segments, group after group.
  void copy_totals(int count, element_t<Op>* to) const {
    for (int g = 0; g < count; ++g) store_vector<Op>(to + g * Op::width, before_[0][groups + g]);
  }

 private:
  template <int Distance, int Step>
  [[gnu::always_inline]] vector_t<Op> step(const Op& op, int g, const vector_t<Op>& v) {
    constexpr int width = Op::width;
    if constexpr (Distance >= canonical::row_segments) {
      return v;
    } else {
      before_[Step][groups + g] = v;
      vector_t<Op> next = v;
      if constexpr (Distance >= width) {
        constexpr int whole = Distance / width;
        if (g >= whole) next = op.combine(before_[Step][groups + g - whole], v);
      } else if (g > 0) {
        next = op.combine(shift_in<Op, Distance>(before_[Step][groups + g - 1], v), v);
      } else {
        next = first_lanes<Op, Distance>(v, op.combine(shift_in<Op, Distance>(v, v), v));
      }
      return step<Distance * 2, Step + 1>(op, g, next);
    }
  }

  // Each group's values before the steps of distance 1, 2, 4, 8, 16, starting at index `groups`, so
  // that no compiler sees an index below zero.
  vector_t<Op> before_[5][2 * static_cast<std::size_t>(groups)] = {};
};

/// Left folds of `width` segments, lane by lane, kept until they are written.
template <class Op>
struct folded_group {
  static constexpr int width = Op::width;
  static constexpr int parts = canonical::segment / width;

  vector_t<Op> rows[static_cast<std::size_t>(parts)][static_cast<std::size_t>(width)];
  vector_t<Op> before;  // prefix of each segment
  element_t<Op>* y;

  /// Returns the totals of the segments that begin at x; keeps the folds if `Keeps`.
  template <bool Keeps>
  [[gnu::always_inline]] vector_t<Op> fold(const Op& op, const element_t<Op>* x) {
    vector_t<Op> folded{};
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) {
      vector_t<Op> columns[static_cast<std::size_t>(width)];
#pragma GCC unroll 16
      for (int s = 0; s < width; ++s)
        columns[s] = load_vector<Op>(x + s * canonical::segment + part * width);
      transpose<Op>(columns);
#pragma GCC unroll 16
      for (int i = 0; i < width; ++i) {
        folded = part + i == 0 ? columns[0] : op.combine(folded, columns[i]);
        if constexpr (Keeps) rows[part][i] = folded;
      }
    }
    return folded;
  }

  /// Writes before op folds, shifted by one for an exclusive scan.
  template <bool Exclusive, bool Nontemporal>
  [[gnu::always_inline]] void write(const Op& op) const {
    vector_t<Op> last = before;
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) {
      vector_t<Op> columns[static_cast<std::size_t>(width)];
#pragma GCC unroll 16
      for (int i = 0; i < width; ++i) {
        const vector_t<Op> sum = op.combine(before, rows[part][i]);
        columns[i] = Exclusive ? last : sum;
        last = sum;
      }
      transpose<Op>(columns);
#pragma GCC unroll 16
      for (int s = 0; s < width; ++s)
        put_vector<Op, Nontemporal>(y + s * canonical::segment + part * width, columns[s]);
    }
  }
};

/// The scan of one tile, given what is known of its rows so far.
template <class Op, bool Writes, bool Exclusive, bool Nontemporal>
class tile_scan {
 public:
  using T = element_t<Op>;

  tile_scan(const Op& op, const tile_output<T>& out)
      : op_(op), out_(out), rows_(broadcast<Op>(out.rows)), has_rows_(out.has_rows) {}

  /// Returns the tile's total.
  T run() {
    constexpr int group = Op::width * term;
    T first_segment[static_cast<std::size_t>(term)];
    const int first_terms = out_.count < term ? out_.count : term;
    const bool is_first = Writes && !out_.has_prefix && !out_.has_rows;
    if (is_first) fold_terms(0, first_terms, first_segment);
    int at = 0;
    for (; at + group <= out_.count; at += group) {
      const int g = at / group % row_scan<Op>::groups;
      if (g == 0 && at > 0) finish_row();
      take_group(at, g);
    }
    if (Writes && at > 0) folded_[at / group % 2 ^ 1].template write<Exclusive, Nontemporal>(op_);
    if (at < out_.count) take_rest(at);
    if (is_first)
      for (int i = 0; i < first_terms; ++i) out_.y[i] = first_segment[i];
    return has_rows_ ? op_.combine(rows_[0], last_) : last_;
  }

 private:
  static constexpr int term = canonical::segment;

  void finish_row() {
    const vector_t<Op> row = broadcast<Op>(last_);
    rows_ = has_rows_ ? op_.combine(rows_, row) : row;
    has_rows_ = true;
  }

  [[gnu::always_inline]] void take_group(int at, int g) {
    constexpr int ahead = scan_prefetch_bytes / static_cast<int>(sizeof(T));
    if (out_.next != nullptr) prefetch_lines<Op, Op::width * term, 2>(out_.next + at, 0);
    if (out_.next == nullptr || at + ahead < out_.count)
      prefetch_lines<Op, Op::width * term, 3>(out_.x + at, scan_prefetch_bytes);
    // A group is written after the next one is folded, which hides the latency of the steps from
    // totals to the prefix of each segment.
    const int turn = at / (Op::width * term) % 2;
    folded_group<Op>& folded = folded_[turn];
    const vector_t<Op> values = row_.append(op_, g, folded.template fold<Writes>(op_, out_.x + at));
    if constexpr (Writes) {
      folded.before = find_before(at, g, values);
      folded.y = out_.y + at;
      if (at > 0) folded_[1 - turn].template write<Exclusive, Nontemporal>(op_);
    }
    values_ = values;
    last_ = values[Op::width - 1];
  }

  /// The prefix of each segment: in its row, in its tile, and in all.
  [[gnu::always_inline]] vector_t<Op> find_before(int at, int g, const vector_t<Op>& values) const {
    vector_t<Op> q = shift_in<Op, 1>(g > 0 ? values_ : values, values);
    if (has_rows_) {
      const vector_t<Op> all = op_.combine(rows_, q);
      q = g > 0 ? all : first_lanes<Op, 1>(rows_, all);
    }
    if (!out_.has_prefix) return q;
    const vector_t<Op> prefix = broadcast<Op>(out_.prefix);
    const vector_t<Op> all = op_.combine(prefix, q);
    return at > 0 || has_rows_ ? all : first_lanes<Op, 1>(prefix, all);
  }

  /// Left folds of `count` terms from `at` on; returns the last.
  T fold_terms(int at, int count, T* local) const {
    T folded = local[0] = out_.x[at];
    for (int i = 1; i < count; ++i) local[i] = folded = op_.combine(folded, out_.x[at + i]);
    return folded;
  }

  /// Scans the segments that do not fill a group, one by one.
  void take_rest(int at) {
    T local[static_cast<std::size_t>(Op::width * term)];
    T row[static_cast<std::size_t>(canonical::row_segments)];
    const int g = at / (Op::width * term) % row_scan<Op>::groups;
    if (g == 0 && at > 0) finish_row();
    const int known = g * Op::width;
    row_.copy_totals(g, row);
    const int segments = (out_.count - at + term - 1) / term;
    for (int s = 0; s < segments; ++s) {
      const int first = at + s * term;
      const int count = out_.count - first < term ? out_.count - first : term;
      row[known + s] = fold_terms(first, count, local + s * term);
    }
    for (int d = 1; d < known + segments; d *= 2) {
      for (int s = known + segments - 1; s >= d; --s) row[s] = op_.combine(row[s - d], row[s]);
    }
    last_ = row[known + segments - 1];
    if constexpr (Writes) write_rest(at, local, row, known);
  }

  void write_rest(int at, const T* local, const T* row, int known) const {
    for (int i = 0; at + i < out_.count; i += term) {
      const int s = known + i / term;
      T q = s > 0 ? row[s - 1] : out_.prefix;
      if (has_rows_) q = s > 0 ? op_.combine(rows_[0], q) : rows_[0];
      if (out_.has_prefix && (at + i > 0 || has_rows_)) q = op_.combine(out_.prefix, q);
      const int count = out_.count - at - i < term ? out_.count - at - i : term;
      T last = q;
      for (int k = 0; k < count; ++k) {
        const T sum = op_.combine(q, local[i + k]);
        out_.y[at + i + k] = Exclusive ? last : sum;
        last = sum;
      }
    }
  }

  const Op op_;
  const tile_output<T> out_;
  vector_t<Op> rows_;  // left fold of the tile's rows before this one, in all lanes
  bool has_rows_;
  folded_group<Op> folded_[2];
  row_scan<Op> row_;
  vector_t<Op> values_{};  // of the group before
  T last_{};               // value of the last segment so far
};

/// The total of a tile of `count` elements.
template <class Op>
element_t<Op> canonical_total(const Op& op, const element_t<Op>* x, int count) {
  const tile_output<element_t<Op>> out{.x = x, .count = count, .has_prefix = true};
  return tile_scan<Op, false, false, false>(op, out).run();
}

/// Writes a tile; returns its total.
template <class Op>
element_t<Op> canonical_write(const Op& op, const tile_output<element_t<Op>>& out) {
  const bool nontemporal =
      out.nontemporal && reinterpret_cast<std::size_t>(out.y) % sizeof(vector_t<Op>) == 0;
  if (out.exclusive) {
    return nontemporal ? tile_scan<Op, true, true, true>(op, out).run()
                       : tile_scan<Op, true, true, false>(op, out).run();
  }
  return nontemporal ? tile_scan<Op, true, false, true>(op, out).run()
                     : tile_scan<Op, true, false, false>(op, out).run();
}

}  // namespace
}  // namespace tandem::openmp_impl
