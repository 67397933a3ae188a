// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

/// Arrays that kernels keep in registers or shared memory, and loads with a cache policy.
namespace tandem::cuda_impl {

/// The type of values, wrapped in a class because nvcc 12.4 fails on an array bound in an alias.
template <class T, int Count>
struct values_of {
  using type = T[static_cast<std::size_t>(Count)];
};

/// `Count` values that a thread keeps in registers, provided that loops over them are unrolled.
template <class T, int Count>
using values = typename values_of<T, Count>::type;

/// Storage of `Count` objects of T for shared memory, whose variables must not have constructors.
template <class T, int Count>
struct raw_array {
  alignas(T) unsigned char bytes[sizeof(T) * static_cast<std::size_t>(Count)];

  __device__ T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }

  /// The first `Fewer` values.
  template <int Fewer>
  __device__ raw_array<T, Fewer>& first() {
    static_assert(Fewer <= Count);
    return reinterpret_cast<raw_array<T, Fewer>&>(*this);
  }
};

/// Applies the shuffle `move` to each 32-bit word of a value.
template <class T, class Move>
__device__ T move_words(const T& value, const Move& move) {
  static_assert(std::is_trivially_copyable_v<T>,
                "tandem: what a reduction or scan combines is trivially copyable");
  constexpr int count = static_cast<int>((sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned));
  values<unsigned, count> word = {};
  __builtin_memcpy(word, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < count; ++i) word[i] = move(word[i]);
  T result = value;
  __builtin_memcpy(static_cast<void*>(&result), word, sizeof(T));
  return result;
}

/// The widest word that a load can use at an address of this alignment.
template <std::size_t Alignment>
using aligned_word = std::conditional_t<
    Alignment >= 16, uint4,
    std::conditional_t<
        Alignment == 8, unsigned long long,
        std::conditional_t<Alignment == 4, unsigned,
                           std::conditional_t<Alignment == 2, unsigned short, unsigned char>>>>;

/// Loads from L2 what another block wrote, because this multiprocessor's L1 may hold a stale value.
/// The writer must have fenced, and the caller must have observed its signal.
template <class T>
__device__ T load_l2(const T* p) {
  static_assert(std::is_trivially_copyable_v<T>);
  using word = aligned_word<alignof(T)>;
  struct image {
    word part[sizeof(T) / sizeof(word)];
  };
  image bits;
#pragma unroll
  for (std::size_t i = 0; i < sizeof(T) / sizeof(word); ++i)
    bits.part[i] = __ldcg(reinterpret_cast<const word*>(p) + i);
  return __builtin_bit_cast(T, bits);
}

/// Loads a word that is read only once. It is marked evict-first in L2, so that outputs stay there
/// for their readers.
template <class Word>
__device__ Word load_streaming(const Word* p) {
  return __ldcs(p);
}

/// Elements that move in a single access: 16 bytes by default.
template <class T, int Count = 16 / static_cast<int>(sizeof(T))>
struct alignas(Count * sizeof(T)) aligned_vector {
  static constexpr int width = Count;
  T value[static_cast<unsigned>(Count)];
};

/// Whether `p` may be accessed in 16-byte words.
inline bool is_vector_aligned(const void* p) { return reinterpret_cast<std::size_t>(p) % 16 == 0; }

}  // namespace tandem::cuda_impl
