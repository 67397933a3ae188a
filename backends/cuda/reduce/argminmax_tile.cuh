// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <type_traits>

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/reduce/fast_minmax.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem::cuda_impl {

template <class R, class T>
inline constexpr bool finds_minimum = std::derived_from<R, detail::extreme_at<T, false>>;
template <class R, class T>
inline constexpr bool finds_maximum = std::derived_from<R, detail::extreme_at<T, true>>;

/// Whether argminmax_tile supports the reducer over elements of type T.
template <class T, class R>
inline constexpr bool has_argminmax_tile =
    (sizeof(T) == 4 || sizeof(T) == 8) && (finds_minimum<R, T> || finds_maximum<R, T>);

/// A tile (kernel.cuh) that finds the smallest or largest of contiguous, 16-byte aligned elements,
/// and its index.
///
/// Neither depends on the order of combining, so this tile has no canonical shape. A warp first
/// finds the extreme of a group of elements, with one instruction per element. It searches the
/// group for the index only if that extreme beats all previous groups, which is rare.
template <class T, class R>
struct argminmax_tile {
  using accumulator = value_index<T>;
  static constexpr int block = reduce_block;
  static constexpr int min_blocks_per_sm = argminmax_blocks_per_sm(std::is_same_v<T, float>);
  static constexpr work_item_policy items = argminmax_items;
  static constexpr int width = static_cast<int>(16 / sizeof(T));  // elements per word
  static constexpr int row = warp_threads * width;                // elements per load of a warp
  static constexpr index_t elements = index_t{argminmax_batch} * row;
  static constexpr index_t item_elements = elements;
  static constexpr int max_values = block / warp_threads;

  const T* data;
  R reducer;

  /// One value per warp, regardless of the number of its items.
  __device__ int fold_items(int each, index_t n, accumulator* value) const {
    const index_t warp = block_number() * warps_of_block() + warp_of_block();
    const accumulator best = fold_groups(warp * each, each, n);
    if (lane_of_warp() == 0) value[warp_of_block()] = best;
    return 1;
  }

 private:
  /// Returns the best of groups `group` .. group + each - 1 of n elements, or the identity if there
  /// are none. All lanes of a warp must call it and get the result.
  __device__ accumulator fold_groups(index_t group, int each, index_t n) const {
    const index_t first = group * elements;
    const index_t left = n > first ? (n - first) / elements : 0;
    const int whole = left < each ? static_cast<int>(left) : each;
    best_of_run best{reducer.identity().value, -1};
    terms next;
    if (whole > 0) fetch(next, first);
#pragma unroll 1
    for (int j = 0; j < whole; ++j) {
      terms now;
#pragma unroll
      for (int r = 0; r < argminmax_batch; ++r) now[r] = next[r];
      if (j + 1 < whole) fetch(next, first + (j + 1) * elements);
      look_at(best, j, now);
    }
    accumulator result = reducer.identity();
    if (best.place >= 0) {
      result.index = first + best.place;
      // The fast operation may have changed the sign of a zero.
      result.value = best.value == T{0} ? data[result.index] : best.value;
    }
    const index_t rest = first + whole * elements;
    if (whole < each && rest < n) result = reducer.combine(result, fold_rest(rest, n));
    return result;
  }

  static constexpr bool largest = finds_maximum<R, T>;
  static constexpr int group_size = static_cast<int>(elements);
  struct word {
    values<T, width> element;
  };
  using terms = values<word, argminmax_batch>;  // one lane's words of a group

  /// What a warp has found: a value and its position in the warp's groups, or -1.
  struct best_of_run {
    T value;
    int place;
  };

  __device__ void fetch(terms& of_group, index_t begin) const {
    const uint4* words = reinterpret_cast<const uint4*>(data + begin) + lane_of_warp();
#pragma unroll
    for (int r = 0; r < argminmax_batch; ++r)
      of_group[r] = __builtin_bit_cast(word, load_streaming(words + r * warp_threads));
  }

  /// The more extreme of two values, or NaN; for two zeros, either.
  __device__ static T extreme(T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
      return largest ? fast_maximum(a, b) : fast_minimum(a, b);
    } else {
      return largest ? tandem::max(a, b) : tandem::min(a, b);
    }
  }

  /// Whether a value found later replaces the best one.
  __device__ static bool wins(T later, T best) {
    const bool better = largest ? later > best : later < best;
    return better || (is_nan(later) && !is_nan(best));
  }

  __device__ static void look_at(best_of_run& best, int group, const terms& of_group) {
    values<T, width> column;
#pragma unroll
    for (int r = 0; r < argminmax_batch; ++r) {
#pragma unroll
      for (int k = 0; k < width; ++k) {
        const T x = of_group[r].element[k];
        column[k] = r == 0 ? x : extreme(column[k], x);
      }
    }
    T found = column[0];
#pragma unroll
    for (int k = 1; k < width; ++k) found = extreme(found, column[k]);
#pragma unroll
    for (int distance = warp_threads / 2; distance >= 1; distance /= 2) {
      found = extreme(found, move_words(found, [=](unsigned w) {
                        return __shfl_xor_sync(whole_warp, w, distance);
                      }));
    }
    // The first group counts even if it holds only identities.
    if (best.place >= 0 && !wins(found, best.value)) return;
    best = {found, group * group_size + place_of(found, of_group)};
  }

  /// Returns the value's first position in its group. All lanes must pass the same `found`.
  __device__ static int place_of(T found, const terms& of_group) {
    const int own = lane_of_warp() * width;
    int place = group_size;  // not found
#pragma unroll
    for (int r = argminmax_batch - 1; r >= 0; --r) {
#pragma unroll
      for (int k = width - 1; k >= 0; --k) {
        const T x = of_group[r].element[k];
        if (x == found || (is_nan(x) && is_nan(found))) place = r * row + k + own;
      }
    }
#pragma unroll
    for (int distance = warp_threads / 2; distance >= 1; distance /= 2) {
      const int other = __shfl_xor_sync(whole_warp, place, distance);
      place = other < place ? other : place;
    }
    return place;
  }

  /// Folds the last group, which is incomplete.
  __device__ accumulator fold_rest(index_t begin, index_t n) const {
    accumulator best = reducer.identity();
#pragma unroll 16
    for (index_t i = begin + lane_of_warp(); i < n; i += warp_threads)
      best = reducer.combine(best, accumulator{data[i], i});
    return warp_shuffle(warp_tree<1, warp_threads>(best, reducer), 0);
  }
};

}  // namespace tandem::cuda_impl
