// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/block_bins.cuh>

#include <cstdint>
#include <type_traits>

/// How a block finds the bin of a value between explicit edges: with a table instead of a binary
/// search.
///
/// A monotonic function maps values and edges to cells. Edges in cells below that of x are at or
/// below x, and those in cells above it are above x, however the function rounds. So x is compared
/// only with the edges in its cell; usually that is none or one, which is stored in the table.
namespace tandem::cuda_impl {

/// Maps a value's distance from the lowest edge to its cell.
struct cell_map {
  float shortest;  ///< lower bound to which distances are clamped
  float longest;   ///< upper bound; finite
  float factor;
  float offset;
  int shift;
  int origin;

  __device__ int operator()(float distance) const {
    const float inside = fminf(fmaxf(distance, shortest), longest);
    return (__float_as_int(__fmaf_rn(inside, factor, offset)) >> shift) - origin;
  }
};

/// Returns the map to cells 0 to `last` of equal width.
__device__ inline cell_map linear_cells(float longest, int last) {
  constexpr float magic = 0x1.8p23f;  // sums with it hold an integer in the low bits
  const float factor = static_cast<float>(last) / longest;
  // Distances too short or too long for a factor share cell 0.
  const bool normal = longest > 0 && longest < 0x1p127f && factor < 0x1p127f;
  return {0, normal ? longest : 0, normal ? factor : 0, magic, 0, __float_as_int(magic)};
}

/// Returns the map to at most last + 1 cells of equal width in the bits of the distance, which
/// approximate its logarithm.
__device__ inline cell_map logarithmic_cells(float shortest, float longest, int last) {
  if (!(longest < 0x1p127f)) longest = shortest = 0;
  int shift = 0;
  while ((__float_as_int(longest) >> shift) - (__float_as_int(shortest) >> shift) > last) ++shift;
  return {shortest, longest, 1, 0, shift, __float_as_int(shortest) >> shift};
}

/// The rounded distance x - lowest, which is monotonic for x >= lowest. NaN if both are infinite.
template <class T>
__device__ inline float edge_distance(T x, T lowest) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<float>(x - lowest);
  } else {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return x <= lowest ? 0 : static_cast<float>(static_cast<Word>(x) - static_cast<Word>(lowest));
  }
}

/// An entry of the table.
template <class T>
struct alignas(2 * sizeof(T) < 8 ? 8 : 2 * sizeof(T)) edge_cell {
  static constexpr std::uint32_t many = 1u << 31;

  /// The only edge in the cell. If there is none, the lowest edge of all, and `below` is one less.
  T edge;
  /// The number of edges in lower cells, combined with `many` if the cell has more than one edge.
  std::uint32_t below;
};

/// The rule of a block whose edges and cells are in shared memory. To close the last bin, its edge
/// is replaced by the next larger value, if there is one.
template <class T>
struct explicit_edge_rule {
  using value_type = T;
  using index_type = std::uint32_t;

  const T* edges;
  const edge_cell<T>* cells;
  cell_map map;
  T lowest;
  int count;  ///< number of bins

  __device__ index_type bins() const { return static_cast<index_type>(count); }

  __device__ bin_guess<index_type> guess(T x) const {
    const edge_cell<T>* const at = cells + map(edge_distance(x, lowest));
    const edge_cell<T> cell = *at;
    unsigned reached = cell.below + (x >= cell.edge ? 1u : 0u);  // edges at or below x
    if (cell.below >= edge_cell<T>::many) reached = search(x, cell.below, at[1]);
    return {reached - 1, true};
  }

  __device__ index_t locate(T x) const {
    const unsigned bin = guess(x).bin;
    return bin < bins() ? static_cast<index_t>(bin) : no_bin;
  }

