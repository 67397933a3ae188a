// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/sort_problem.hpp>
#include <tandem/core/math.hpp>

#include <cstddef>
#include <cstdint>

/// The parts of a sort on a GPU. The instances of CUB are in separate files because they take long
/// to compile.
namespace tandem::cuda_impl {

/// Sort keys alone, and keys with aligned 4-byte values.
void sort_keys(const cuda& space, const sort_problem& problem);
void sort_pairs_4_bytes(const cuda& space, const sort_problem& problem);

/// Enqueues to[i] = from[i] ^ inverted, in place or out of place.
void invert_bits(const cuda& space, const void* from, void* to, index_t size,
                 std::uint8_t inverted);
void invert_bits(const cuda& space, const void* from, void* to, index_t size,
                 std::uint16_t inverted);

/// Enqueues a copy within the device unless `to` is `from`.
void copy_unless_same(const cuda& space, void* to, const void* from, std::size_t bytes);

/// Rounds bytes up so that what follows is aligned like an allocation.
constexpr std::size_t aligned(std::size_t bytes) { return round_up(bytes, std::size_t{256}); }

/// Memory for the duration of a sort: the stream's scratch for a small sort, or memory that returns
/// to the pool for a large one.
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
