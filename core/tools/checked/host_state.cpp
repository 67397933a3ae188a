// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/session.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

/// What only kernels of the host use: mutexes, static variables that they initialise, thread_local
/// variables and memory that they keep. The functions at the end stand in front of
/// those of the system's libraries; they are weak, so that a program of static libraries has the
/// system's.
namespace tandem::checked {

namespace {

struct span {
  std::uintptr_t begin;
  std::uintptr_t bytes;
};
constexpr std::size_t most_spans = 64;
thread_local span thread_locals[most_spans];
thread_local std::size_t thread_local_count = 0;

int add_thread_locals(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || info->dlpi_tls_data == nullptr) continue;
    if (thread_local_count == most_spans) return 1;
    thread_locals[thread_local_count++] = {reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data),
                                           header.p_memsz};
  }
  return 0;
}

/// Memory that kernels have allocated, by its beginning. Threads that run no kernel free it too.
struct kept_memory {
  std::mutex lock;
  std::map<std::uintptr_t, std::size_t> blocks;
};
kept_memory& kept() {
  static auto* const one = new kept_memory;
  return *one;
}
int kept_count = 0;
/// Whether this thread is changing the map, which allocates as well.
thread_local bool is_keeping = false;

/// Notes a mutex of a kernel, rather than of this runtime.
void change_locks(const void* mutex, int by) {
  if (current.is == mode::off || current.silences > 0) return;
  if (mutex == runtime_lock().native_handle() || mutex == kept().lock.native_handle()) return;
  operation.has_locks = true;
  current.locks = current.locks + by < 0 ? 0 : current.locks + by;
  current.update();
}

void change_silences(int by) {
  if (current.is == mode::off) return;
  current.silences = current.silences + by < 0 ? 0 : current.silences + by;
  current.update();
}

struct silence {
  silence() { change_silences(1); }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
  ~silence() { change_silences(-1); }
};

/// Returns the next function of this name; `known` caches it.
template <class Function>
Function* next(Function*& known, const char* name) {
  Function* found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (found == nullptr) {
    found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    if (found == nullptr) std::abort();  // a program without shared libraries
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
  }
  return found;
}

}  // namespace

void begin_host_state() {
  current.locks = 0;
  current.silences = 0;
  thread_local_count = 0;
  dl_iterate_phdr(add_thread_locals, nullptr);
#if __has_include(<sys/single_threaded.h>)
  // Otherwise a shared_ptr counts its owners without atomics while there is one thread.
  __libc_single_threaded = 0;
#endif
}

bool is_thread_local(std::uintptr_t address) {
  for (std::size_t i = 0; i < thread_local_count; ++i) {
    if (address - thread_locals[i].begin < thread_locals[i].bytes) return true;
  }
  return false;
}

bool is_kernel_memory(std::uintptr_t address) {
  if (__atomic_load_n(&kept_count, __ATOMIC_RELAXED) == 0) return false;
  const std::lock_guard guard(kept().lock);
  const auto it = kept().blocks.upper_bound(address);
  if (it == kept().blocks.begin()) return false;
  const auto& [begin, bytes] = *std::prev(it);
  return address - begin < bytes;
}

void add_kernel_memory(std::uintptr_t begin, std::size_t bytes) noexcept {
  if (is_keeping) return;
  is_keeping = true;
  {
    const std::lock_guard guard(kept().lock);
    kept().blocks[begin] = bytes;
    __atomic_store_n(&kept_count, static_cast<int>(kept().blocks.size()), __ATOMIC_RELAXED);
  }
  is_keeping = false;
}

void remove_kernel_memory(std::uintptr_t begin) noexcept {
  if (is_keeping || __atomic_load_n(&kept_count, __ATOMIC_RELAXED) == 0) return;
  is_keeping = true;
  {
    const std::lock_guard guard(kept().lock);
    kept().blocks.erase(begin);
    __atomic_store_n(&kept_count, static_cast<int>(kept().blocks.size()), __ATOMIC_RELAXED);
  }
  is_keeping = false;
}

