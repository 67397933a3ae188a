// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

/// Phases, lanes and collectives of a team, which is a block, for core/team.hpp. Collectives
/// combine in the order that docs/numerics.md specifies, as tandem::host does.
/// Source: CUDA C++ Programming Guide, "Warp Shuffle Functions" and "Synchronization Functions".
namespace tandem::device {

/// A phase: calls f for the thread's lane, then synchronises.
template <class Function>
__device__ inline void for_each_lane(int, const Function& f) {
  f(static_cast<int>(threadIdx.x));
  __syncthreads();
}

/// A phase whose lanes have two or three dimensions, those of the block.
template <int Rank, class Lane, class Extents, class Function>
__device__ inline void for_each_lane(const Extents&, const Function& f) {
  const auto y = static_cast<int>(threadIdx.y);
  const auto x = static_cast<int>(threadIdx.x);
  const auto columns = static_cast<int>(blockDim.x);
  if constexpr (Rank == 2) {
    f(Lane{y, x, columns});
  } else {
    f(Lane{static_cast<int>(threadIdx.z), y, x, static_cast<int>(blockDim.y), columns});
  }
  __syncthreads();
}

/// The linear index of the thread's lane, and the number of lanes. Warps are 32 consecutive lanes
/// in any block shape.
template <int Rank>
__device__ inline int lane_number() {
  if constexpr (Rank == 1) {
    return static_cast<int>(threadIdx.x);
  } else {
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  }
}
template <int Rank>
__device__ inline int lane_count() {
  if constexpr (Rank == 1) {
    return static_cast<int>(blockDim.x);
  } else {
    return static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  }
}

/// Calls f(i) for i = first, first + step, .. below `count`. Processes several per iteration as
/// long as enough are left, so that their loads are in flight together. The first condition is
/// implied if the team has a warp or more; if `count` is a small constant, it spares the phase the
/// registers of a batch.
template <class Index, class Function>
__device__ inline void for_each_step(Index first, Index count, int step, const Function& f) {
  constexpr int batch = 4;
  const auto others = static_cast<Index>((batch - 1) * step);  // after the first of a batch
  Index i = first;
  if (count > static_cast<Index>((batch - 1) * 32) && count > others) {
    const auto last = static_cast<Index>(count - others);
#pragma unroll 1
    for (; i < last; i += static_cast<Index>(batch * step)) {
#pragma unroll
      for (int b = 0; b < batch; ++b)
        f(static_cast<Index>(i + static_cast<Index>(b) * static_cast<Index>(step)));
    }
  }
#pragma unroll 1
  for (; i < count; i += static_cast<Index>(step)) f(i);
}

#if TANDEM_CHECKED
/// Ends the kernel if a number of items is negative. Not in other builds: in a phase of one item
/// per lane, the check would cost a tenth of the time.
template <class Index>
__device__ inline void require_items(Index count) {
  if constexpr (std::is_signed_v<Index>) {
    if (count >= 0) return;
    printf("tandem: team: for_each: number of items (%lld) < fewest (0) (block %u, %u, %u)\n",
           static_cast<long long>(count), blockIdx.x, blockIdx.y, blockIdx.z);
    __trap();
  }
}
#endif

/// A phase over items: each thread processes every `lanes`-th item. Types narrower than int may not
/// hold the number of lanes.
template <int Rank, class Index, class Function>
__device__ inline void for_each(Index count, int lanes, const Function& f) {
#if TANDEM_CHECKED
  require_items(count);
#endif
  if constexpr (sizeof(Index) < sizeof(int)) {
    for_each_step(lane_number<Rank>(), static_cast<int>(count), lanes,
                  [&](int i) { f(static_cast<Index>(i)); });
  } else {
    for_each_step(static_cast<Index>(lane_number<Rank>()), count, lanes, f);
  }
  __syncthreads();
}

/// A phase over the items of a matrix, numbered row by row. One division finds the thread's first
/// item. If the lanes cover whole rows, the thread stays in its column. Otherwise each step may
/// carry into the next row. The carry comes from a sign bit, which takes no more instructions than
/// a division by a constant.
template <int Rank, class Rows, class Columns, class Function>
__device__ inline void for_each(Rows rows, Columns columns, int lanes, const Function& f) {
#if TANDEM_CHECKED
  require_items(rows);
  require_items(columns);
#endif
  using common = std::common_type_t<Rows, Columns, int>;
  using number = std::conditional_t<std::is_signed_v<common>, common, std::int64_t>;
  const auto height = static_cast<number>(rows);
  const auto width = static_cast<number>(columns);
  if (height > 0 && width > 0) {
    const int lane = lane_number<Rank>();
    const number down = lanes / width;
    const number across = lanes % width;
    number i = lane / width;
    number j = lane % width;
    if (across == 0) {
      for_each_step(i, height, static_cast<int>(down),
                    [&](number row) { f(static_cast<Rows>(row), static_cast<Columns>(j)); });
    } else {
      const auto items = static_cast<std::int64_t>(height) * width;
      for_each_step(std::int64_t{lane}, items, lanes, [&](std::int64_t) {
        f(static_cast<Rows>(i), static_cast<Columns>(j));
        const number beyond = j + (across - width);
        const number stays = beyond >> (8 * sizeof(number) - 1);  // all ones, or zero
        i += down + 1 + stays;
        j = beyond + (width & stays);
      });
    }
  }
  __syncthreads();
}

/// What a lane keeps from phase to phase, in a register.
template <class T>
class lane_values {
 public:
  template <class Shape>
  __device__ lane_values(const Shape&, unsigned char*, std::size_t&, const T& value)
      : value_(value) {}
  __device__ T& operator[](int) { return value_; }

