// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <typeinfo>

/// The checked runtime, which builds that link tandem::checked call. It runs host kernels on one
/// thread in a shuffled order, and checks every access that the compiler reports
/// (-fsanitize=thread). docs/debugging.md explains its use, decision 0023 how it works.
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

/// What a function may do to elements of arrays: anything; anything but write an element that it
/// has read itself (a reduction's term, which may be called again); or only read them (a predicate,
/// or an operation on two values).
enum class effects : unsigned char { all, no_updates, none };

/// Elements that an operation itself writes while it calls the functions of a loop.
struct written_elements {
  void* first = nullptr;
  std::size_t bytes = 0;  ///< of an element
  index_t count = 0;
  index_t stride = 1;  ///< in elements
  /// Whether iteration i may read element i, but no other one; otherwise none may read any.
  bool by_iteration = false;
};

/// A kernel as the runtime calls it: `call` passes on `object` and the indices or the team.
struct kernel {
  const char* operation;
  const std::type_info* type;  ///< of the user's function, or null: messages name no other
  const void* object;
  const void* captured = nullptr;  ///< the user's function object, which is const
  std::size_t captured_bytes = 0;
  effects allowed = effects::all;
  written_elements written = {};
};

/// Returns the type that messages name. Functions of the library that call a user's function name
/// it as `user_function`, and others have no name.
template <class Function>
const std::type_info* type_of() {
  if constexpr (requires { typename Function::user_function; }) {
    return type_of<typename Function::user_function>();
  } else {
    return &typeid(Function);
  }
}

/// Calls the iterations of a loop or the lanes of a phase, all those that next_item() returns, or a
/// team on its scratch.
using call_items = void (*)(const void* object);
using call_team = void (*)(const void* object, index_t team, void* scratch);

/// Returns the number of the next iteration, lane or item, in the order that the seed determines,
/// or -1 after the last one. The previous item has ended. Errors: kernel_error for an error of the
/// previous item.
index_t next_item();

/// Calls call(f, i) for each number i that next_item() returns, with the Function f at `object`. A
/// small f is copied, so that compilers see that nothing else accesses it.
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

/// Calls the kernel for each index of `rank` dimensions from first[d] on. next_item() returns the
/// flat numbers; the last dimension varies fastest. Errors: kernel_error for conflicts between
/// iterations.
void run_loop(const kernel& what, int rank, const index_t* first, const index_t* sizes,
              call_items call);

/// Calls the kernel for each team. The lanes' values begin `kept_begin` bytes after the scratch
/// pointer and take `kept_bytes`; take_scratch allocates the scratch itself.
struct team_memory {
  std::size_t scratch_bytes;
  std::size_t kept_begin;
  std::size_t kept_bytes;
};
/// Extents of teams and lanes of 2 or 3 dimensions, for messages.
struct team_extents {
  int rank = 1;
  index_t teams[3] = {};
  index_t lanes[3] = {};
};
void run_teams(const kernel& what, index_t teams, int lanes, const team_extents& extents,
               const team_memory& memory, call_team call);

/// Runs one phase of the running team: f for each of `count` lanes, or for items partitioned among
/// the lanes, which may be those of a matrix with so many columns. Returns false, having done
/// nothing, outside teams that run_teams runs.
bool run_phase(index_t count, bool is_items, const void* object, call_items call,
               index_t columns = 0);

/// Returns the next `count` elements of the running team's scratch, with free memory before and
/// after them; nullptr outside run_teams.
void* take_scratch(element_type type, index_t count);

/// Requires that `lane` is the running one; checked at every access to values that lanes keep.
void require_own_lane(int lane);

/// Gives scratch that the team has allocated the extents of a view, so that messages name its
/// indices.
void shape_scratch(const void* first, int rank, const index_t* extents) noexcept;

/// Host memory of an array: padded on both sides, and kept for a while after it is freed, so that
/// invalid accesses to either are found. `allocate` and `free` belong to the array's space.
std::size_t bytes_around(std::size_t bytes);
void* add_array(void* memory, std::size_t bytes, element_type type, int rank,
                const index_t* extents, const index_t* strides) noexcept;
void remove_array(void* elements, void (*free)(void* memory, std::size_t bytes)) noexcept;

/// Called before an atomic of scope::team, which must not conflict with another team's atomic.
void begin_team_atomic(const void* p);

/// Called before code reads an element through a view of const elements.
void begin_constant_read(const void* p, std::size_t bytes);

/// Throws kernel_error if nothing has written some element of an operand that the operation reads,
/// of at least four bytes per element: smaller ones could have the pattern as their value.
void require_written(const char* operation, const char* operand, element_type type,
                     const void* first, int rank, const index_t* extents, const index_t* strides);
/// Reports that a reducer's identity changes a term, and throws argument_error.
[[noreturn]] void fail_identity(const char* operation, const std::string& identity,
                                const std::string& term);

/// Remembers the loop of an operation that has just run, for code that runs after it.
class finished_loop {
 public:
  finished_loop();
  ~finished_loop();
  finished_loop(const finished_loop&) = delete;
  finished_loop& operator=(const finished_loop&) = delete;
  /// Calls call(object), which must not write what the loop's iterations have read or written, nor
  /// read what they have written.
  void run_after(const kernel& what, call_items call) const;

 private:
  struct state;
  state* state_;
};

/// Called when the operation `what` begins. Errors: kernel_error inside a kernel.
void require_host_code(const char* what);

/// Returns the program's findings so far, without benign ones.
long finding_count();

/// Names the array that holds the element at `p`.
void name_array(const void* p, const char* name) noexcept;

/// Whether a lane or an item of a phase is running.
bool is_in_phase();

/// Reports an error of a kernel that throws at once, as findings are reported: prints and counts
/// it. Returns the message to throw: `what`, the kernel, its index or lane, and the line. Outside
/// kernels it returns only `what` and reports nothing.
std::string failure(const char* kind, const std::string& what, const char* hint);

}  // namespace tandem::checked

#if TANDEM_CHECKED > 1 && defined(__SANITIZE_THREAD__) && !defined(__clang__)
// g++ calls memcpy and similar functions, whereas clang calls functions of the runtime. These
// declarations redirect the library's names to the runtime, for std::copy too. The inline ones are
// for constant sizes, which g++ would expand in place; _FORTIFY_SOURCE has its own.
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
// From version 15, clang calls the runtime for memcpy and similar functions and for structure
// copies. Earlier versions call the library's functions for any size; in this file those names
// refer to the runtime's.
__asm__(".set memcpy, __tsan_memcpy\n.set memmove, __tsan_memmove\n.set memset, __tsan_memset");
#endif
