// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/sort_problem.hpp>
#include <tandem/core/math.hpp>

#include <cstddef>
#include <cstdint>

/// The parts of a sort on a GPU, in files of their own because CUB's instances take long to
/// compile.
namespace tandem::cuda_impl {

/// Instances for keys alone, and with values of 4 bytes aligned as such.
void sort_keys(const cuda& space, const sort_problem& problem);
void sort_pairs_4_bytes(const cuda& space, const sort_problem& problem);

/// to[i] = from[i] ^ inverted, in place or apart.
void invert_bits(const cuda& space, const void* from, void* to, index_t size,
                 std::uint8_t inverted);
void invert_bits(const cuda& space, const void* from, void* to, index_t size,
                 std::uint16_t inverted);

/// Copies within the device unless both are one.
void copy_unless_same(const cuda& space, void* to, const void* from, std::size_t bytes);

/// Bytes rounded up so that what lies behind is aligned like an allocation.
constexpr std::size_t aligned(std::size_t bytes) { return round_up(bytes, std::size_t{256}); }

/// Memory for the time of a sort. A small sort's is the stream's scratch, which is there already; a
/// large one's goes back to the pool, where others find it.
class sort_memory {
 public:
  sort_memory(const cuda& space, std::size_t bytes);
  sort_memory(const sort_memory&) = delete;
  sort_memory& operator=(const sort_memory&) = delete;
  ~sort_memory();

  /// At least `bytes` bytes, 256-byte aligned.
  void* data() const { return data_; }

 private:
  const cuda& space_;
  void* data_;
  bool pooled_;
};

}  // namespace tandem::cuda_impl
