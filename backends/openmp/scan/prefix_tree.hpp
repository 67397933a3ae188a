// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/large.hpp>
#include <tandem/backends/openmp/scan/policy.hpp>
#include <tandem/backends/openmp/scan/running_prefix.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// What threads of a scan share: tickets for batches of tiles, the totals of tiles, and the nodes
/// of the canonical 32-ary tree above them.
///
/// No prefix is passed from thread to thread in turn. Each thread finds the prefix of its batch
/// from at most 31 siblings per level, as on a GPU, which only requires that earlier batches have
/// published their totals. Tickets are drawn in order, and work is not stolen, so that no thread
/// waits forever: a thread only waits for earlier tickets, and those never for it.
template <class T, class R>
class scan_tree {
 public:
  /// The tree over the tiles of a part, given the nodes on its left. `batch` divides 32.
  scan_tree(const range& tiles, index_t batch, const R& reducer, const scan_part<T>& part)
      : batch_(batch),
        reducer_(reducer),
        spacing_(tiles.size() > scan_spaced_tiles ? 1 : ceil_div<index_t>(64, sizeof(node))),
        nodes_(place_levels(tiles) * spacing_) {
    for (index_t i = 0; i < count_; ++i) nodes_[i * spacing_].ready = 0;
    for (int k = 0; k < levels_; ++k) {
      const index_t before = detail::scan_digit(part.first_tile, k);
      const index_t first = (part.first_tile >> (5 * k)) - before;
      for (index_t i = 0; i < before; ++i)
        at(k, first + i).value = part.left[k * canonical::scan_radix + i];
      // The part's first batch publishes tiles that share their flag with tiles on the left.
      const index_t ready = k == 0 ? before / batch * batch : before;
      for (index_t i = 0; i < ready; ++i) at(k, first + i).ready = 1;
    }
  }

  index_t take_ticket() { return __atomic_fetch_add(&tickets_, 1, __ATOMIC_RELAXED); }
  void fail() { __atomic_store_n(&failed_, true, __ATOMIC_RELAXED); }

  /// Publishes the totals of `count` tiles from `first` on, one batch.
  void publish(index_t first, int count, const T* totals) {
    for (int t = 0; t < count; ++t) at(0, first + t).value = totals[t];
    set_ready(at(0, first / batch_ * batch_));
  }

  /// Finds the prefix of each of these tiles and publishes the nodes that end with them. Returns
  /// false once a thread has failed.
  bool find_prefixes(index_t first, int count, maybe<T>* prefix) {
    if constexpr (detail::is_large<T>) {
      *prefix = {};
      return climb_large(0, first, true, *prefix);  // a batch is one tile
    } else {
      return find_small_prefixes(first, count, prefix);
    }
  }

 private:
  /// A total, and whether it has been published.
  struct node {
    T value;
    int ready;
  };

  bool find_small_prefixes(index_t first, int count, maybe<T>* prefix) {
    T row[static_cast<std::size_t>(canonical::scan_radix)];
    const int before = static_cast<int>(first % canonical::scan_radix);
    for (index_t tile = first - before; tile < first; tile += batch_)
      if (!wait(0, tile)) return false;
    for (int i = 0; i < before + count; ++i) row[i] = at(0, first - before + i).value;
    scan(row, before + count);
    for (int t = 0; t < count; ++t) {
      prefix[t] = {};
      if (before + t > 0) prefix[t].append(row[before + t - 1], reducer_);
    }
    maybe<T> whole;
    if (before + count == canonical::scan_radix) whole.append(row[before + count - 1], reducer_);
    maybe<T> above;
    if (!climb(1, first / canonical::scan_radix, whole, above)) return false;
    for (int t = 0; t < count && above.is_there; ++t) prefix[t].prepend(above.value, reducer_);
    return true;
  }

