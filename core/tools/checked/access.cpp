// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/access.hpp>

#include <tandem/core/tools/checked/ranges.hpp>

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <vector>

namespace tandem::checked {

thread_local constinit current_state current;
thread_local constinit std::uintptr_t calls[kept_calls] = {};
thread_local constinit std::size_t depth = 0;
suspect last_slow{};

namespace {

/// A conflicting write, whose value is in memory at the next access.
struct pending_write {
  finding found;
  std::uintptr_t element = 0;  ///< the first conflicting one
  element_type type{'s', 1};
  std::uintptr_t begin = 0;
  std::vector<unsigned char> before;  ///< what the whole access overwrites
  bool both_write = false;
};
pending_write pending;

element_type type_at(const range* r, const suspect& s) {
  if (r != nullptr && r->type.bytes <= s.bytes) return r->type;
  return {'s', static_cast<unsigned short>(s.bytes)};  // part of an element, which is not printed
}

std::string name_at(const range* r, std::uintptr_t address) {
  if (r != nullptr) return element_name(*r, address);
  char text[40];
  std::snprintf(text, sizeof text, "memory at 0x%zx", static_cast<std::size_t>(address));
  return text;
}

const char* access_word(bool is_write, bool is_atomic, bool is_locked) {
  if (is_locked) return is_write ? "writes under a mutex" : "reads under a mutex";
  if (is_atomic) return is_write ? "updates atomically" : "reads atomically";
  return is_write ? "writes" : "reads";
}

}  // namespace

finding make_finding(const char* kind, const range* r, const suspect& s, std::uintptr_t address) {
  finding f;
  f.kind = kind;
  f.element = name_at(r, address);
  f.who = current.me;
  f.access = access_word(s.is_write, s.is_atomic, s.is_locked);
  f.place = place_of(s.code);
  return f;
}

namespace {

bool is_unwritten(std::uintptr_t address, std::size_t bytes) {
  const auto* const p = reinterpret_cast<const unsigned char*>(address);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (p[i] != unwritten_byte) return false;
  }
  return true;
}

void find_forbidden(const suspect& s, std::uintptr_t address, cell& c) {
  const range* const r = find_range(address);
  if (r == nullptr) {
    c.writer = {};
    return;
  }
  finding f = make_finding(r->is_dead ? "dead" : "out of range", r, s, address);
  const auto count = static_cast<index_t>(r->end - r->begin) / r->type.bytes;
  if (r->is_dead) {
    f.hint = "the array has been destroyed or moved to: keep it alive while kernels use its views";
  } else {
    f.hint = "the last element is number " + std::to_string(count - 1) +
             ": check loop bounds, halo and pitch";
  }
  report(f);
}

const char* const hint_of_output =
    "the operation writes this element itself while it calls its functions: a term of a scan may "
    "read the one at its position, and no other function may read any";

/// Whether an element is an output of the operation that iterations of it may not use.
bool is_written_by_operation(std::uintptr_t address) {
  const written_elements& w = operation.what.written;
  const auto size = static_cast<index_t>(w.bytes);
  if (w.count == 0) return false;
  const auto distance = static_cast<index_t>(address - reinterpret_cast<std::uintptr_t>(w.first));
  const index_t number = distance / size / (w.stride == 0 ? 1 : w.stride);
  return number >= 0 && number < w.count && distance - number * w.stride * size < size &&
         distance >= number * w.stride * size;
}

void find_unwritten(const suspect& s, std::uintptr_t address) {
  if (!is_unwritten(s.address, s.bytes)) return;
  note_unwritten(address);
  const range* const r = find_range(address);
  finding f = make_finding("unwritten", r, s, address);
  f.hint = is_written_by_operation(address) ? hint_of_output
           : r != nullptr && r->kind == page_kind::scratch
               ? "scratch begins without values: write it in an earlier phase of this team"
               : "nothing has written this element: fill the array, or check which part a kernel "
                 "writes";
  report_later(f);
}

const char* hint_of_race(const suspect& s, const access_record& other) {
  const bool other_atomic = (other.who & atomic_bit) != 0;
  if (other.code == 0) return hint_of_output;
  if (is_thread_local(s.address) || is_kernel_memory(s.address))
    return "a thread runs many iterations: one that reads what is thread_local, or what another "
           "one "
           "allocated, writes it first";
  if (s.is_atomic != other_atomic && operation.has_locks)
    return "one access holds a mutex and one does not: lock it around both";
  if (!operation.groups.empty() && operation.groups.back().is == actor_group::after)
    return "the finishing function may use what no term of the reduction uses";
  if (s.is_atomic != other_atomic) return "one access is atomic and one is plain: make both atomic";
  if (!operation.is_team)
    return "iterations run at the same time: write what no other iteration uses, use "
           "parallel_reduce, or an atomic";
  return "no barrier lies between these lanes: end the phase between the two accesses, or use an "
         "atomic";
}

void find_race(const suspect& s, std::uintptr_t address, const access_record& other,
               bool other_writes) {
  const range* const r = find_range(address);
  const bool other_atomic = (other.who & atomic_bit) != 0;
  const bool is_mixed = s.is_atomic != other_atomic && !operation.has_locks;
  finding f = make_finding(is_mixed ? "mixed atomic" : "race", r, s, address);
  f.other = other.who & actor_mask;
  f.other_access = access_word(other_writes, other_atomic, other_atomic && operation.has_locks);
  f.hint = hint_of_race(s, other);
  const element_type type = type_at(r, s);
  if (other.code != 0) {
    f.other_place = source_place(other.code);
    f.other_value = value_text(type, address, f.other);
  }
  if (!s.is_write) {
    report(f);
    return;
  }
  pending.found = f;
  pending.element = address;
  pending.type = type;
  pending.begin = s.address;
  const auto* const overwritten = reinterpret_cast<const unsigned char*>(s.address);
  pending.before.assign(overwritten, overwritten + s.bytes);
  pending.both_write = other_writes && !s.is_atomic && !other_atomic;
  current.is = mode::pending;
  current.update();
  stop_behind_item();
}

/// Checks a read by host code between operations: of elements of four bytes or more that nothing
/// has written.
void judge_host_read(const suspect& s) {
  if (s.is_write || s.bytes < 4 || !is_unwritten(s.address, s.bytes)) return;
  const std::lock_guard guard(runtime_lock());
  const range* const r = find_range(s.address);
  if (r == nullptr || r->is_dead || r->type.bytes < 4) return;
  if (s.address < r->begin || s.address + s.bytes > r->end) return;
  const page& p = find_page(s.address);
  if (p.cells[(s.address & (page_bytes - 1)) >> p.shift].writer.who != unwritten) return;
  finding f = make_finding("unwritten", r, s, s.address);
  f.who = 0;
  f.hint = "nothing has written this element: fill the array, or check which part kernels write";
  report(f);
}

/// Team-scoped atomics of an operation on arrays, by address.
std::unordered_map<std::uintptr_t, access_record> team_atomics;

bool is_of_other_team(actor who) {
  const actor from = who & actor_mask;
  if (from < current.operation_first() || who >= last_actor) return false;
  return operation.is_team ? from < current.team_first() : from != current.me;
}

void report_team_atomic(const suspect& s, const access_record& other) {
  finding f = make_finding("race", find_range(s.address), s, s.address);
  f.other = other.who & actor_mask;
  f.other_access = access_word(true, true, false);
  f.other_place = source_place(other.code);
  f.hint = "an atomic of scope::team is one among the lanes of its team alone: use scope::device";
  report(f);
}

void note_atomic(const suspect& s) {
  const auto it = team_atomics.find(s.address);
  if (it == team_atomics.end() || !is_of_other_team(it->second.who)) return;
  report_team_atomic(s, it->second);
}

void judge_forbidden_write(const suspect& s) {
  const range* const r = find_range(s.address);
  if (r == nullptr || r->is_dead) return;
  finding f = make_finding("side effect", r, s, s.address);
  f.hint =
      "predicates and operations that combine two values may be called any number of times: "
      "they must not write";
  report_later(f);
}

}  // namespace

