// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <typeinfo>

/// What a build that links tandem::checked calls: the runtime that runs kernels of the host on one
/// thread, in a shuffled order, and judges every access that the compiler reports to it
/// (-fsanitize=thread). docs/debugging.md tells how it is used, decision 0023 how it works.
namespace tandem::checked {

/// How elements are printed: 'f'loat, 'i'nteger, 'u'nsigned integer or 's'tructure.
struct element_type {
  char kind;
  unsigned short bytes;
};

template <class T>
constexpr element_type element_type_of() {
  constexpr char kind = std::is_floating_point_v<T> ? 'f'
                        : !std::is_integral_v<T>    ? 's'
                        : std::is_signed_v<T>       ? 'i'
                                                    : 'u';
  return {kind, static_cast<unsigned short>(sizeof(T))};
}

/// What a function may do to elements of arrays: all, all but to write what it has read itself (a
/// reduction's term, which may be called again), or only read them (a predicate, or what combines
/// two values).
enum class effects : unsigned char { all, no_updates, none };

/// A kernel as the runtime calls it: `call` passes `object` and the indices, or the team, on.
struct kernel {
  const char* operation;
  const std::type_info* type;
  const void* object;
  const void* captured = nullptr;  ///< the user's function object, which is const
  std::size_t captured_bytes = 0;
  effects allowed = effects::all;
};

/// How the runtime calls the iterations of a loop or the lanes of a phase, all those that
/// next_item() gives, and a team on its scratch.
using call_items = void (*)(const void* object);
using call_team = void (*)(const void* object, index_t team, void* scratch);

/// The number of the next iteration, lane or item, in the order that the seed gives; -1 behind the
/// last one. What came before has ended. Errors: kernel_error for what it did.
index_t next_item();

/// Calls call(f, i) for each number i that next_item() gives, with the Function f at `object`. A
/// small one is copied, so that compilers see that nobody else reads or writes it.
template <class Function, class Call>
void for_each_item(const void* object, const Call& call) {
  const Function& f = *static_cast<const Function*>(object);
  if constexpr (std::is_trivially_copyable_v<Function> && sizeof(Function) <= 512) {
    const Function own = f;
    for (index_t i = next_item(); i >= 0; i = next_item()) call(own, i);
  } else {
    for (index_t i = next_item(); i >= 0; i = next_item()) call(f, i);
  }
}

/// Calls the kernel for each index of `rank` dimensions from first[d] on; next_item() gives their
/// flat numbers, of which the last dimension counts fastest. Errors: kernel_error for what the
/// iterations do to each other.
void run_loop(const kernel& what, int rank, const index_t* first, const index_t* sizes,
              call_items call);

/// Calls the kernel for each team. What lanes keep begins `kept_begin` bytes after the scratch
/// that it gets, and takes `kept_bytes`; take_scratch gives out the scratch itself.
struct team_memory {
  std::size_t scratch_bytes;
  std::size_t kept_begin;
  std::size_t kept_bytes;
};
void run_teams(const kernel& what, index_t teams, int lanes, const team_memory& memory,
               call_team call);

/// One phase of the team that runs: f for each of `count` lanes, or items shared out among them.
/// Returns false, having done nothing, outside teams that run_teams runs.
bool run_phase(index_t count, bool is_items, const void* object, call_items call);

/// The next `count` elements of the running team's scratch, with free memory before and after
/// them; nullptr outside of run_teams.
void* take_scratch(element_type type, index_t count);

/// What each lane keeps: `lane` must be the one that runs. Checked at every access.
void require_own_lane(int lane);

/// Gives scratch that the team has taken the extents of a view, whose indices messages name.
void shape_scratch(const void* first, int rank, const index_t* extents) noexcept;

/// Memory of an array of the host: with room around it, and kept for a while after its end, so that
/// who uses either is found. `allocate` and `free` are those of the array's space.
std::size_t bytes_around(std::size_t bytes);
void* add_array(void* memory, std::size_t bytes, element_type type, int rank,
                const index_t* extents, const index_t* strides) noexcept;
void remove_array(void* elements, void (*free)(void* memory, std::size_t bytes)) noexcept;

/// Called before an atomic of scope::team, which another team's atomic must not meet.
void begin_team_atomic(const void* p);

/// Called where the operation `what` begins. Errors: kernel_error inside a kernel.
void require_host_code(const char* what);

/// Findings of the program so far, without benign ones.
long finding_count();

/// Names the array that holds the element at `p`.
void name_array(const void* p, const char* name) noexcept;

/// Whether a lane runs, or an item of a phase.
bool is_in_phase();

/// Reports what a kernel did wrong that throws at once, as findings are: prints and counts it.
/// Returns the message to throw: `what`, the kernel, its index or lane, and the line. Outside of
/// kernels that is `what` alone, and nothing is reported.
std::string failure(const char* kind, const std::string& what, const char* hint);

}  // namespace tandem::checked

#if TANDEM_CHECKED > 1 && defined(__SANITIZE_THREAD__) && !defined(__clang__)
// g++ calls memcpy and its like where clang calls functions of the runtime. Declared under their
// names, the library's functions lead there, for std::copy as well. The inline ones are for sizes
// that are constants, which g++ would compile in place; _FORTIFY_SOURCE brings its own.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) noexcept;
void* __tsan_memset(void* to, int value, std::size_t bytes) noexcept;
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept __asm__("__tsan_memcpy");
void* memmove(void* to, const void* from, std::size_t bytes) noexcept __asm__("__tsan_memmove");
void* memset(void* to, int value, std::size_t bytes) noexcept __asm__("__tsan_memset");
#if __USE_FORTIFY_LEVEL == 0
[[gnu::always_inline, gnu::gnu_inline]] extern inline void* memcpy(void* to, const void* from,
                                                                   std::size_t bytes) noexcept {
  return __tsan_memcpy(to, from, bytes);
}
[[gnu::always_inline, gnu::gnu_inline]] extern inline void* memset(void* to, int value,
                                                                   std::size_t bytes) noexcept {
  return __tsan_memset(to, value, bytes);
}
#endif
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
#elif TANDEM_CHECKED > 1 && defined(__clang__) && __clang_major__ < 15
// From 15 on clang calls the runtime for memcpy and its like, and for copies of structures. Earlier
// ones call the library's functions, of any size, which in this file are names of the runtime's.
__asm__(".set memcpy, __tsan_memcpy\n.set memmove, __tsan_memmove\n.set memset, __tsan_memset");
#endif
