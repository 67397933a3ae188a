// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/checked/session.hpp>

namespace tandem::checked {

/// An access of which the fast path could not say that it is allowed.
struct suspect {
  std::uintptr_t address;
  std::size_t bytes;
  std::uintptr_t code;
  bool is_write;
  bool is_atomic;
};

void judge_slowly(page& p, cell& c, const suspect& s);
void access_team_local(const suspect& s);
void access_between_phases(const suspect& s);
/// The user's line of an access by the actor that runs, through what called it.
std::string place_of(std::uintptr_t code);
/// The code that called the small functions of tandem in which an access lies.
std::uintptr_t user_code(std::uintptr_t code);

inline bool is_concurrent(const current_state& now, actor other) {
  if (other >= now.phase_first) return (other & ~actor{1}) != now.me;
  return other >= now.operation_first && other < now.team_first;
}

/// Puts an access in front of the others of its kind.
inline void remember(const current_state& now, access_record& newest, access_record& second,
                     actor tag, std::uintptr_t code) {
  const actor before = newest.who & ~actor{1};
  if (before == now.me) {
    if ((tag & 1) == 0) newest.who = tag;  // a plain access is in conflict with more
    return;
  }
  const bool keeps_second = second.who >= now.operation_first && second.who < now.team_first;
  if (newest.who >= now.operation_first && !keeps_second) second = newest;
  newest = {tag, static_cast<std::uint32_t>(code)};
}

template <bool Write, bool Atomic>
inline void judge(const current_state& now, page& p, cell& c, const suspect& s) {
  const actor tag = now.me | (Atomic ? 1 : 0);
  if constexpr (Write) {
    if (c.writer.who == tag) return;
  } else {
    if (c.reader.who == tag) return;
  }
  const bool is_scratch = p.kind == page_kind::scratch;
  const auto conflicts = [&](actor other) {
    if (Atomic && (other & 1) != 0) return false;
    return is_concurrent(now, other) && !(is_scratch && other < now.team_first);
  };
  bool is_suspect = conflicts(c.writer.who) || conflicts(c.writer2.who);
  if constexpr (Write) is_suspect |= conflicts(c.reader.who) || conflicts(c.reader2.who);
  if (!Write && is_scratch && c.writer.who < now.team_first) is_suspect = true;
  if (is_suspect) [[unlikely]]
    judge_slowly(p, c, s);
  if constexpr (Write) {
    remember(now, c.writer, c.writer2, tag, s.code);
  } else {
    remember(now, c.reader, c.reader2, tag, s.code);
  }
}

template <bool Write, bool Atomic>
[[gnu::always_inline]] inline void access(std::uintptr_t address, std::size_t bytes,
                                          std::uintptr_t code) {
  current_state& now = current;
  if (now.is != mode::on) [[unlikely]] {
    if (now.is == mode::off) return;
    finish_pending();
  }
  if (address - now.stack_begin < now.stack_bytes) {
    // Below team_begin is the lane's own part of the stack.
    if ((Write || now.has_local_writes) && address >= now.team_begin)
      access_team_local({address, bytes, code, Write, Atomic});
    return;
  }
  if (is_inner_code(code)) [[unlikely]]
    code = user_code(code);
  while (bytes > 0) {
    page& p = find_page(address);
    const std::size_t left = page_bytes - (address & (page_bytes - 1));
    const std::size_t here = bytes < left ? bytes : left;
    if (p.kind == page_kind::ignored) return;
    if (((address | here) & ((std::uintptr_t{1} << p.shift) - 1)) != 0) [[unlikely]]
      refine(p, ((address | here) & 3) == 0 ? 2 : 0);
    const suspect s{address, here, code, Write, Atomic};
    if (Write && now.is_between) [[unlikely]]
      access_between_phases(s);
    const std::size_t begin = (address & (page_bytes - 1)) >> p.shift;
    const std::size_t end = begin + (here >> p.shift);
    for (std::size_t i = begin; i < end; ++i) judge<Write, Atomic>(now, p, p.cells[i], s);
    address += here;
    bytes -= here;
  }
}

}  // namespace tandem::checked
