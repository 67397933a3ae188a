// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/block/memory.cuh>

#include <cstddef>
#include <type_traits>

/// Values that one block publishes and others wait for, in memory whose bytes are all 0xff before.
namespace tandem::cuda_impl {

/// One word, whole, to and from L2: no thread sees a part of it (PTX ISA, "Memory Consistency
/// Model"). Words of 16 bytes from sm_70 on.
__device__ inline void store_relaxed(unsigned* p, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
__device__ inline void store_relaxed(unsigned long long* p, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}
__device__ inline void store_relaxed(ulonglong2* p, ulonglong2 value) {
  asm volatile(
      "{\n.reg .b128 word;\nmov.b128 word, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], word;\n}" ::
          "l"(p),
      "l"(value.x), "l"(value.y)
      : "memory");
}

__device__ inline unsigned load_relaxed(const unsigned* p) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}
__device__ inline unsigned long long load_relaxed(const unsigned long long* p) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
  return value;
}
__device__ inline ulonglong2 load_relaxed(const ulonglong2* p) {
  ulonglong2 value;
  asm volatile(
      "{\n.reg .b128 word;\nld.relaxed.gpu.global.b128 word, [%2];\nmov.b128 {%0, %1}, word;\n}"
      : "=l"(value.x), "=l"(value.y)
      : "l"(p)
      : "memory");
  return value;
}

/// Between two looks at a value that is missing. The first ones follow each other as fast as L2
/// answers; who waits longer leaves the scheduler to the warps that it waits for.
__device__ inline void pause_polling(int polls) {
  constexpr int fast_polls = 8;
  if (polls >= fast_polls) __nanosleep(40);
}

/// `count` published values. Up to 8 bytes, value and flag are one word, so that a waiting thread
/// needs one load and neither side a fence; the flag is the word's upper half, zero once the value
/// is there. (A float could be its own flag, with one NaN for "missing", but this way serves every
/// type and keeps every bit.)
template <class T>
class published_values {
 public:
  /// Bytes that the constructor takes for `count` values.
  static std::size_t bytes(std::size_t count) { return count * sizeof(word); }
  /// Of those, the bytes at the front that must be 0xff before the kernel.
  static std::size_t cleared_bytes(std::size_t count) { return bytes(count); }

  published_values(void* memory, std::size_t) : words_(static_cast<word*>(memory)) {}

  __device__ void publish(int i, const T& value) const {
    if constexpr (sizeof(T) <= 4) {
      unsigned bits = 0;
      __builtin_memcpy(&bits, &value, sizeof(T));
      store_relaxed(words_ + i, word{bits});
    } else {
      word bits{0, 0};
      __builtin_memcpy(&bits.x, &value, sizeof(T));
      store_relaxed(words_ + i, bits);
    }
  }

  /// Waits for value number i. Whoever publishes it must be running already.
  __device__ T wait(int i) const {
    word bits = load_relaxed(words_ + i);
    for (int polls = 1; is_missing(bits); ++polls) {
      pause_polling(polls);
      bits = load_relaxed(words_ + i);
    }
    struct image {
      alignas(T) unsigned char bytes[sizeof(T)];
    } low;
    __builtin_memcpy(&low, &bits, sizeof(T));
    return __builtin_bit_cast(T, low);
  }

 private:
  using word = std::conditional_t<sizeof(T) <= 4, unsigned long long, ulonglong2>;

  __device__ static bool is_missing(unsigned long long bits) { return bits >> 32 != 0; }
  __device__ static bool is_missing(ulonglong2 bits) { return bits.y != 0; }

  word* words_;
};

/// Larger values: the value first, then, behind a fence, its flag.
template <class T>
  requires(sizeof(T) > 8)
class published_values<T> {
 public:
  static std::size_t bytes(std::size_t count) { return cleared_bytes(count) + count * sizeof(T); }
  static std::size_t cleared_bytes(std::size_t count) {
    return (count * sizeof(unsigned) + 255) / 256 * 256;
  }

  published_values(void* memory, std::size_t count)
      : flags_(static_cast<unsigned*>(memory)),
        values_(reinterpret_cast<T*>(static_cast<char*>(memory) + cleared_bytes(count))) {}

  __device__ void publish(int i, const T& value) const {
    values_[i] = value;
    __threadfence();
    store_relaxed(flags_ + i, 0u);
  }

  __device__ T wait(int i) const {
    for (int polls = 1; load_relaxed(flags_ + i) != 0; ++polls) pause_polling(polls);
    __threadfence();
    return load_l2(values_ + i);
  }

 private:
  unsigned* flags_;
  T* values_;
};

}  // namespace tandem::cuda_impl
