// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/access.hpp>

#include <tandem/core/tools/checked/ranges.hpp>

#include <cstring>
#include <map>

/// Local variables of a team's kernel, which a GPU has once per lane.
namespace tandem::checked {

namespace {

/// Memory of a team's kernel that lanes wrote in a phase.
struct local_write {
  index_t phase;
  index_t lane;
  index_t writers;
  bool differs;
  bool is_whole;
  std::size_t bytes;  // of the value
  unsigned char value[16];
  std::uintptr_t code;
  std::uintptr_t end;
};
std::map<std::uintptr_t, local_write> local_writes;

/// Calls f for the writes that overlap an access, as long as it returns true.
template <class Function>
void for_each_local_write(const suspect& s, const Function& f) {
  auto it = local_writes.upper_bound(s.address);
  for (int before = 0; before < 16 && it != local_writes.begin(); ++before) --it;
  for (; it != local_writes.end() && it->first < s.address + s.bytes; ++it) {
    if (it->second.end > s.address && !f(it->second)) return;
  }
}

void note_local_write(const suspect& s, index_t lane) {
  const std::size_t bytes = s.bytes < 16 ? s.bytes : 16;
  const auto* const memory = reinterpret_cast<const void*>(s.address);
  const auto [it, is_new] = local_writes.try_emplace(s.address);
  current.has_local_writes = true;
  current.update();
  local_write& w = it->second;
  if (is_new || w.phase != operation.phase) {
    w = {operation.phase, lane, 1, false, false, bytes, {}, s.code, s.address + s.bytes};
  } else if (w.lane != lane) {
    if (w.writers == 1) std::memcpy(w.value, memory, w.bytes);
    w.differs |= std::memcmp(w.value, memory, w.bytes) != 0;
    w.lane = lane;
    ++w.writers;
  }
}

/// Whether a lane, or -1 for the team, may read it.
bool is_readable(const local_write& w, index_t lane) {
  const bool is_own = w.lane == lane && (w.phase == operation.phase || w.writers == 1);
  return is_own || (w.is_whole && !w.differs);
}

void report_local_read(const suspect& s, const local_write& w) {
  finding f = make_finding("lane state", nullptr, s, s.address);
  f.element = "a local variable of the kernel";
  f.other_access = "was written by lane";
  f.other_value = std::to_string(w.lane);
  f.other_place = place_of(w.code);
  f.hint =
      "on a GPU each lane has a copy of its own: keep per-lane values in per_lane<T>, shared "
      "ones in scratch";
  report(f);
}

void check_local_read(const suspect& s, index_t lane) {
  for_each_local_write(s, [&](const local_write& w) {
    if (is_readable(w, lane)) return true;
    report_local_read(s, w);
    return false;
  });
}

}  // namespace

void access_team_local(const suspect& s) {
  if (!operation.in_phase) {
    if (s.is_write) {
      const auto begin = local_writes.lower_bound(s.address);
      local_writes.erase(begin, local_writes.lower_bound(s.address + s.bytes));
    } else {
      check_local_read(s, -1);
    }
    return;
  }
  if (s.is_write) {
    note_local_write(s, lane_of(current.me));
  } else {
    check_local_read(s, lane_of(current.me));
  }
}

void begin_team_locals() {
  local_writes.clear();
  current.has_local_writes = false;
}

void end_phase_locals() {
  for (auto& [address, w] : local_writes) {
    if (w.phase != operation.phase) continue;
    if (w.writers > 1)
      w.differs |= std::memcmp(w.value, reinterpret_cast<const void*>(address), w.bytes) != 0;
    w.is_whole = w.writers >= operation.lanes;
  }
}

}  // namespace tandem::checked
