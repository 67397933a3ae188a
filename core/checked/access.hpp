// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/checked/session.hpp>

namespace tandem::checked {

/// An access that the fast path could not allow.
struct suspect {
  std::uintptr_t address;
  std::size_t bytes;
  std::uintptr_t code;
  bool is_write;
  bool is_atomic;
};

void judge_slowly(page& p, cell& c, const suspect& s);
/// An access of whatever size, which may reach over granules and pages.
void access_slowly(const suspect& s);
void access_team_local(const suspect& s);
void access_between_phases(const suspect& s);
/// The user's line of an access by the actor that runs, through what called it.
std::string place_of(std::uintptr_t code);
/// The code that called the small functions of tandem that make an access.
std::uintptr_t user_code(std::uintptr_t code);

/// Whether an access of the page is of no concern any more: of an earlier operation, of an earlier
/// phase of the team or, in scratch, of an earlier team.
inline bool is_settled(const current_state& now, page_kind kind, actor who) {
  return who < now.oldest[static_cast<int>(kind)] || now.is_in_earlier_phase(who);
}

inline access_record record_of(const current_state& now, actor bits, std::uintptr_t code) {
  if (is_inner_code(code)) [[unlikely]]
    code = user_code(code);
  return {now.me | bits, static_cast<std::uint32_t>(code)};
}

/// Keeps an access that is none of the first: an atomic one behind plain ones that are settled, or
/// a plain one beside an atomic one.
void remember_second(const current_state& now, const page& p, cell& c, const suspect& s);

/// Puts an access of the granule in the place of one that is settled; marks one of the actor as
/// plain that was atomic.
template <bool Write, bool Atomic>
inline void remember(const current_state& now, page& p, cell& c, const suspect& s) {
  access_record& first = Write ? c.writer : c.reader;
  const actor who = first.who;
  if (is_settled(now, p.kind, who)) {
    if (Atomic && who >= now.oldest[static_cast<int>(p.kind)]) return remember_second(now, p, c, s);
    first = record_of(now, Atomic ? atomic_bit : 0, s.code);
  } else if (!Atomic && (who & atomic_bit) != 0) {
    if ((who & actor_mask) == now.me) {
      first.who &= ~atomic_bit;
    } else if (!Write) {
      remember_second(now, p, c, s);
    }
  }
}

template <bool Write, bool Atomic>
inline void judge(const current_state& now, page& p, cell& c, const suspect& s) {
  const auto is_fine = [&](actor who) {
    if (is_settled(now, p.kind, who) || (who & actor_mask) == now.me) return true;
    return Atomic && who < last_actor && (who & (atomic_bit | second_bit)) == atomic_bit;
  };
  const actor writer = c.writer.who;
  bool is_allowed = is_fine(writer);
  if constexpr (Write) is_allowed = is_allowed && is_fine(c.reader.who);
  // What the team has not written in its scratch has no value.
  if constexpr (!Write || Atomic)
    is_allowed = is_allowed && !(p.kind == page_kind::scratch && writer < now.team_first());
  if (!is_allowed) [[unlikely]]
    judge_slowly(p, c, s);
  remember<Write, Atomic>(now, p, c, s);
}

/// Any access: of whatever size and place.
template <bool Write, bool Atomic, std::size_t Bytes>
[[gnu::noinline]] void access_unusual(std::uintptr_t address, std::uintptr_t code) {
  access_slowly({address, Bytes, code, Write, Atomic});
}

/// An access: those to stacks, and the usual ones to elements (aligned, of one granule of a page
/// that was used lately) are judged here. All others are passed on in the last step, so that no
/// registers need to be saved.
template <bool Write, bool Atomic, std::size_t Bytes>
[[gnu::always_inline]] inline void access(std::uintptr_t address, std::uintptr_t code) {
  const current_state& now = current;
  if (address - now.stack_begin < now.silent_bytes[Write]) return;
  if (!Write && address - now.captured_begin < now.captured_bytes) return;
  if constexpr (Atomic || Bytes == 2 || Bytes == 16)
    return access_unusual<Write, Atomic, Bytes>(address, code);
  constexpr int size = size_class(Bytes == 8 ? 3 : Bytes == 4 ? 2 : 0);
  const cached_page& p = page_cache[size][(address >> page_bits) % cached_pages];
  // The bits of the page, and those that are zero in an aligned address.
  constexpr std::uintptr_t mask = ~(page_bytes - 1) | (Bytes - 1);
  if ((address & mask) != p.begin || now.is_unusual[Write]) [[unlikely]]
    return access_unusual<Write, Atomic, Bytes>(address, code);
  if (Write && address - now.stack_begin < now.stack_bytes) [[unlikely]]
    return access_unusual<Write, Atomic, Bytes>(address, code);
  cell& c = *reinterpret_cast<cell*>(p.bias + address * (sizeof(cell) / Bytes));
  __builtin_prefetch(&c + 12, 1);  // three lines ahead, for those who go through memory
  const auto kind = static_cast<int>(p.kind);
  const actor writer = c.writer.who;
  const actor reader = c.reader.who;
  if constexpr (Write) {
    if (writer == now.me && reader < now.settled_end[kind]) return;
  } else {
    if (writer - now.written_from[kind] >= now.written_count[kind]) [[unlikely]]
      return access_unusual<Write, Atomic, Bytes>(address, code);
    if (reader >= now.phase_first && (reader & atomic_bit) == 0) return;
  }
  const bool is_settled =
      reader < now.settled_end[kind] && (!Write || writer < now.settled_end[kind]);
  if (!is_settled || !is_outer_code(code)) [[unlikely]]
    return access_unusual<Write, Atomic, Bytes>(address, code);
  (Write ? c.writer : c.reader) = {now.me, static_cast<std::uint32_t>(code)};
}

}  // namespace tandem::checked
