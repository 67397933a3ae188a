// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/kernel/checked.hpp>
#include <tandem/core/tools/checked/shadow.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

/// The running operation: the loops of run.cpp set which actor runs, and access.cpp checks the
/// accesses against it.
namespace tandem::checked {

enum class mode : int { off, on, pending };

/// State that every access reads. On threads that run no kernel, no memory is tracked, as for
/// stacks.
struct current_state {
  std::uintptr_t stack_begin = 0;  ///< the stack of kernels
  /// From stack_begin on: reads and writes that need no tracking. Those are accesses to the lane's
  /// part of the stack, and reads of a team's local variables that no lane has written.
  std::uintptr_t silent_bytes[2] = {UINTPTR_MAX, UINTPTR_MAX};
  std::uintptr_t captured_begin = 0;  ///< the kernel's captures, which are const
  std::uintptr_t captured_bytes = 0;
  actor me = 0;
  actor phase_first = 0;          ///< the first actor that may run concurrently with `me`
  actor oldest[2] = {};           ///< first actor whose accesses count, by page_kind
  actor written_from[2] = {};     ///< of the writers that a read may follow, by page_kind,
  actor written_count[2] = {};    ///< and how many they are
  actor settled_end[2] = {};      ///< accesses before it are settled, by page_kind
  actor overwritten_end[2] = {};  ///< likewise for writes; 0 if all take the slow path
  mode is = mode::off;
  bool is_between = false;        ///< between a team's phases; writes are every lane's
  bool has_local_writes = false;  ///< lanes of the team have written its local variables
  bool has_finding = false;       ///< of the operation, which throws it
  int silences = 0;               ///< initialisers of static variables that are running
  int locks = 0;                  ///< mutexes that the running actor holds
  bool may_write = true;          ///< elements of arrays,
  bool may_update = true;         ///< and those that it has read
  std::uintptr_t stack_bytes = 0;
  std::uintptr_t team_begin = 0;  ///< above it, local variables of a team's kernel
  std::uintptr_t kept_begin = 0;  ///< what lanes keep, which require_own_lane() sees
  std::uintptr_t kept_bytes = 0;
  std::size_t first_depth = 0;  ///< calls where the kernel began

  actor operation_first() const { return oldest[static_cast<int>(page_kind::plain)]; }
  actor team_first() const { return oldest[static_cast<int>(page_kind::scratch)]; }
  bool is_in_earlier_phase(actor who) const {
    return who - team_first() < phase_first - team_first();
  }
  /// Derives the values that the fast path compares from the other members.
  void update() {
    const bool is_unusual = is == mode::pending || is_between || !may_write || locks > 0;
    const std::uintptr_t own = team_begin < stack_begin                 ? 0
                               : team_begin - stack_begin < stack_bytes ? team_begin - stack_begin
                                                                        : stack_bytes;
    silent_bytes[0] = is == mode::off || !has_local_writes ? stack_bytes : own;
    silent_bytes[1] = is == mode::off ? UINTPTR_MAX : own;
    written_from[0] = 0;
    written_count[0] = operation_first();
    written_from[1] = team_first();
    written_count[1] = phase_first - team_first();
    settled_end[0] = operation_first();
    settled_end[1] = phase_first;
    overwritten_end[0] = is_unusual ? 0 : settled_end[0];
    overwritten_end[1] = is_unusual ? 0 : settled_end[1];
    if (locks > 0) written_count[0] = written_count[1] = 0;
    if (silences > 0) silent_bytes[0] = silent_bytes[1] = UINTPTR_MAX;
  }
  /// Makes reads by host code between operations take the slow path, which looks for unwritten
  /// elements.
  void watch_host_reads() {
    silent_bytes[0] = stack_bytes;
    written_count[0] = written_count[1] = 0;
    phase_first = UINT32_MAX;
  }
};
extern thread_local constinit current_state current;

/// The return addresses of the most recent calls: number n is at n % kept_calls.
inline constexpr std::size_t kept_calls = 1024;
extern thread_local constinit std::uintptr_t calls[kept_calls];
extern thread_local constinit std::size_t depth;
/// Calls f with the return addresses from the innermost one outwards as long as it returns true.
template <class Function>
void for_each_caller(const Function& f) {
  for (std::size_t n = depth; n > current.first_depth && depth - n < kept_calls; --n) {
    if (!f(calls[(n - 1) % kept_calls])) return;
  }
}

/// Settings from the environment: TANDEM_CHECKED_SEED, _ORDER and _REPORT.
struct settings {
  enum orders { seeded, forward, reverse };
  std::uint64_t seed;
  orders order;
  bool is_json;
  bool is_quiet;
};
const settings& asked();

/// The order of `count` items: blocks of 64 in an order that the salt determines, and the items of
/// each block likewise, so that neighbours in memory stay close in time.
class shuffled {
 public:
  static constexpr index_t block = 64;

