// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/backends/openmp/scan/plan.hpp>
#include <tandem/backends/openmp/scan/prefix_tree.hpp>
#include <tandem/backends/openmp/scan/running_prefix.hpp>
#include <tandem/backends/openmp/scan/tile.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/contract/scan_problem.hpp>

#include <type_traits>

namespace tandem::openmp_impl {

/// What the workers of a scan keep beside y, allocated before the first of them writes.
template <class Load, class T, class R>
class scan_room {
 public:
  using operations = scan_tiles<T, R>;
  static constexpr int tile = canonical::scan_tile;
  static constexpr int segments = canonical::row_segments * canonical::tile_rows;

  /// @param places  tiles that each of `workers` workers keeps at a time
  scan_room(const scan_problem<Load, T, R>& problem, const scan_plan& plan, int workers,
            index_t places)
      : places_(places),
        tile_(problem.size < tile ? problem.size : tile),
        terms_(operations::has_kernels ? 0 : workers * tile_),
        waiting_(waits_elsewhere(problem, plan) ? workers * places * tile_ : 0),
        before_(operations::has_kernels ? 0 : workers * places * segments),
        prefixes_(plan.by_share ? workers * places : 0) {}

  /// One tile's terms, for operations without kernels.
  T* terms(int worker) const { return terms_.data() + worker * tile_; }
  /// Tiles between the finding of their totals and their writing, if they do not wait in y.
  T* waiting(int worker, index_t slot) const {
    return waiting_.data() + (worker * places_ + slot) * tile_;
  }
  /// Prefixes of a tile's segments, for operations without kernels.
  T* before(int worker, index_t slot) const {
    return before_.data() + (worker * places_ + slot) * segments;
  }
  /// Prefixes of the tiles of a partition.
  maybe<T>* prefixes(int worker) const { return prefixes_.data() + worker * places_; }

 private:
  static bool waits_elsewhere(const scan_problem<Load, T, R>& problem, const scan_plan& plan) {
    constexpr bool is_direct =
        operations::has_kernels && std::is_same_v<Load, contiguous_load<T, R>>;
    return problem.y_stride != 1 || (plan.nontemporal && !is_direct);
  }

  index_t places_;
  index_t tile_;  // elements of a tile, fewer in a short problem
  scratch<T> terms_;
  scratch<T> waiting_;
  scratch<T> before_;
  scratch<maybe<T>> prefixes_;
};

/// One thread's part of a scan. Between finding a tile's total and writing the tile, its terms are
/// kept or, for operations without kernels, the scans of its segments: in y itself, or in a buffer
/// if y is strided or written by non-temporal stores. Terms that kernels find in x stay there.
template <class Load, class T, class R>
class tile_scan_worker {
 public:
  using room_type = scan_room<Load, T, R>;

  /// @param number  of the worker in `room`
  tile_scan_worker(const scan_problem<Load, T, R>& problem, const scan_part<T>& part,
                   const scan_plan& plan, const room_type& room, int number)
      : problem_(problem),
        part_(part),
        operations_(problem.reducer),
        plan_(plan),
        room_(room),
        number_(number),
        batches_{scan_tiles_of(problem, part), plan.batch},
        waits_in_y_(problem.y_stride == 1 && !plan.nontemporal) {}

  /// Scans everything.
  void run_serial() {
    maybe<T> sum;  // of a reassociable scan
    const range& tiles = batches_.tiles;
    const bool needs_tree = !operations::is_reassociable || tiles.begin > 0;
    running_prefix<T, R> tree(problem_.reducer, needs_tree ? tiles.end : 0);
    tree.start_at(part_);
    if constexpr (operations::is_reassociable) sum = tree.before_next();
    for (index_t at = tiles.begin; at < tiles.end; ++at) {
      T total = prepare(at, 0);
      const maybe<T> prefix = operations::is_reassociable ? sum : tree.before_next();
      total = write(at, 0, at + 1, prefix, total);
      if (operations::is_reassociable) {
        sum.append(total, problem_.reducer);
      } else {
        tree.push(total);
      }
    }
    finish();
  }

  /// Finds the totals of one partition of the tiles, then writes it starting from its end, which is
  /// still in the caches.
  void run_share(scan_tree<T, R>& nodes, share mine) {
    T total[static_cast<std::size_t>(most_batch<T>)];
    const index_t begin = batches_.begin(mine.begin);
    const index_t end = batches_.begin(mine.end);
    maybe<T>* const prefix = room_.prefixes(number_);
    for (index_t first = begin; first < end; first += batches_.size(first)) {
      const int count = batches_.size(first);
      for (int t = 0; t < count; ++t) total[t] = find_total(first + t, first - begin + t);
      nodes.publish(first, count, total);
    }
    for (index_t first = begin; first < end; first += batches_.size(first)) {
      if (!nodes.find_prefixes(first, batches_.size(first), prefix + (first - begin))) return;
    }
    for (index_t at = end - 1; at >= begin; --at)
      write(at, at - begin, at > begin ? at - 1 : at, prefix[at - begin], T{});
  }