 private:
  T value_;
};

/// The thread's position among the lanes of its warp; the last warp may have fewer than 32 lanes.
template <int Rank>
struct warp_place {
  int lane = lane_number<Rank>();
  int warps = (lane_count<Rank>() + 31) / 32;
  int warp = lane / 32;
  int at = lane % 32;  ///< in its warp
  int lanes = lane_count<Rank>() - warp * 32 < 32 ? lane_count<Rank>() - warp * 32 : 32;
  unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
};

/// The aligned adjacent tree over the values of a warp's first `lanes` lanes. The result is in lane
/// 0.
template <class T, class Reducer>
__device__ inline T combine_warp(T value, int at, int lanes, unsigned mask,
                                 const Reducer& reducer) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T right = cuda_impl::move_words(
        value, [=](unsigned word) { return __shfl_down_sync(mask, word, distance); });
    if (at + distance < lanes) value = reducer.combine(value, right);
  }
  return value;
}

/// Reduces the lanes' values: each warp first, then the first warp reduces their results. Two
/// barriers suffice even for consecutive calls, since none writes a word that another thread may
/// still read.
template <int Rank, class T, class Reducer>
__device__ typename Reducer::accumulator reduce_lanes(lane_values<T>& x, const Reducer& reducer) {
  using Accumulator = typename Reducer::accumulator;
  __shared__ cuda_impl::raw_array<Accumulator, 33> results;  // of 32 warps, and the total
  const warp_place<Rank> place;
  Accumulator value = combine_warp(Accumulator(reducer.lift(x[place.lane], place.lane)), place.at,
                                   place.lanes, place.mask, reducer);
  if (place.at == 0) results[place.warp] = value;
  __syncthreads();
  if (place.warp == 0) {
    const int last = place.warps - 1;
    value = results[place.at < last ? place.at : last];
    value = combine_warp(value, place.at, place.warps, place.mask, reducer);
    if (place.at == 0) results[32] = value;
  }
  __syncthreads();
  return results[32];
}

/// Replaces the lanes' values by their prefixes; returns the total.
template <int Rank, bool Exclusive, class T, class Reducer>
__device__ T scan_lanes(lane_values<T>& x, const Reducer& reducer) {
  __shared__ cuda_impl::raw_array<T, 32> totals;  // of the warps
  const warp_place<Rank> place;
  T value = x[place.lane];
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T left = cuda_impl::move_words(
        value, [=](unsigned word) { return __shfl_up_sync(place.mask, word, distance); });
    if (place.at >= distance) value = reducer.combine(left, value);
  }
  if (place.at == place.lanes - 1) totals[place.warp] = value;
  __syncthreads();
  T total = totals[0];
  T before = reducer.empty();
  for (int warp = 1; warp < place.warps; ++warp) {
    if (warp == place.warp) before = total;
    total = reducer.combine(total, totals[warp]);
  }
  if (place.warp > 0) value = reducer.combine(before, value);
  if constexpr (Exclusive) {
    const T left = cuda_impl::move_words(
        value, [=](unsigned word) { return __shfl_up_sync(place.mask, word, 1); });
    x[place.lane] = place.at > 0 ? left : before;
  } else {
    x[place.lane] = value;
  }
  __syncthreads();  // every warp has read the totals
  return total;
}

/// Each function prints the violation with the block and the thread, and aborts the kernel. The
/// host's next call throws device_error.
__device__ inline void fail_scratch(std::int64_t count, std::size_t size, std::size_t left) {
  printf(
      "tandem: team: scratch of %lld elements of %llu bytes: %llu bytes are left (block %u, %u, "
      "%u)\n",
      static_cast<long long>(count), static_cast<unsigned long long>(size),
      static_cast<unsigned long long>(left), blockIdx.x, blockIdx.y, blockIdx.z);
  __trap();
}
__device__ inline void fail_in_phase(const char* what) {
  printf(
      "tandem: team: %s inside a phase: the team calls it, not a lane (block %u, %u, %u, thread "
      "%u, %u, %u)\n",
      what, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  __trap();
}
__device__ inline void fail_identity() {
  printf(
      "tandem: team: the reducer's identity combined with itself gives another value (block %u, "
      "%u, %u)\n",
      blockIdx.x, blockIdx.y, blockIdx.z);
  __trap();
}
__device__ inline void fail_lane(int lane, int lanes) {
  printf("tandem: team: broadcast from lane %d of %d (block %u, %u, %u)\n", lane, lanes, blockIdx.x,
         blockIdx.y, blockIdx.z);
  __trap();
}

/// Returns the value of one lane to all lanes.
template <int Rank, class T>
__device__ T broadcast_lane(lane_values<T>& x, int lane) {
  __shared__ cuda_impl::raw_array<T, 1> value;
  if (lane < 0 || lane >= lane_count<Rank>()) fail_lane(lane, lane_count<Rank>());
  if (lane_number<Rank>() == lane) value[0] = x[lane];
  __syncthreads();
  const T result = value[0];
  __syncthreads();  // every lane has read the value
  return result;
}

template <class T>
__device__ bool any_lane(lane_values<T>& x) {
  return __syncthreads_or(static_cast<bool>(x[0]) ? 1 : 0) != 0;
}
template <class T>
__device__ bool all_lanes(lane_values<T>& x) {
  return __syncthreads_and(static_cast<bool>(x[0]) ? 1 : 0) != 0;
}

}  // namespace tandem::device
