// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/tools/checked/session.hpp>

namespace tandem::checked {

struct range;

/// An access that the fast path could not allow.
struct suspect {
  std::uintptr_t address;
  std::size_t bytes;
  std::uintptr_t code;
  bool is_write;
  bool is_atomic;
  bool is_locked = false;  ///< plain, but under a mutex: like an atomic to others of that kind
};

/// Checks a write of an element that the actor has read, in an operation that forbids it.
void judge_update(const suspect& s);
/// The last access on the slow path, for the message of a segmentation fault.
extern suspect last_slow;
void forget_team_atomics();
void judge_slowly(page& p, cell& c, const suspect& s);
/// Checks an access of any size, which may span granules and pages.
void access_slowly(const suspect& s);
finding make_finding(const char* kind, const range* r, const suspect& s, std::uintptr_t address);
void access_team_local(const suspect& s);
/// Checks a write of an element that the operation has read through a view of const elements.
void judge_constant(const suspect& s, const page& p, const access_record& reader);
void access_between_phases(const suspect& s);
/// Returns the user's line of an access by the running actor, found through the call stack.
std::string place_of(std::uintptr_t code);
/// Returns the code that called the small tandem functions that make an access.
std::uintptr_t user_code(std::uintptr_t code);

/// Whether an access to the page can be ignored: it is from an earlier operation, from an earlier
/// phase of the team or, in scratch, from an earlier team.
inline bool is_settled(const current_state& now, page_kind kind, actor who) {
  return who < now.oldest[static_cast<int>(kind)] || now.is_in_earlier_phase(who);
}

inline access_record record_of(const current_state& now, actor bits, std::uintptr_t code) {
  if (is_inner_code(code)) [[unlikely]]
    code = user_code(code);
  return {now.me | bits, static_cast<std::uint32_t>(code)};
}

/// Records an additional access: an atomic one after settled plain ones, or a plain one next to an
/// atomic one.
void remember_second(const current_state& now, const page& p, cell& c, const suspect& s);

/// Replaces a settled access of the granule; marks an atomic access of the same actor as plain.
template <bool Write, bool Atomic>
inline void remember(const current_state& now, page& p, cell& c, const suspect& s) {
  if (Write && !Atomic && !now.may_update && c.reader.who == now.me) judge_update(s);
  // A plain read before the write no longer represents later ones.
  if (Write && c.reader.who == now.me) c.reader.who |= second_bit;
  // What conflicts with the actor's read also conflicts with its write.
  if (!Write && !Atomic && c.writer.who == now.me) return;
  access_record& first = Write ? c.writer : c.reader;
  const actor who = first.who;
  if (is_settled(now, p.kind, who)) {
    if (Atomic && who >= now.oldest[static_cast<int>(p.kind)]) return remember_second(now, p, c, s);
    first = record_of(now, Atomic ? atomic_bit : 0, s.code);
  } else if (!Atomic && (who & atomic_bit) != 0) {
    if ((who & actor_mask) == now.me) {
      first = {first.who & ~atomic_bit, record_of(now, 0, s.code).code};
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
  // Scratch that the team has not written has no value.
  if constexpr (!Write || Atomic)
    is_allowed = is_allowed && !(p.kind == page_kind::scratch && writer < now.team_first());
  if (!is_allowed) [[unlikely]]
    judge_slowly(p, c, s);
  remember<Write, Atomic>(now, p, c, s);
}

/// Returns the cached page that may hold a granule of `Bytes` at an address.
template <std::size_t Bytes>
[[gnu::always_inline]] inline const cached_page& cached_page_of(std::uintptr_t address) {
  constexpr int size = size_class(Bytes == 8 ? 3 : Bytes == 4 ? 2 : 0);
  constexpr std::uintptr_t mask = (cached_pages - 1) * sizeof(cached_page);
  const std::uintptr_t offset = address / (page_bytes / sizeof(cached_page)) & mask;
  return *reinterpret_cast<const cached_page*>(
      reinterpret_cast<const unsigned char*>(page_cache[size]) + offset);
}

/// Whether the cached page holds the granule at an address: compares the page's bits and the bits
/// that are zero in an aligned address.
template <std::size_t Bytes>
[[gnu::always_inline]] inline bool holds(const cached_page& p, std::uintptr_t address) {
  constexpr std::uintptr_t mask = ~(page_bytes - 1) | (Bytes - 1);
  return (address & mask) == p.begin;
}
template <std::size_t Bytes>
[[gnu::always_inline]] inline cell& cell_of(const cached_page& p, std::uintptr_t address) {
  return *reinterpret_cast<cell*>(p.bias + address * (sizeof(cell) / Bytes));
}

/// Less common reads that are allowed: of values that the actor or an earlier phase wrote, or that
/// another team read.
inline bool is_rare_read(const current_state& now, const cached_page& p, cell& c,
                         std::uintptr_t code) {
  if (c.writer.who == now.me) return true;
  const actor reader = c.reader.who;
  if (p.kind == page_kind::scratch || !is_outer_code(code)) return false;
  if (c.writer.who >= now.operation_first() && !now.is_in_earlier_phase(c.writer.who)) return false;
  if (reader >= now.operation_first()) {
    if ((reader & ~actor_mask) != 0) return false;
    if (reader < now.team_first()) return true;  // keeps the first one
  }
  c.reader = {now.me, static_cast<std::uint32_t>(code)};
  return true;
}

/// Less common writes that are allowed: of elements that the actor has read before.
inline bool is_rare_write(const current_state& now, const cached_page& p, cell& c,
                          std::uintptr_t code) {
  const auto kind = static_cast<int>(p.kind);
  if (now.overwritten_end[kind] == 0 || c.reader.who != now.me || p.has_constants) return false;
  if (!is_outer_code(code) || !now.may_update) return false;
  if (c.writer.who != now.me && c.writer.who >= now.overwritten_end[kind]) return false;
  // An actor that conflicts with the read also conflicts with the write.
  c = {{now.me, static_cast<std::uint32_t>(code)}, {}};
  return true;
}

/// Checks any access, of any size and alignment.
template <bool Write, bool Atomic, std::size_t Bytes>
[[gnu::noinline]] void access_unusual(std::uintptr_t address, std::uintptr_t code) {
  if constexpr (!Atomic && Bytes != 2 && Bytes != 16) {
    const current_state& now = current;
    const cached_page& p = cached_page_of<Bytes>(address);
    if (now.is != mode::off && now.locks == 0 && holds<Bytes>(p, address)) {
      cell& c = cell_of<Bytes>(p, address);
      if (Write ? is_rare_write(now, p, c, code) : is_rare_read(now, p, c, code)) return;
    }
  }
  access_slowly({address, Bytes, code, Write, Atomic});
}

/// Checks an access. Accesses to stacks, and the usual ones to elements (aligned, of one granule of
/// a recently used page), are decided here. The last step passes on all others, so that no
/// registers need to be saved. Stack pages are never in the cache.
template <bool Write, bool Atomic, std::size_t Bytes>
[[gnu::always_inline]] inline void access(std::uintptr_t address, std::uintptr_t code) {
  const current_state& now = current;
  if (address - now.stack_begin < now.silent_bytes[Write]) return;
  if constexpr (Atomic || Bytes == 2 || Bytes == 16)
    return access_unusual<Write, Atomic, Bytes>(address, code);
  const cached_page& p = cached_page_of<Bytes>(address);
  if (!holds<Bytes>(p, address)) [[unlikely]] {
    if (!Write && address - now.captured_begin < now.captured_bytes) return;
    return access_unusual<Write, Atomic, Bytes>(address, code);
  }
  cell& c = cell_of<Bytes>(p, address);
  const auto kind = static_cast<std::size_t>(p.kind);
  const actor reader = c.reader.who;
  if constexpr (Write) {
    const actor writer = c.writer.who;
    if (reader >= now.overwritten_end[kind]) [[unlikely]]
      return access_unusual<Write, Atomic, Bytes>(address, code);
    if (writer == now.me) return;
    if (writer >= now.overwritten_end[kind] || !is_outer_code(code)) [[unlikely]]
      return access_unusual<Write, Atomic, Bytes>(address, code);
  } else {
    // A plain read of this phase: any later writer conflicted with it or marked it.
    if (reader >= now.phase_first && (reader & ~actor_mask) == 0) return;
    if (c.writer.who - now.written_from[kind] >= now.written_count[kind] ||
        reader >= now.settled_end[kind] || !is_outer_code(code)) [[unlikely]]
      return access_unusual<Write, Atomic, Bytes>(address, code);
  }
  (Write ? c.writer : c.reader) = {now.me, static_cast<std::uint32_t>(code)};
}

}  // namespace tandem::checked