  /// Returns the number of edges at or below x, if its cell has several edges starting at edge
  /// `low`.
  __device__ unsigned search(T x, unsigned low, const edge_cell<T>& next) const {
    low &= ~edge_cell<T>::many;
    unsigned high = (next.below & ~edge_cell<T>::many) + (next.edge == lowest ? 1u : 0u);
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (x >= edges[middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Counts the edges that share a cell with the previous edge, a measure of the map's quality. All
/// threads must call it.
template <class T>
__device__ inline int count_meetings(const T* edges, int count, const cell_map& map) {
  int meetings = 0;
  for (int first = 1; first < count; first += static_cast<int>(blockDim.x)) {
    const int i = first + static_cast<int>(threadIdx.x);
    meetings += __syncthreads_count(i < count && map(edge_distance(edges[i], edges[0])) ==
                                                     map(edge_distance(edges[i - 1], edges[0])));
  }
  return meetings;
}

/// Writes the cells from `begin` up to `end` of each thread of a warp; they have no edge and follow
/// `below` edges. The warp writes long ranges together.
template <class T>
__device__ inline void fill_empty_cells(T lowest, int begin, int end, unsigned below,
                                        edge_cell<T>* cells) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const bool wide = end - begin > 32;
  for (unsigned left = __ballot_sync(~0u, wide); left != 0; left &= left - 1) {
    const int whose = __ffs(static_cast<int>(left)) - 1;
    const edge_cell<T> empty = {lowest, __shfl_sync(~0u, below, whose) - 1};
    const int stop = __shfl_sync(~0u, end, whose);
    for (int c = __shfl_sync(~0u, begin, whose) + lane; c < stop; c += 32) cells[c] = empty;
  }
  for (int c = begin; c < end && !wide; ++c) cells[c] = {lowest, below - 1};
}

/// Writes cells 0 to last and a sentinel. One thread per edge writes that edge and the cells
/// between it and the previous edge.
template <class T>
__device__ inline void fill_cells(const T* edges, int count, const cell_map& map,
                                  edge_cell<T>* cells, int last) {
  // Edges out of order leave cells unwritten, and those must not refer to nonexistent edges.
  for (int c = static_cast<int>(threadIdx.x); c <= last + 1; c += static_cast<int>(blockDim.x))
    cells[c] = {edges[0], 0};
  __syncthreads();
  const auto cell_of = [&](int i) { return map(edge_distance(edges[i], edges[0])); };
  for (int first = 0; first <= count; first += static_cast<int>(blockDim.x)) {
    const int number = first + static_cast<int>(threadIdx.x);
    const int i = min(number, count);
    const auto below = static_cast<unsigned>(i);
    const int begin = i == 0 ? 0 : cell_of(i - 1) + 1;
    const int end = i == count ? last + 2 : cell_of(i);  // the cell of edge i
    fill_empty_cells(edges[0], begin, number <= count ? end : begin, below, cells);
    if (i == count || begin > end) continue;
    const bool many = i + 1 < count && cell_of(i + 1) == end;
    cells[end] = {edges[i], many ? below | edge_cell<T>::many : below};
  }
}

/// Explicit edges that each block copies to shared memory, with a table of cells.
template <class T>
struct explicit_table_rule {
  using value_type = T;
  using index_type = std::uint32_t;

  const T* data;  ///< bins + 1 edges in global memory
  int count;      ///< number of bins
  int last;       ///< the last cell

  __device__ index_type bins() const { return static_cast<index_type>(count); }
  __device__ const T* edges() const { return data; }
};

/// Returns the rule of a block, with its tables at `table` in shared memory. All threads must call
/// it.
template <class T>
__device__ inline explicit_edge_rule<T> stage_rule(const explicit_table_rule<T>& rule, void* table,
                                                   const block_bins&) {
  auto* const cells = static_cast<edge_cell<T>*>(table);
  T* const edges = reinterpret_cast<T*>(cells + rule.last + 2);
  T end = rule.data[rule.count];
  const int count = step_up(end) ? rule.count + 1 : rule.count;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    edges[i] = i == rule.count ? end : rule.data[i];
  __syncthreads();
  const T lowest = edges[0];
  const float longest = edge_distance(edges[count - 1], lowest);
  const float shortest = rule.count > 1 ? edge_distance(edges[1], lowest) / 2 : 0;
  const cell_map linear = linear_cells(longest, rule.last);
  const cell_map logarithmic = logarithmic_cells(shortest, longest, rule.last);
  const bool even =
      count_meetings(edges, count, linear) <= count_meetings(edges, count, logarithmic);
  const cell_map map = even ? linear : logarithmic;
  fill_cells(edges, count, map, cells, rule.last);
  return {edges, cells, map, lowest, rule.count};
}

}  // namespace tandem::cuda_impl
