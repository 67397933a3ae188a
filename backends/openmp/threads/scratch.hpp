// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/memory/host_memory.hpp>
#include <tandem/core/reducers/concept.hpp>

#include <cstddef>

namespace tandem::openmp_impl {

/// Scratch memory of a call, allocated before the call writes anything and never by a thread of a
/// parallel region, which would fail only after others have written. Elements are uninitialised.
/// Errors: out_of_memory_error, to which the calling algorithm adds its name.
template <class T>
class scratch : public detail::host_scratch<T> {
 public:
  explicit scratch(index_t count) : detail::host_scratch<T>("openmp", count) {}
};

/// Bytes of scratch memory on the stack for values of type T: none for large ones.
template <class T>
inline constexpr std::size_t scratch_on_stack = detail::is_large<T> ? 1 : 12288;

/// Scratch memory of a call, on the stack if it has few bytes. Errors: out_of_memory_error.
template <class T, std::size_t Bytes = 12288>
class small_scratch {
 public:
  explicit small_scratch(index_t count) : data_(reinterpret_cast<T*>(local_)) {
    if (count > fits)
      data_ = static_cast<T*>(
          detail::allocate_host("openmp", detail::size_in_bytes<T>(count), alignof(T)));
  }
  small_scratch(const small_scratch&) = delete;
  small_scratch& operator=(const small_scratch&) = delete;
  ~small_scratch() {
    if (static_cast<void*>(data_) != static_cast<void*>(local_))
      detail::free_host(data_, alignof(T));
  }

  T* data() const { return data_; }

 private:
  // The terms of a tile of one or three doubles each take 8 to 12 KiB.
  static constexpr auto fits = static_cast<index_t>(Bytes / sizeof(T));

  alignas(64) alignas(T) unsigned char local_[Bytes];
  T* data_;
};

/// Memory for each thread of a loop: on the thread's stack if it is small, else one of as many
/// pieces of scratch memory as there are threads. Errors: out_of_memory_error.
template <class Room>
class thread_rooms {
 public:
  explicit thread_rooms(int threads)
      : rooms_(on_stack ? 0 : threads), is_taken_(on_stack ? 0 : threads), threads_(threads) {
    for (int t = 0; !on_stack && t < threads; ++t) is_taken_.data()[t] = false;
  }

  /// Calls f(room); at most one call per thread at a time.
  template <class Function>
  void with_room(const Function& f) const {
    if constexpr (on_stack) {
      Room room;
      f(room);
    } else {
      int t = 0;
      while (__atomic_exchange_n(is_taken_.data() + t, true, __ATOMIC_ACQUIRE))
        t = (t + 1) % threads_;
      const returned mark{is_taken_.data() + t};
      f(rooms_.data()[t]);
    }
  }

 private:
  static constexpr bool on_stack = sizeof(Room) <= 16384;

  /// Returns the room even when f throws.
  struct returned {
    bool* is_taken;
    ~returned() { __atomic_store_n(is_taken, false, __ATOMIC_RELEASE); }
  };

  scratch<Room> rooms_;
  scratch<bool> is_taken_;
  int threads_;
};

}  // namespace tandem::openmp_impl