namespace {

// The system's functions; as globals rather than static variables, which need __cxa_guard_acquire.
decltype(pthread_mutex_lock)* next_mutex_lock;
decltype(pthread_mutex_trylock)* next_mutex_trylock;
decltype(pthread_mutex_unlock)* next_mutex_unlock;
decltype(pthread_rwlock_rdlock)* next_rwlock_rdlock;
decltype(pthread_rwlock_wrlock)* next_rwlock_wrlock;
decltype(pthread_rwlock_unlock)* next_rwlock_unlock;
decltype(pthread_once)* next_once;
decltype(abi::__cxa_guard_acquire)* next_guard_acquire;
decltype(abi::__cxa_guard_release)* next_guard_release;
decltype(abi::__cxa_guard_abort)* next_guard_abort;
int next_guards = 0;  ///< 1 if they exist, -1 if not, 0 if unknown

/// Whether the C++ runtime is a shared library. A program that was linked with -static-libstdc++
/// has no second definition of its functions.
bool has_next_guards() {
  const int known = __atomic_load_n(&next_guards, __ATOMIC_RELAXED);
  if (known != 0) return known > 0;
  const int found = dlsym(RTLD_NEXT, "__cxa_guard_acquire") == nullptr ? -1 : 1;
  __atomic_store_n(&next_guards, found, __ATOMIC_RELAXED);
  return found > 0;
}

// The guards of static variables for programs without that library, by the Itanium C++ ABI: byte 0
// says that the variable is initialised; byte 1 is for the runtime, here that a thread initialises
// it.

bool acquire_guard(abi::__guard* guard) {
  auto* const done = reinterpret_cast<unsigned char*>(guard);
  while (__atomic_load_n(done, __ATOMIC_ACQUIRE) == 0) {
    if (__atomic_exchange_n(done + 1, 1, __ATOMIC_ACQUIRE) == 0) {
      if (__atomic_load_n(done, __ATOMIC_ACQUIRE) == 0) return true;
      __atomic_store_n(done + 1, 0, __ATOMIC_RELEASE);
      return false;
    }
    sched_yield();
  }
  return false;
}

void release_guard(abi::__guard* guard, bool initialised) {
  auto* const done = reinterpret_cast<unsigned char*>(guard);
  if (initialised) __atomic_store_n(done, 1, __ATOMIC_RELEASE);
  __atomic_store_n(done + 1, 0, __ATOMIC_RELEASE);
}

}  // namespace

}  // namespace tandem::checked

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
#define TANDEM_NEXT(name) \
  tandem::checked::next(tandem::checked::next_##name, TANDEM_NEXT_PREFIX #name)

extern "C" {

#define TANDEM_NEXT_PREFIX "pthread_"
// What is accessed under a mutex is treated like atomics: two such accesses do not conflict.
[[gnu::weak]] int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  const int result = TANDEM_NEXT(mutex_lock)(m);
  if (result == 0) tandem::checked::change_locks(m, 1);
  return result;
}
[[gnu::weak]] int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  const int result = TANDEM_NEXT(mutex_trylock)(m);
  if (result == 0) tandem::checked::change_locks(m, 1);
  return result;
}
[[gnu::weak]] int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  tandem::checked::change_locks(m, -1);
  return TANDEM_NEXT(mutex_unlock)(m);
}
[[gnu::weak]] int pthread_rwlock_rdlock(pthread_rwlock_t* m) noexcept {
  const int result = TANDEM_NEXT(rwlock_rdlock)(m);
  if (result == 0) tandem::checked::change_locks(m, 1);
  return result;
}
[[gnu::weak]] int pthread_rwlock_wrlock(pthread_rwlock_t* m) noexcept {
  const int result = TANDEM_NEXT(rwlock_wrlock)(m);
  if (result == 0) tandem::checked::change_locks(m, 1);
  return result;
}
[[gnu::weak]] int pthread_rwlock_unlock(pthread_rwlock_t* m) noexcept {
  tandem::checked::change_locks(m, -1);
  return TANDEM_NEXT(rwlock_unlock)(m);
}

// The first iteration that comes to the declaration of a static variable initialises it, and the
// others wait for it.
[[gnu::weak]] int pthread_once(pthread_once_t* flag, void (*f)()) {
  const tandem::checked::silence during_the_call;
  return TANDEM_NEXT(once)(flag, f);
}

}  // extern "C"

#undef TANDEM_NEXT_PREFIX
#define TANDEM_NEXT_PREFIX "__cxa_"
namespace __cxxabiv1 {
extern "C" {

[[gnu::weak]] int __cxa_guard_acquire(__guard* g) {
  using namespace tandem::checked;
  const bool mine = has_next_guards() ? TANDEM_NEXT(guard_acquire)(g) != 0 : acquire_guard(g);
  if (mine) change_silences(1);
  return mine ? 1 : 0;
}
[[gnu::weak]] void __cxa_guard_release(__guard* g) noexcept {
  using namespace tandem::checked;
  change_silences(-1);
  if (has_next_guards())
    TANDEM_NEXT(guard_release)(g);
  else
    release_guard(g, true);
}
[[gnu::weak]] void __cxa_guard_abort(__guard* g) noexcept {
  using namespace tandem::checked;
  change_silences(-1);
  if (has_next_guards())
    TANDEM_NEXT(guard_abort)(g);
  else
    release_guard(g, false);
}

}  // extern "C"
}  // namespace __cxxabiv1
#undef TANDEM_NEXT_PREFIX
#undef TANDEM_NEXT
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