void begin_team_atomic(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  if (current.is == mode::off || address - current.stack_begin < current.stack_bytes) return;
  if (address - current.kept_begin < current.kept_bytes) return;
  page& known = find_page(address);
  if (known.kind == page_kind::scratch) return;
  const auto code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const cell& c = known.cells[(address & (page_bytes - 1)) >> known.shift];
  const bool is_atomic = (c.writer.who & atomic_bit) != 0;
  if (is_atomic && is_of_other_team(c.writer.who))
    report_team_atomic({address, 4, code, true, true}, c.writer);
  team_atomics[address] = record_of(current, atomic_bit, code);
}

void forget_team_atomics() { team_atomics.clear(); }

void judge_update(const suspect& s) {
  const range* const r = find_range(s.address);
  if (r == nullptr || r->kind != page_kind::plain) return;
  finding f = make_finding("side effect", r, s, s.address);
  f.hint =
      "a term may store what no term reads, not even itself: store into another array, or "
      "update in a loop before";
  report_later(f);
}

std::uintptr_t user_code(std::uintptr_t code) {
  for_each_caller([&](std::uintptr_t caller) {
    if (is_inner_code(code)) code = caller;
    return is_inner_code(code);
  });
  return code;
}

std::string place_of(std::uintptr_t code) {
  constexpr std::size_t most = 48;
  std::uintptr_t addresses[most] = {code};
  std::size_t count = 1;
  // The operation's call is the line of kernels that have none.
  for (std::size_t n = depth; n > 0 && depth - n < kept_calls && count < most; --n)
    addresses[count++] = calls[(n - 1) % kept_calls];
  return source_place(addresses, count);
}

