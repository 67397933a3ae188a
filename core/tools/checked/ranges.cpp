// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/ranges.hpp>

#include <tandem/core/tools/checked/session.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

namespace tandem::checked {

namespace {

struct dead_array {
  std::uintptr_t begin;
  std::size_t bytes;
  void (*free)(void*, std::size_t);
};

/// Bytes of freed arrays, with their padding, that are quarantined so that later uses are found.
constexpr std::size_t most_dead_bytes = std::size_t{192} << 20;

/// Padding before and after an array of `bytes`: the same size again, so that a wrong pitch, or a
/// wrongly negative index, stays inside it. It is never touched, so it costs little more than
/// address space.
std::size_t room_of(std::size_t bytes) {
  constexpr std::size_t least = std::size_t{64} << 10;
  return std::clamp((bytes + least - 1) / least * least, least, 16 * least);
}

struct known_ranges {
  std::map<std::uintptr_t, range> by_begin;  // keyed by outer_begin
  std::deque<dead_array> dead;
  std::size_t dead_bytes = 0;
};

known_ranges& known() {
  static auto* const one = new known_ranges;  // outlives the arrays of static storage
  return *one;
}

}  // namespace

range* next_range(std::uintptr_t address) {
  auto& map = known().by_begin;
  auto it = map.upper_bound(address);
  if (it != map.begin() && std::prev(it)->second.outer_end > address) --it;
  return it == map.end() ? nullptr : &it->second;
}

range* find_range(std::uintptr_t address) {
  range* const r = next_range(address);
  return r != nullptr && r->outer_begin <= address ? r : nullptr;
}

range& add_range(const range& r) {
  const std::lock_guard guard(runtime_lock());
  range& added = known().by_begin[r.outer_begin] = r;
  forget(r.outer_begin, r.outer_end - r.outer_begin);
  return added;
}

void remove_range(std::uintptr_t outer_begin) {
  const std::lock_guard guard(runtime_lock());
  const auto it = known().by_begin.find(outer_begin);
  if (it == known().by_begin.end()) return;
  const std::size_t bytes = it->second.outer_end - outer_begin;
  known().by_begin.erase(it);
  mark(outer_begin, bytes, 0);
}

std::size_t bytes_around(std::size_t bytes) { return 2 * room_of(bytes); }

void* add_array(void* memory, std::size_t bytes, element_type type, int rank,
                const index_t* extents, const index_t* strides) noexcept {
  range r;
  r.outer_begin = reinterpret_cast<std::uintptr_t>(memory);
  r.begin = r.outer_begin + room_of(bytes);
  r.end = r.begin + bytes;
  r.outer_end = r.end + room_of(bytes);
  r.type = type;
  r.rank = rank;
  std::copy_n(extents, rank, r.extents);
  std::copy_n(strides, rank, r.strides);
  std::memset(reinterpret_cast<void*>(r.begin), unwritten_byte, bytes);
  if (current.is == mode::off) current.watch_host_reads();
  add_range(r);
  return reinterpret_cast<void*>(r.begin);
}

void remove_array(void* elements, void (*free)(void*, std::size_t)) noexcept {
  auto& all = known();
  const std::lock_guard guard(runtime_lock());
  range* const r = find_range(reinterpret_cast<std::uintptr_t>(elements));
  if (r == nullptr) return;
  r->is_dead = true;
  const std::size_t bytes = r->outer_end - r->outer_begin;
  forget(r->outer_begin, bytes);
  all.dead.push_back({r->outer_begin, bytes, free});
  all.dead_bytes += bytes;
  while (all.dead_bytes > most_dead_bytes) {
    const dead_array oldest = all.dead.front();
    all.dead.pop_front();
    all.dead_bytes -= oldest.bytes;
    remove_range(oldest.begin);
    oldest.free(reinterpret_cast<void*>(oldest.begin), oldest.bytes);
  }
}

void shape_scratch(const void* first, int rank, const index_t* extents) noexcept {
  range* const r = find_range(reinterpret_cast<std::uintptr_t>(first));
  if (r == nullptr || r->kind != page_kind::scratch) return;
  r->rank = rank;
  index_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    r->extents[d] = extents[d];
    r->strides[d] = stride;
    stride *= extents[d];
  }
}

void name_array(const void* p, const char* name) noexcept {
  const std::lock_guard guard(runtime_lock());
  range* const r = find_range(reinterpret_cast<std::uintptr_t>(p));
  if (r != nullptr) r->name = name;
}

std::string element_name(const range& r, std::uintptr_t address) {
  const bool is_before = address < r.begin;
  const auto size = static_cast<index_t>(r.type.bytes);
  const auto distance = static_cast<index_t>(address - r.begin);
  index_t at = is_before ? -((-distance + size - 1) / size) : distance / size;
  const std::string name = r.name.empty() ? "array" : r.name;
  if (r.rank == 0) return name + "()";
  if (r.rank == 1 || is_before || address >= r.end) return name + "[" + std::to_string(at) + "]";
  const bool is_row_major = r.strides[0] >= r.strides[r.rank - 1];
  index_t indices[6] = {};
  for (int n = 0; n < r.rank; ++n) {
    const int d = is_row_major ? n : r.rank - 1 - n;
    indices[d] = at / r.strides[d];
    at %= r.strides[d];
  }
  std::string text = name + "(";
  for (int d = 0; d < r.rank; ++d) text += (d > 0 ? ", " : "") + std::to_string(indices[d]);
  return text + ")";
}

std::string element_value(element_type type, const void* p) {
  char text[64] = "";
  if (type.kind == 'f' && type.bytes == 4) {
    float v;
    std::memcpy(&v, p, 4);
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(v));
  } else if (type.kind == 'f' && type.bytes == 8) {
    double v;
    std::memcpy(&v, p, 8);
    std::snprintf(text, sizeof text, "%.17g", v);
  } else if ((type.kind == 'i' || type.kind == 'u') && type.bytes <= 8) {
    unsigned long long v = 0;
    std::memcpy(&v, p, type.bytes);
    const int unused = 64 - 8 * type.bytes;
    const auto extended = static_cast<long long>(v << unused) >> unused;
    if (type.kind == 'i') std::snprintf(text, sizeof text, "%lld", extended);
    if (type.kind == 'u') std::snprintf(text, sizeof text, "%llu", v);
  }
  return text;
}

}  // namespace tandem::checked
