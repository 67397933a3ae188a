// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/access.hpp>

#include <malloc.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

/// The functions that code compiled with -fsanitize=thread calls; they replace ThreadSanitizer's
/// runtime (compiler-rt's tsan_interface.h and tsan_interface_atomic.h list them).

using tandem::checked::access;

namespace {

[[gnu::always_inline]] inline std::uintptr_t number(const volatile void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

void access_range(std::uintptr_t address, std::size_t bytes, std::uintptr_t code, bool is_write) {
  const auto& now = tandem::checked::current;
  if (bytes > 0 && address - now.stack_begin >= now.silent_bytes[is_write])
    tandem::checked::access_slowly({address, bytes, code, is_write, false});
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
// NOLINTBEGIN(bugprone-macro-parentheses): types and names are no expressions.
#define TANDEM_CODE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define TANDEM_ACCESS(name, write, bytes) \
  void __tsan_##name(void* p) { access<write, false, bytes>(number(p), TANDEM_CODE); }
#define TANDEM_ACCESSES(bytes)                       \
  TANDEM_ACCESS(read##bytes, false, bytes)           \
  TANDEM_ACCESS(write##bytes, true, bytes)           \
  TANDEM_ACCESS(unaligned_read##bytes, false, bytes) \
  TANDEM_ACCESS(unaligned_write##bytes, true, bytes) \
  TANDEM_ACCESS(volatile_read##bytes, false, bytes)  \
  TANDEM_ACCESS(volatile_write##bytes, true, bytes)  \
  TANDEM_ACCESS(read_write##bytes, true, bytes)      \
  TANDEM_ACCESS(unaligned_read_write##bytes, true, bytes)

#define TANDEM_UPDATE(bits, type, name, builtin)                     \
  type __tsan_atomic##bits##_##name(volatile type* p, type v, int) { \
    access<true, true, bits / 8>(number(p), TANDEM_CODE);            \
    return builtin(p, v, __ATOMIC_SEQ_CST);                          \
  }
#define TANDEM_ATOMICS(bits, type)                                                                 \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {                                   \
    access<false, true, bits / 8>(number(p), TANDEM_CODE);                                         \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* p, type v, int) {                                \
    access<true, true, bits / 8>(number(p), TANDEM_CODE);                                          \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  TANDEM_UPDATE(bits, type, exchange, __atomic_exchange_n)                                         \
  TANDEM_UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                         \
  TANDEM_UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                         \
  TANDEM_UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                         \
  TANDEM_UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                           \
  TANDEM_UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                         \
  TANDEM_UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* expected, type v, int, \
                                                    int) {                                         \
    access<true, true, bits / 8>(number(p), TANDEM_CODE);                                          \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* expected, type v, int,   \
                                                  int) {                                           \
    access<true, true, bits / 8>(number(p), TANDEM_CODE);                                          \
    return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type expected, type v, int,    \
                                                  int) {                                           \
    access<true, true, bits / 8>(number(p), TANDEM_CODE);                                          \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                               \
  }

extern "C" {

void __tsan_init() {}

void __tsan_func_entry(void* caller) {
  using namespace tandem::checked;
  calls[depth++ % kept_calls] = number(caller);
}
void __tsan_func_exit() { --tandem::checked::depth; }

TANDEM_ACCESSES(1)
TANDEM_ACCESSES(2)
TANDEM_ACCESSES(4)
TANDEM_ACCESSES(8)
TANDEM_ACCESSES(16)

void __tsan_read_range(void* p, unsigned long bytes) {
  access_range(number(p), bytes, TANDEM_CODE, false);
}
void __tsan_write_range(void* p, unsigned long bytes) {
  access_range(number(p), bytes, TANDEM_CODE, true);
}
// clang from version 15 calls these for memcpy and similar functions; for g++, runtime.hpp
// redirects them.
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  access_range(number(from), bytes, TANDEM_CODE, false);
  access_range(number(to), bytes, TANDEM_CODE, true);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  access_range(number(from), bytes, TANDEM_CODE, false);
  access_range(number(to), bytes, TANDEM_CODE, true);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  access_range(number(to), bytes, TANDEM_CODE, true);
  return std::memset(to, value, bytes);
}
void __tsan_vptr_update(void** p, void*) { access<true, false, 8>(number(p), TANDEM_CODE); }
void __tsan_vptr_read(void** p) { access<false, false, 8>(number(p), TANDEM_CODE); }

TANDEM_ATOMICS(8, std::uint8_t)
TANDEM_ATOMICS(16, std::uint16_t)
TANDEM_ATOMICS(32, std::uint32_t)
TANDEM_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"

#undef TANDEM_ATOMICS
#undef TANDEM_UPDATE
#undef TANDEM_ACCESSES
#undef TANDEM_ACCESS
#undef TANDEM_CODE
// NOLINTEND(bugprone-macro-parentheses)
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

/// The next iteration may reuse memory that a kernel frees; its accesses must not conflict with
/// this one's. Weak: a program may define its own.
[[gnu::weak]] void operator delete(void* p) noexcept {
  if (p != nullptr && tandem::checked::current.is != tandem::checked::mode::off)
    tandem::checked::mark(number(p), malloc_usable_size(p), 0);
  tandem::checked::remove_kernel_memory(number(p));
  std::free(p);
}
/// What a kernel allocates and keeps belongs to the thread that runs it: a thread_local vector.
[[gnu::weak]] void* operator new(std::size_t bytes) {
  void* p = std::malloc(bytes > 0 ? bytes : 1);
  while (p == nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
    p = std::malloc(bytes > 0 ? bytes : 1);
  }
  if (tandem::checked::current.is != tandem::checked::mode::off)
    tandem::checked::add_kernel_memory(number(p), bytes);
  return p;
}
[[gnu::weak]] void operator delete(void* p, std::size_t) noexcept { ::operator delete(p); }
