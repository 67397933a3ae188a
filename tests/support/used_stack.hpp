// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

/// How much of a thread's stack a call takes.
namespace tandem::test {

inline constexpr std::size_t stack_bytes = 1024 * 1024;
/// What a call of the library takes at most.
inline constexpr std::size_t most_stack_bytes = 64 * 1024;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_instrumented = true;
#elif defined(__has_feature)
inline constexpr bool is_instrumented =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool is_instrumented = false;
#endif

/// Runs f on a thread with a filled stack and returns how many bytes of it have changed.
template <class Function>
std::size_t stack_of(const Function& f) {
  constexpr std::size_t page = 4096;
  constexpr unsigned char untouched = 0x5a;
  auto* const stack = static_cast<unsigned char*>(std::aligned_alloc(page, stack_bytes));
  std::fill_n(stack, stack_bytes, untouched);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstack(&attributes, stack, stack_bytes) == 0);
  const auto call = [](void* function) -> void* {
    (*static_cast<const Function*>(function))();
    return nullptr;
  };
  pthread_t thread{};
  REQUIRE(pthread_create(&thread, &attributes, call, const_cast<Function*>(&f)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const auto* const changed = std::find_if(stack, stack + stack_bytes,
                                           [](unsigned char byte) { return byte != untouched; });
  const auto used = static_cast<std::size_t>(stack + stack_bytes - changed);
  std::free(stack);
  return used;
}

/// Checks how much stack an operation takes beside what every thread of the program has on it, such
/// as the thread-local variables of the libraries.
template <class Function>
void check_stack(const std::string& operation, const Function& f) {
  CAPTURE(operation);
  static const std::size_t of_thread = stack_of([] {});
  const std::size_t used = stack_of(f) - of_thread;
  if (!is_instrumented) CHECK(used <= most_stack_bytes);
}

}  // namespace tandem::test