void judge_slowly(page& p, cell& c, const suspect& s) {
  const auto index = static_cast<std::size_t>(&c - p.cells);
  const std::uintptr_t address = (p.number << page_bits) + (index << p.shift);
  if (c.writer.who == forbidden) return find_forbidden(s, address, c);
  const bool is_scratch = p.kind == page_kind::scratch;
  const bool is_first =
      c.writer.who == unwritten || (is_scratch && c.writer.who < current.team_first());
  if (is_first) {
    if (!s.is_write || (s.is_atomic && !s.is_locked)) find_unwritten(s, address);
    const bool has_value = s.is_write || !is_unwritten(address, std::size_t{1} << p.shift);
    if (c.writer.who == unwritten && has_value) c.writer = {};
    if (!s.is_write) return;
  }
  if (current.is == mode::pending) return;
  const auto conflicts = [&](const access_record& other) {
    if (other.who >= last_actor || is_settled(current, p.kind, other.who)) return false;
    if (s.is_atomic && (other.who & atomic_bit) != 0) return false;
    return (other.who & actor_mask) != current.me;
  };
  if (!s.is_atomic && (is_thread_local(address) || is_kernel_memory(address))) {
    if (s.is_write) {
      c = {record_of(current, 0, s.code), {}};
      return;
    }
    // Flags of initialisers, and containers that keep their memory from iteration to iteration.
    if (s.bytes == 1 || is_library_code(s.code)) return;
  }
  const bool has_second = ((c.writer.who | c.reader.who) & second_bit) != 0;
  const second_accesses seconds = has_second ? seconds_of(address) : second_accesses{};
  if (conflicts(c.writer)) return find_race(s, address, c.writer, true);
  if (conflicts(seconds.writer)) return find_race(s, address, seconds.writer, true);
  if (s.is_write && conflicts(c.reader)) return find_race(s, address, c.reader, false);
  if (s.is_write && conflicts(seconds.reader)) return find_race(s, address, seconds.reader, false);
}

