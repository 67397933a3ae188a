// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::checked {

/// Who accesses memory: an iteration, a lane in a phase, or a team between its phases. Numbered in
/// the order in which they run, in steps of four. Bit 0 says that the access was atomic, bit 1 that
/// another one is in the table of second accesses.
using actor = std::uint32_t;
inline constexpr actor actor_step = 4;
inline constexpr actor atomic_bit = 1;
inline constexpr actor second_bit = 2;
inline constexpr actor actor_mask = ~(actor_step - 1);

/// In place of a writer: memory that nothing has written yet, and memory that is no element of
/// anything (around arrays and scratch, or of an array that has died). Both compare above every
/// actor, so that one test of the fast path covers them.
inline constexpr actor unwritten = 0xfffffff8;
inline constexpr actor forbidden = 0xfffffffc;
inline constexpr actor last_actor = 0xffff0000;

/// An access: who, and the low half of the address behind its instruction.
struct access_record {
  actor who;
  std::uint32_t code;
};

/// The accesses to one granule that later ones are compared with: 8 bytes, or 4 or 1 where a page
/// sees narrower accesses. Of each kind it is the first one of the operation if another team made
/// it, and else the first one of the team's latest phase: actors run one after the other, so who
/// is not the first one of them conflicts with it, and who is the first one has none before it.
struct cell {
  access_record writer;
  access_record reader;
};

inline constexpr std::size_t page_bits = 12;
inline constexpr std::size_t page_bytes = std::size_t{1} << page_bits;

enum class page_kind : unsigned char {
  plain,
  scratch  ///< reused by one team after the other
};

/// The cells of 4 KiB of memory.
struct page {
  std::uintptr_t number;
  cell* cells;
  unsigned shift;  ///< log2 of the bytes of a granule: 3, 2 or 0
  page_kind kind;
};

/// The page of an address, with what the ranges say of it.
page& find_page(std::uintptr_t address);

/// The pages that were asked for last, in a table per size of granule: an access of that size needs
/// one comparison to know its cell.
struct alignas(32) cached_page {
  std::uintptr_t begin = 1;  ///< of the page; an odd number where there is none
  /// The cell of an address is at bias + address * sizeof(cell) / granule.
  std::uintptr_t bias = 0;
  page_kind kind = page_kind::plain;
};
inline constexpr std::size_t cached_pages = 2048;
inline constexpr int granule_sizes = 3;
extern cached_page page_cache[granule_sizes][cached_pages];
constexpr int size_class(unsigned shift) { return shift == 3 ? 0 : shift == 2 ? 1 : 2; }

/// Keeps the pages that this memory touches, a stack's, out of the tables.
void keep_uncached(std::uintptr_t begin, std::size_t bytes);

/// Further accesses to granules, by their address, to which some were atomic and some plain.
struct second_accesses {
  access_record writer;
  access_record reader;
};
second_accesses& seconds_of(std::uintptr_t granule);
void forget_seconds();

/// Gives every 2^shift bytes of a page their own cell.
void refine(page& p, unsigned shift);

/// Forgets what is known of this memory.
void forget(std::uintptr_t begin, std::size_t bytes);
void forget_all();

/// Sets the writer of every cell of this memory whose page exists.
void mark(std::uintptr_t begin, std::size_t bytes, actor who);

}  // namespace tandem::checked
