// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::checked {

/// Who accesses memory: an iteration, a lane in a phase, or a team between its phases. Numbered in
/// the order in which they run, in steps of two; bit 0 says that the access was atomic.
using actor = std::uint32_t;

/// In place of a writer: memory that nothing has written yet, and memory that is no element of
/// anything (around arrays and scratch, or of an array that has died). Both compare above every
/// actor, so that one test of the fast path covers them.
inline constexpr actor unwritten = 0xfffffffc;
inline constexpr actor forbidden = 0xfffffffe;
inline constexpr actor last_actor = 0xffff0000;

/// An access: who, and the low half of the address behind its instruction.
struct access_record {
  actor who;
  std::uint32_t code;
};

/// The latest accesses to one granule: 8 bytes, or 4 or 1 where a page sees narrower accesses. The
/// second of each pair is by another actor than the first, of another team where there is one.
struct cell {
  access_record writer;
  access_record writer2;
  access_record reader;
  access_record reader2;
};

inline constexpr std::size_t page_bits = 12;
inline constexpr std::size_t page_bytes = std::size_t{1} << page_bits;

enum class page_kind : unsigned char {
  plain,
  scratch,  ///< reused by one team after the other
  ignored   ///< what lanes keep, and the runtime checks otherwise
};

/// The cells of 4 KiB of memory.
struct page {
  std::uintptr_t number;
  unsigned shift;  ///< log2 of the bytes of a granule: 3, 2 or 0
  page_kind kind;
  cell* cells;
};

/// The pages that were asked for last, by the low bits of their number.
inline constexpr std::size_t cached_pages = 1024;
extern page* page_cache[cached_pages];

/// The page of an address, with what the ranges say of it.
page& make_page(std::uintptr_t number);
inline page& find_page(std::uintptr_t address) {
  const std::uintptr_t number = address >> page_bits;
  page* const p = page_cache[number % cached_pages];
  if (p != nullptr && p->number == number) [[likely]]
    return *p;
  return make_page(number);
}

/// Gives every 2^shift bytes of a page their own cell.
void refine(page& p, unsigned shift);

/// Forgets what is known of this memory.
void forget(std::uintptr_t begin, std::size_t bytes);
void forget_all();

/// Sets the writer of every cell of this memory whose page exists.
void mark(std::uintptr_t begin, std::size_t bytes, actor who);

}  // namespace tandem::checked