void remember_second(const current_state& now, const page& p, cell& c, const suspect& s) {
  const auto index = static_cast<std::size_t>(&c - p.cells);
  const std::uintptr_t granule = (p.number << page_bits) + (index << p.shift);
  access_record& first = s.is_write ? c.writer : c.reader;
  access_record& second = s.is_write ? seconds_of(granule).writer : seconds_of(granule).reader;
  const access_record mine = record_of(now, s.is_atomic ? atomic_bit : 0, s.code);
  if (!s.is_atomic) {
    second = mine;
    first.who |= second_bit;
    return;
  }
  const bool keeps_plain = (first.who & atomic_bit) == 0 || (first.who & second_bit) != 0;
  if ((first.who & atomic_bit) == 0) second = first;
  first = mine;
  if (keeps_plain) first.who |= second_bit;
}

void access_slowly(const suspect& s) {
  if (current.is == mode::off) return judge_host_read(s);
  if (current.locks > 0 && !s.is_atomic)
    return access_slowly({s.address, s.bytes, s.code, s.is_write, true, true});
  if (s.address - current.kept_begin < current.kept_bytes) return;
  if (!s.is_write && s.address - current.captured_begin < current.captured_bytes) return;
  if (current.is == mode::pending) finish_pending();
  if (s.address - current.stack_begin < current.stack_bytes) {
    // The lane's part of the stack is below team_begin.
    if ((s.is_write || current.has_local_writes) && s.address >= current.team_begin)
      access_team_local(s);
    return;
  }
  last_slow = s;
  if (s.is_atomic && !s.is_locked && !team_atomics.empty()) note_atomic(s);
  if (s.is_write && !current.may_write) judge_forbidden_write(s);
  const std::uintptr_t end = s.address + s.bytes;
  for (std::uintptr_t address = s.address; address < end;) {
    const std::uintptr_t page_end = (address | (page_bytes - 1)) + 1;
    const std::uintptr_t here = std::min(end, page_end) - address;
    page& p = find_page(address);
    const std::uintptr_t rest = (std::uintptr_t{1} << p.shift) - 1;
    if (((address | here) & rest) != 0) refine(p, ((address | here) & 3) == 0 ? 2 : 0);
    const suspect part{address, here, s.code, s.is_write, s.is_atomic, s.is_locked};
    if (s.is_write && current.is_between) access_between_phases(part);
    const std::size_t first = (address & (page_bytes - 1)) >> p.shift;
    if (s.is_write && p.constants != nullptr) judge_constant(part, p, p.cells[first].reader);
    for (std::size_t i = first; i < first + (here >> p.shift); ++i) {
      if (s.is_write) {
        s.is_atomic ? judge<true, true>(current, p, p.cells[i], part)
                    : judge<true, false>(current, p, p.cells[i], part);
      } else {
        s.is_atomic ? judge<false, true>(current, p, p.cells[i], part)
                    : judge<false, false>(current, p, p.cells[i], part);
      }
    }
    address += here;
  }
}

void finish_pending() {
  current.is = mode::on;
  current.update();
  finding& f = pending.found;
  f.value = value_text(pending.type, pending.element, f.who);
  const std::vector<unsigned char>& before = pending.before;
  f.is_benign = pending.both_write && std::equal(before.begin(), before.end(),
                                                 reinterpret_cast<unsigned char*>(pending.begin));
  report(f);
}

void access_between_phases(const suspect& s) {
  if (operation.lanes == 1) return;
  const range* const r = find_range(s.address);
  if (r == nullptr) return;
  finding f = make_finding("outside phases", r, s, s.address);
  f.hint =
      "code outside for_each_lane runs once per lane on a GPU: write inside a phase, from one "
      "lane";
  report(f);
}

}  // namespace tandem::checked
