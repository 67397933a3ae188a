// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/core/contract/strided.hpp>

#include <cstddef>
#include <type_traits>

/// Values that one block publishes and others wait for.
///
/// A value is stored in 64-bit cells: 32 bits of the value and, above them, the epoch of the kernel
/// that wrote it, which is unique among the stream's kernels. A cell is read atomically, so it
/// either belongs to this kernel or has not been published yet. Hence cells need no clearing before
/// a kernel, and neither side needs a fence. No kernel has epoch 0.
namespace tandem::cuda_impl {

using published_cell = unsigned long long;

/// Stores and loads one word in L2 without tearing (PTX ISA, "Memory Consistency Model").
__device__ inline void store_relaxed(unsigned long long* p, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}
__device__ inline unsigned long long load_relaxed(const unsigned long long* p) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
  return value;
}

/// Stores and loads two adjacent words at once, each without tearing. The address must be a
/// multiple of 16.
__device__ inline void store_relaxed(ulonglong2* p, ulonglong2 values) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(values.x), "l"(values.y)
               : "memory");
}
__device__ inline ulonglong2 load_relaxed(const ulonglong2* p) {
  ulonglong2 values;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(values.x), "=l"(values.y)
               : "l"(p)
               : "memory");
  return values;
}

/// Pauses between two polls of a missing value. The first polls run as fast as L2 answers; later
/// ones yield issue slots to the warps that publish.
__device__ inline void pause_polling(int polls) {
  constexpr int fast_polls = 8;
  if (polls >= fast_polls) __nanosleep(40);
}

/// An array of published values.
template <class T>
class published_values {
  static constexpr int parts =
      static_cast<int>((sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned));
  static constexpr int value_cells = parts == 1 ? 1 : (parts + 1) / 2 * 2;  // one, or whole pairs

 public:
  /// Number of cells for `count` values.
  static std::size_t cells(std::size_t count) { return count * value_cells; }

  /// @param memory  cells(count) cells, aligned to 16 bytes
  /// @param first   the number of the first value
  explicit published_values(published_cell* memory, index_t first = 0)
      : cells_(detail::moved_back(memory, first * value_cells)) {}

  __device__ void publish(int i, const T& value, unsigned epoch) const {
    values<unsigned, value_cells> part = {};
    __builtin_memcpy(part, &value, sizeof(T));
    const auto tagged = [&](int c) { return static_cast<published_cell>(epoch) << 32 | part[c]; };
    published_cell* const to = cells_of(i);
    if constexpr (value_cells == 1) {
      store_relaxed(to, tagged(0));
    } else {
#pragma unroll
      for (int c = 0; c < value_cells; c += 2)
        store_relaxed(reinterpret_cast<ulonglong2*>(to + c), {tagged(c), tagged(c + 1)});
    }
  }

  /// The cells of a value at one point in time, published or not.
  struct snapshot {
    published_cell cell[value_cells];
  };

  /// Reads the cells of value i.
  __device__ void take_snapshot(int i, snapshot& seen) const {
    const published_cell* const from = cells_of(i);
    if constexpr (value_cells == 1) {
      seen.cell[0] = load_relaxed(from);
    } else {
#pragma unroll
      for (int c = 0; c < value_cells; c += 2) {
        const ulonglong2 pair = load_relaxed(reinterpret_cast<const ulonglong2*>(from + c));
        seen.cell[c] = pair.x;
        seen.cell[c + 1] = pair.y;
      }
    }
  }

  /// Waits for value i of the kernel with this epoch. The block that publishes it must be resident.
  ///
  /// @param seen  the result of take_snapshot(i, seen)
  __device__ T wait(int i, unsigned epoch, snapshot& seen) const {
    for (int polls = 1; !is_published(seen, epoch); ++polls) {
      pause_polling(polls);
      take_snapshot(i, seen);
    }
    struct image {
      values<unsigned, value_cells> part;
    } bits;
#pragma unroll
    for (int c = 0; c < value_cells; ++c) bits.part[c] = static_cast<unsigned>(seen.cell[c]);
    struct bytes {
      alignas(T) unsigned char byte[sizeof(T)];
    } value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return __builtin_bit_cast(T, value);
  }

 private:
  __device__ published_cell* cells_of(int i) const {
    return cells_ + static_cast<std::ptrdiff_t>(i) * value_cells;
  }

  __device__ static bool is_published(const snapshot& seen, unsigned epoch) {
    bool all = true;
#pragma unroll
    for (int c = 0; c < value_cells; ++c)
      all = all && static_cast<unsigned>(seen.cell[c] >> 32) == epoch;
    return all;
  }

  published_cell* cells_;
};

}  // namespace tandem::cuda_impl
