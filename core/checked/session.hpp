// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/checked/runtime.hpp>
#include <tandem/core/checked/shadow.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The operation that runs, between the loops of run.cpp, which say who acts, and the accesses of
/// access.cpp, which are judged by it.
namespace tandem::checked {

enum class mode : int { off, on, pending };

/// What every access reads.
struct current_state {
  mode is = mode::off;
  actor me = 0;
  actor phase_first = 0;  ///< the first actor that may run at the time of `me`
  actor team_first = 0;
  actor operation_first = 0;
  bool is_between = false;         ///< a team's phases, where writes are every lane's
  std::uintptr_t stack_begin = 0;  ///< the stack of kernels
  std::uintptr_t stack_bytes = 0;
  std::uintptr_t team_begin = 0;  ///< above it, local variables of a team's kernel
  bool has_local_writes = false;  ///< lanes of the team have written such variables
  std::size_t depth = 0;          ///< calls since the kernel began
};
extern thread_local constinit current_state current;

/// The return addresses of the calls; deeper ones are counted alone.
inline constexpr std::size_t deepest_call = 4096;
extern thread_local constinit std::uintptr_t calls[deepest_call];

/// The order in which `count` things come: blocks of 1024 in an order that the salt gives, and so
/// what is in them, so that neighbours in memory stay near each other in time.
class shuffled {
 public:
  static constexpr index_t block = 1024;

  shuffled(index_t count, std::uint64_t salt);
  /// The thing that comes `n`-th.
  index_t operator()(index_t n) const {
    const index_t begin = block_at(n / block) * block;
    return begin + inside(n % block, count_ - begin < block ? count_ - begin : block);
  }

 private:
  index_t block_at(index_t b) const;
  index_t inside(index_t n, index_t size) const;

  index_t count_;
  index_t last_;  // number of the block that may be shorter; it stays the last one
  std::uint64_t offset_;
  std::uint64_t factor_;
  int order_;  // of settings::orders
};

/// Consecutive actors: iterations of a loop, lanes or items of a phase, or a team between phases.
struct actor_group {
  enum kind : unsigned char { iterations, lanes, items, between };
  actor first;
  kind is;
  index_t team;
  index_t phase;
  index_t count;
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
  bool is_team = false;
  bool in_phase = false;
  std::vector<actor_group> groups;

  std::uint64_t salt(index_t of_team, index_t of_phase) const;
};
extern operation_state operation;

/// "team 3, lane 5, phase 2" or "i = 7".
std::string actor_text(actor who);
/// The lane of `who` in its team, or -1 between phases.
index_t lane_of(actor who);

/// A rule that was broken.
struct finding {
  const char* kind;     ///< "race", "unwritten", "out of range", ...
  std::string element;  ///< "A(3, 7)"
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
/// Prints a finding once for each pair of lines, and keeps the first that is not benign for
/// throw_finding.
void report(const finding& f);
/// Reports it at the end of the phase or the loop if that found nothing else: what a lane reads
/// before another one writes it is a race.
void report_later(const finding& f);
void finish_later();
/// Throws kernel_error if the operation has a finding.
void throw_finding();
bool has_finding();
void count_operation();

/// What the environment asks for: TANDEM_CHECKED_SEED, _ORDER and _REPORT.
struct settings {
  enum orders { seeded, forward, reverse };
  std::uint64_t seed;
  orders order;
  bool is_json;
  bool is_quiet;
};
const settings& asked();

/// "kernel.cpp:12" of the innermost line that is not tandem's own, from the return addresses.
std::string source_place(const std::uintptr_t* addresses, std::size_t count);
/// Of an address of which the low half is known.
std::string source_place(std::uint32_t low_half);
/// Whether the address lies in a small function of tandem's headers that was not inlined.
struct code_answer {
  std::uintptr_t address;
  bool is_inner;
};
inline constexpr std::size_t cached_codes = 256;
extern code_answer code_cache[cached_codes];
bool find_inner_code(std::uintptr_t address);
inline bool is_inner_code(std::uintptr_t address) {
  const code_answer& a = code_cache[address % cached_codes];
  return a.address == address ? a.is_inner : find_inner_code(address);
}
std::string demangled(const char* name);

/// Has the values of a write that came last, if it was in conflict.
void finish_pending();

/// Local variables of a team's kernel.
void begin_team_locals();
void end_phase_locals();

}  // namespace tandem::checked