  /// Scans batches by ticket until none is left or another thread has failed.
  void run_batches(scan_tree<T, R>& nodes) {
    T total[static_cast<std::size_t>(most_batch<T>)];
    maybe<T> prefix[static_cast<std::size_t>(most_batch<T>)];
    index_t first = batches_.begin(nodes.take_ticket());
    while (first < batches_.tiles.end) {
      const int count = batches_.size(first);
      for (int t = 0; t < count; ++t) total[t] = find_total(first + t, t);
      nodes.publish(first, count, total);
      if (!nodes.find_prefixes(first, count, prefix)) return;
      const index_t next = batches_.begin(nodes.take_ticket());
      for (int t = 0; t < count; ++t) write(first + t, t, next + t, prefix[t], T{});
      first = next;
    }
    finish();
  }

  /// Computes the total of a whole tile without writing y, if the plan is to store past the caches.
  T total_of(index_t at) { return find_total(at, 0); }

 private:
  using operations = scan_tiles<T, R>;
  static constexpr int tile = canonical::scan_tile;
  /// Whether kernels read the terms from the caller's memory.
  static constexpr bool is_direct =
      operations::has_kernels && std::is_same_v<Load, contiguous_load<T, R>>;

  int size(index_t at) const {
    const index_t left = problem_.size - at * tile;
    return left < tile ? static_cast<int>(left) : tile;
  }

  /// Returns the place of tile number `at`: in y, or in the given slot of the buffer.
  T* place(index_t at, index_t slot) const {
    return waits_in_y_ ? problem_.y + at * tile : room_.waiting(number_, slot);
  }
  /// Returns the terms of tile number `at` for a kernel, once prepare() has been called.
  const T* kept_terms(index_t at, index_t slot) const {
    if constexpr (is_direct) {
      return problem_.load.data + at * tile;
    } else {
      return place(at, slot);
    }
  }

  /// Computes a tile's terms. Returns the total if it is a by-product.
  T prepare(index_t at, index_t slot) {
    if constexpr (is_direct) {
      return T{};
    } else {
      T* const to = operations::has_kernels ? place(at, slot) : room_.terms(number_);
      const int count = size(at);
      make_terms(tile_loader<Load>{problem_.load, at * tile}, count, to);
      if constexpr (operations::has_kernels) {
        return T{};
      } else {
        return operations_.fold(to, count, place(at, slot), room_.before(number_, slot));
      }
    }
  }

  static void make_terms(const tile_loader<Load>& terms, int count, T* to) {
    if (terms.reaches(count)) {
      const auto nearby = terms.from(0, count);
      for (int i = 0; i < count; ++i) to[i] = nearby(i);
    } else {
      for (int i = 0; i < count; ++i) to[i] = terms(i);
    }
  }

  T find_total(index_t at, index_t slot) {
    const T total = prepare(at, slot);
    if constexpr (operations::has_kernels) {
      return operations_.total(kept_terms(at, slot), size(at));
    } else {
      return total;
    }
  }

  /// Writes a tile and prefetches tile number `next`. Returns the tile's total, given that
  /// prepare() returned `total`.
  T write(index_t at, index_t slot, index_t next, maybe<T> prefix, T total) {
    if (problem_.exclusive) prefix.prepend(problem_.init, problem_.reducer);
    tile_output<T> out;
    out.y = problem_.y_stride == 1 ? problem_.y + at * tile : place(at, slot);
    out.count = size(at);
    out.prefix = prefix.value;
    out.has_prefix = prefix.is_there;
    out.exclusive = problem_.exclusive;
    out.nontemporal = plan_.nontemporal;
    if constexpr (is_direct) {
      if ((next + 1) * tile <= problem_.size) out.next = problem_.load.data + next * tile;
    }
    if constexpr (operations::has_kernels) {
      out.x = kept_terms(at, slot);
      total = operations_.write(out);
    } else {
      out.x = place(at, slot);
      operations_.write(out, room_.before(number_, slot));
    }
    if (problem_.y_stride != 1) scatter(at, out.y);
    return total;
  }

  /// Copies a written tile to a strided y.
  void scatter(index_t at, const T* from) const {
    const index_t stride = problem_.y_stride;
    T* const y = problem_.y + at * tile * stride;
    const int count = size(at);
    for (int i = 0; i < count; ++i) y[i * stride] = from[i];
  }

  void finish() const {
    if (plan_.nontemporal) store_fence();
  }

  const scan_problem<Load, T, R> problem_;
  const scan_part<T> part_;
  const operations operations_;
  const scan_plan plan_;
  const room_type& room_;
  int number_;
  scan_batches batches_;
  bool waits_in_y_;
};

}  // namespace tandem::openmp_impl