  /// Combines what comes before node `place` of a level, on this and all higher levels. Publishes
  /// the node's total if the node is complete.
  bool climb(int level, index_t place, const maybe<T>& total, maybe<T>& above) {
    if (total.is_there) {
      at(level, place).value = total.value;
      set_ready(at(level, place));
    }
    if (place == 0) return true;
    T row[static_cast<std::size_t>(canonical::scan_radix)];
    const int before = static_cast<int>(place % canonical::scan_radix);
    for (int i = 0; i < before; ++i) {
      const index_t sibling = place - before + i;
      if (!wait(level, sibling)) return false;
      row[i] = at(level, sibling).value;
    }
    if (total.is_there) row[before] = total.value;
    scan(row, before + (total.is_there ? 1 : 0));
    maybe<T> parent;
    if (total.is_there && before + 1 == canonical::scan_radix) parent.append(row[before], reducer_);
    if (!climb(level + 1, place / canonical::scan_radix, parent, above)) return false;
    if (before > 0) above.append(row[before - 1], reducer_);
    return true;
  }

  /// climb() for large values, which are combined where they have been published. `is_there` says
  /// whether this thread has published node `place`.
  bool climb_large(int level, index_t place, bool is_there, maybe<T>& above) {
    if (place == 0) return true;
    const int before = static_cast<int>(place % canonical::scan_radix);
    const node* const group = &at(level, place - before);
    for (int i = 0; i < before; ++i)
      if (!wait(level, place - before + i)) return false;
    const index_t parent = place / canonical::scan_radix;
    const bool has_whole = is_there && before + 1 == canonical::scan_radix;
    if (has_whole) {
      node& whole = at(level + 1, parent);
      find_large(group, before, canonical::scan_radix, whole.value);
      set_ready(whole);
    }
    if (!climb_large(level + 1, parent, has_whole, above)) return false;
    if (before == 0) return true;
    T inside;
    find_large(group, before - 1, canonical::scan_radix, inside);
    above.append(inside, reducer_);
    return true;
  }

  /// Finds the Kogge-Stone value of the group's node `last` after the steps shorter than `width`.
  [[gnu::noinline]] void find_large(const node* group, int last, int width, T& value) const {
    if (width == 1) {
      value = group[last * spacing_].value;
      return;
    }
    const int distance = width / 2;
    if (last < distance) return find_large(group, last, distance, value);
    find_large(group, last - distance, distance, value);
    T later;
    find_large(group, last, distance, later);
    append_large(value, later, reducer_);
  }

  /// Kogge-Stone scan in place.
  void scan(T* row, int count) const {
    for (int distance = 1; distance < count; distance *= 2) {
      for (int i = count - 1; i >= distance; --i)
        row[i] = reducer_.combine(row[i - distance], row[i]);
    }
  }

  /// Node i of a level, by its number in the whole.
  node& at(int level, index_t i) const { return nodes_[(begin_[level] + i) * spacing_]; }
  static void set_ready(node& published) {
    __atomic_store_n(&published.ready, 1, __ATOMIC_RELEASE);
  }

  bool wait(int level, index_t i) const {
    const node& awaited = at(level, i);
    for (int round = 0; __atomic_load_n(&awaited.ready, __ATOMIC_ACQUIRE) == 0; ++round) {
      if (__atomic_load_n(&failed_, __ATOMIC_RELAXED)) return false;
      relax(round);
    }
    return true;
  }

  /// Chooses where the nodes of each level are, up to the one of the root. Returns their number.
  index_t place_levels(const range& tiles) {
    range nodes(0, 2);
    for (; levels_ < 2 || nodes.end > 1; ++levels_) {
      nodes = detail::scan_nodes_of_level(tiles, levels_);
      begin_[levels_] = count_ - nodes.begin;
      count_ += nodes.size();
    }
    return count_;
  }

  index_t begin_[canonical::scan_levels + 1] = {};  // node 0 of each level
  int levels_ = 0;
  index_t count_ = 0;
  index_t batch_;
  R reducer_;
  index_t spacing_;  // in nodes; more than 1 gives each node its own cache line
  scratch<node> nodes_;
  alignas(64) index_t tickets_ = 0;
  alignas(64) bool failed_ = false;
};

}  // namespace tandem::openmp_impl
