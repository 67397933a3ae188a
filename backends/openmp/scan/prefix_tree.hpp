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
  /// `batch` divides 32.
  scan_tree(index_t tiles, index_t batch, const R& reducer)
      : tiles_(tiles),
        batch_(batch),
        reducer_(reducer),
        spacing_(tiles > scan_spaced_tiles ? 1 : ceil_div<index_t>(64, sizeof(node))),
        nodes_(count_values() * spacing_) {
    for (index_t i = 0; i < count_values(); ++i) at(i).ready = 0;
  }

  index_t take_ticket() { return __atomic_fetch_add(&tickets_, 1, __ATOMIC_RELAXED); }
  void fail() { __atomic_store_n(&failed_, true, __ATOMIC_RELAXED); }

  /// Publishes the totals of `count` tiles from `first` on, one batch.
  void publish(index_t first, int count, const T* totals) {
    for (int t = 1; t < count; ++t) at(first + t).value = totals[t];
    publish_node(first, totals[0]);
  }

  /// Finds the prefix of each of these tiles and publishes the nodes that end with them. Returns
  /// false once a thread has failed.
  bool find_prefixes(index_t first, int count, maybe<T>* prefix) {
    if constexpr (detail::is_large<T>) {
      *prefix = {};
      return climb_large({0, tiles_}, first, true, *prefix);  // a batch is one tile
    } else {
      return find_small_prefixes(first, count, prefix);
    }
  }

 private:
  /// One level of nodes above the tiles, which begins at number `begin` of all nodes.
  struct level {
    index_t begin;
    index_t nodes;
  };

  /// A total, and whether it has been published.
  struct node {
    T value;
    int ready;
  };

  bool find_small_prefixes(index_t first, int count, maybe<T>* prefix) {
    T row[static_cast<std::size_t>(canonical::scan_radix)];
    const int before = static_cast<int>(first % canonical::scan_radix);
    for (index_t tile = first - before; tile < first; tile += batch_)
      if (!wait(tile)) return false;
    for (int i = 0; i < before + count; ++i) row[i] = at(first - before + i).value;
    scan(row, before + count);
    for (int t = 0; t < count; ++t) {
      prefix[t] = {};
      if (before + t > 0) prefix[t].append(row[before + t - 1], reducer_);
    }
    maybe<T> whole;
    if (before + count == canonical::scan_radix) whole.append(row[before + count - 1], reducer_);
    maybe<T> above;
    if (!climb({tiles_, ceil_div<index_t>(tiles_, canonical::scan_radix)},
               first / canonical::scan_radix, whole, above))
      return false;
    for (int t = 0; t < count && above.is_there; ++t) prefix[t].prepend(above.value, reducer_);
    return true;
  }

  /// Combines what comes before node `place` of a level, on this and all higher levels. Publishes
  /// the node's total if the node is complete.
  bool climb(level here, index_t place, const maybe<T>& total, maybe<T>& above) {
    if (total.is_there) publish_node(here.begin + place, total.value);
    if (place == 0) return true;
    T row[static_cast<std::size_t>(canonical::scan_radix)];
    const int before = static_cast<int>(place % canonical::scan_radix);
    for (int i = 0; i < before; ++i) {
      const index_t sibling = here.begin + place - before + i;
      if (!wait(sibling)) return false;
      row[i] = at(sibling).value;
    }
    if (total.is_there) row[before] = total.value;
    scan(row, before + (total.is_there ? 1 : 0));
    maybe<T> parent;
    if (total.is_there && before + 1 == canonical::scan_radix) parent.append(row[before], reducer_);
    const level next = {here.begin + here.nodes,
                        ceil_div<index_t>(here.nodes, canonical::scan_radix)};
    if (!climb(next, place / canonical::scan_radix, parent, above)) return false;
    if (before > 0) above.append(row[before - 1], reducer_);
    return true;
  }

  /// climb() for large values, which are combined where they have been published. `is_there` says
  /// whether this thread has published node `place`.
  bool climb_large(level here, index_t place, bool is_there, maybe<T>& above) {
    if (place == 0) return true;
    const int before = static_cast<int>(place % canonical::scan_radix);
    const index_t group = here.begin + place - before;
    for (int i = 0; i < before; ++i)
      if (!wait(group + i)) return false;
    const level next = {here.begin + here.nodes,
                        ceil_div<index_t>(here.nodes, canonical::scan_radix)};
    const index_t parent = place / canonical::scan_radix;
    const bool has_whole = is_there && before + 1 == canonical::scan_radix;
    if (has_whole) {
      node& whole = at(next.begin + parent);
      find_large(group, before, canonical::scan_radix, whole.value);
      __atomic_store_n(&whole.ready, 1, __ATOMIC_RELEASE);
    }
    if (!climb_large(next, parent, has_whole, above)) return false;
    if (before == 0) return true;
    T inside;
    find_large(group, before - 1, canonical::scan_radix, inside);
    above.append(inside, reducer_);
    return true;
  }

  /// Finds the Kogge-Stone value of the group's node `last` after the steps shorter than `width`.
  [[gnu::noinline]] void find_large(index_t group, int last, int width, T& value) const {
    if (width == 1) {
      value = at(group + last).value;
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

  node& at(index_t i) const { return nodes_[i * spacing_]; }
  void publish_node(index_t i, T total) {
    at(i).value = total;
    __atomic_store_n(&at(i).ready, 1, __ATOMIC_RELEASE);
  }

  bool wait(index_t i) const {
    for (int round = 0; __atomic_load_n(&at(i).ready, __ATOMIC_ACQUIRE) == 0; ++round) {
      if (__atomic_load_n(&failed_, __ATOMIC_RELAXED)) return false;
      relax(round);
    }
    return true;
  }

  index_t count_values() const {
    index_t all = tiles_;
    for (index_t nodes = tiles_; all == tiles_ || nodes > 1;) {
      nodes = ceil_div<index_t>(nodes, canonical::scan_radix);
      all += nodes;
    }
    return all;
  }

  index_t tiles_;
  index_t batch_;
  R reducer_;
  index_t spacing_;  // in nodes; more than 1 gives each node its own cache line
  scratch<node> nodes_;
  alignas(64) index_t tickets_ = 0;
  alignas(64) bool failed_ = false;
};

}  // namespace tandem::openmp_impl