  shuffled(index_t count, std::uint64_t salt);
  /// Consecutive items of one block.
  struct part {
    index_t left = 0;
    index_t last;  ///< the most recent item
    index_t step;
    index_t end;   ///< end of the block, where it wraps around,
    index_t size;  ///< and its size

    index_t take() {
      // Branch-free, because the branch would be as unpredictable as random data.
      last += step;
      last -= size & -static_cast<index_t>(last >= end);
      --left;
      return last;
    }
  };
  /// Returns the part that begins with the `n`-th item and ends before the `end`-th.
  part part_at(index_t n, index_t end) const {
    if (order_ == settings::forward) return {end - n, n - 1, 1, count_, 0};
    if (order_ == settings::reverse) return {end - n, count_ - n, -1, count_, 0};
    const index_t base = block_at(n / block) * block;
    const index_t size = count_ - base < block ? count_ - base : block;
    const index_t stop = n / block * block + size < end ? n / block * block + size : end;
    const index_t step = static_cast<index_t>(factor_) % size;
    return {stop - n, base + inside(n % block, size) - step, step, base + size, size};
  }
  /// Returns the number that comes at position `n` of the order.
  index_t operator()(index_t n) const {
    if (order_ == settings::forward) return n;
    if (order_ == settings::reverse) return count_ - 1 - n;
    const index_t begin = block_at(n / block) * block;
    return begin + inside(n % block, count_ - begin < block ? count_ - begin : block);
  }

 private:
  index_t block_at(index_t b) const;
  index_t inside(index_t n, index_t size) const;

  index_t count_;
  index_t last_;  // number of the block that may be shorter; always last
  std::uint64_t offset_;
  std::uint64_t factor_;
  int order_;  // of settings::orders
};

/// Consecutive actors: iterations of a loop, lanes or items of a phase, a team between phases, or
/// one that stands for the operation itself or for its finishing function.
struct actor_group {
  enum kind : unsigned char { iterations, lanes, items, between, whole, after };
  actor first;
  kind is;
  index_t team;
  index_t phase;
  index_t count;
  index_t columns;  ///< of a matrix of items
};

struct operation_state {
  kernel what{};
  std::uint64_t number = 0;
  int rank = 1;
  index_t begin[3] = {};
  index_t sizes[3] = {};
  index_t team = 0;
  index_t phase = 0;
  int lanes = 1;
  team_extents extents{};
  bool is_team = false;
  bool has_locks = false;  ///< its kernel has locked a mutex
  bool in_phase = false;
  bool is_items = false;  ///< items of the phase rather than lanes
  std::vector<actor_group> groups;

