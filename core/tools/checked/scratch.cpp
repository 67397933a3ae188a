// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/scratch.hpp>

#include <tandem/core/errors.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace tandem::checked {

namespace {

/// More than a team's scratch, so that no index of one array reaches another one; later arrays are
/// closer together.
constexpr std::size_t gap = std::size_t{232} << 10;
constexpr std::size_t far_arrays = 16;

std::size_t page_end(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

scratch_block::scratch_block(const team_memory& m)
    : room_(page_end(2 * m.scratch_bytes + far_arrays * (gap + m.scratch_bytes))),
      kept_(page_end(m.kept_bytes + 1)) {
  void* const p = mmap(nullptr, room_ + kept_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) detail::fail_host_memory("parallel_teams", room_ + kept_);
  begin_ = reinterpret_cast<std::uintptr_t>(p);
  team_scratch_ = reinterpret_cast<void*>(begin_ + room_ - m.kept_begin);
  current.kept_begin = begin_ + room_;
  current.kept_bytes = kept_;
  forbid_rest(0);
}

scratch_block::~scratch_block() {
  for (const auto& a : arrays_) remove_range(a.outer_begin);
  remove_range(rest_begin_);
  current.kept_bytes = 0;
  munmap(reinterpret_cast<void*>(begin_), room_ + kept_);
}

void scratch_block::begin_team() {
  taken_ = 0;
  for (const auto& a : arrays_)
    std::memset(reinterpret_cast<void*>(a.begin), unwritten_byte, a.end - a.begin);
}

void* scratch_block::take(element_type type, index_t count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * type.bytes;
  if (taken_ < arrays_.size()) {
    const range& known = arrays_[taken_];
    if (known.end - known.begin == bytes && known.type.kind == type.kind &&
        known.type.bytes == type.bytes)
      return reinterpret_cast<void*>(arrays_[taken_++].begin);
    give_up(taken_);
  }
  return append(type, count, bytes);
}

void* scratch_block::append(element_type type, index_t count, std::size_t bytes) {
  const std::size_t end = begin_ + room_;
  const std::size_t around = arrays_.size() < far_arrays
                                 ? gap
                                 : std::max<std::size_t>(256, std::min<std::size_t>(bytes, 8192));
  std::size_t before = rest_begin_ + (arrays_.empty() ? 4096 : 192);
  if (before + bytes + around > end) before = rest_begin_;
  if (before + bytes > end) throw extent_error("team: too many arrays in scratch");
  const std::size_t behind = std::min(end, (before + bytes + around + 15) / 16 * 16);
  remove_range(rest_begin_);
  range r;
  r.outer_begin = rest_begin_;
  r.begin = before;
  r.end = before + bytes;
  r.outer_end = behind;
  r.type = type;
  r.extents[0] = count;
  r.strides[0] = 1;
  r.kind = page_kind::scratch;
  r.name = "scratch array " + std::to_string(arrays_.size()) + " ";
  add_range(r);
  arrays_.push_back(r);
  std::memset(reinterpret_cast<void*>(r.begin), unwritten_byte, bytes);
  ++taken_;
  forbid_rest(behind - begin_);
  return reinterpret_cast<void*>(r.begin);
}

void scratch_block::give_up(std::size_t first) {
  remove_range(rest_begin_);
  for (std::size_t i = first; i < arrays_.size(); ++i) remove_range(arrays_[i].outer_begin);
  const std::uintptr_t rest = arrays_[first].outer_begin;
  arrays_.resize(first);
  forbid_rest(rest - begin_);
}

void scratch_block::forbid_rest(std::size_t offset) {
  rest_begin_ = begin_ + offset;
  if (offset == room_) return;
  range rest;
  rest.outer_begin = rest.begin = rest.end = rest_begin_;
  rest.outer_end = begin_ + room_;
  rest.kind = page_kind::scratch;
  rest.name = "scratch";
  add_range(rest);
}

}  // namespace tandem::checked