  std::uint64_t salt(index_t of_team, index_t of_phase) const;
};
extern operation_state operation;

/// "team 3, lane 5, phase 2" or "i = 7".
std::string actor_text(actor who);
/// Returns the lane of `who` in its team, or -1 between phases.
index_t lane_of(actor who);

/// Held while an operation runs, and by anyone who changes what is known about memory: a thread
/// that allocates waits for another thread's kernel. Kernels themselves may allocate.
std::recursive_mutex& runtime_lock();

/// A rule that was broken.
struct finding {
  const char* kind;                 ///< "race", "unwritten", "out of range", ...
  const char* operation = nullptr;  ///< if its host code breaks the rule
  std::string element;              ///< "A(3, 7)"
  actor who = 0;
  const char* access = "";  ///< "writes", "reads", "adds to"
  std::string value;
  std::string place;
  actor other = 0;  ///< 0: none
  const char* other_access = "";
  std::string other_value;
  std::string other_place;
  std::string hint;
  bool is_benign = false;
};
/// Prints a finding once for each pair of lines, and keeps the first one that is not benign for
/// throw_finding.
/// Returns its text.
std::string report(const finding& f);
/// Reports a finding at the end of the phase or loop unless that found something else: a lane's
/// read before another lane's write is a race.
void report_later(const finding& f);
void finish_later();
/// Returns the message of failure(), for code of the kernel that calls from `code`.
std::string failure_at(std::uintptr_t code, const char* kind, const std::string& what,
                       const char* hint);
/// Throws kernel_error if the operation has a finding.
void throw_finding();
void count_operation();

/// Remembers that the running actor has read an element without a value: what it then stores there
/// is no value either.
void note_unwritten(std::uintptr_t address);
/// Returns the value of an element that `who` has written, or that it has none.
std::string value_text(element_type type, std::uintptr_t address, actor who);

/// Finds "kernel.cpp:12", the innermost line outside tandem, from the return addresses.
std::string source_place(const std::uintptr_t* addresses, std::size_t count);
/// Finds the line of an address whose lower half is known.
std::string source_place(std::uint32_t low_half);
/// Whether the address is in a small function of tandem's headers that was not inlined.
struct code_answer {
  std::uintptr_t address;
  bool is_inner;
};
inline constexpr std::size_t cached_codes = 256;
extern code_answer code_cache[cached_codes];
/// Addresses that are known to be outside such functions.
extern std::uintptr_t outer_code_cache[cached_codes];
bool find_inner_code(std::uintptr_t address);
inline bool is_inner_code(std::uintptr_t address) {
  const code_answer& a = code_cache[address % cached_codes];
  return a.address == address ? a.is_inner : find_inner_code(address);
}
/// Whether the address is known to be outside such functions.
inline bool is_outer_code(std::uintptr_t address) {
  return outer_code_cache[address % cached_codes] == address;
}
/// Whether the innermost line of an address is in a header of the standard library.
bool is_library_code(std::uintptr_t address);
std::string demangled(const char* name);
/// Returns "transform (kernel NAME)" of the running kernel, or of host code that an operation runs.
std::string kernel_text(const char* of_host = nullptr);

/// During the object's lifetime, a segmentation fault prints the kernel, the lane and the line
/// before its normal effect.
class fault_watch {
 public:
  fault_watch();
  ~fault_watch();
  fault_watch(const fault_watch&) = delete;
  fault_watch& operator=(const fault_watch&) = delete;
};

/// Reads the value of the latest write, if that write conflicted.
void finish_pending();

/// Makes next_item() handle the effects of the running item before the next one starts.
void stop_behind_item();

/// Prepares for a kernel that uses what only the host has: mutexes, static variables that it
/// initialises, thread_local variables.
void begin_host_state();
bool is_thread_local(std::uintptr_t address);
/// Whether kernels have allocated this memory, and not freed it.
bool is_kernel_memory(std::uintptr_t address);
void add_kernel_memory(std::uintptr_t begin, std::size_t bytes) noexcept;
void remove_kernel_memory(std::uintptr_t begin) noexcept;

/// Local variables of a team's kernel.
void begin_team_locals();
void end_phase_locals();

}  // namespace tandem::checked
