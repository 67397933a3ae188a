// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::checked {

/// Who accesses memory: an iteration, a lane in a phase, or a team between its phases. Numbered in
/// running order, in steps of four. Bit 0 says that the access was atomic, bit 1 that another one
/// is in the table of second accesses.
using actor = std::uint32_t;
inline constexpr actor actor_step = 4;
inline constexpr actor atomic_bit = 1;
inline constexpr actor second_bit = 2;
inline constexpr actor actor_mask = ~(actor_step - 1);

/// Special values of a writer: memory that nothing has written yet, and memory that belongs to no
/// element (around arrays and scratch, or of a freed array). Both compare above every actor, so
/// that one test of the fast path covers them.
inline constexpr actor unwritten = 0xfffffff8;
inline constexpr actor forbidden = 0xfffffffc;
inline constexpr actor last_actor = 0xffff0000;

/// An access: the actor, and the lower half of the address after its instruction.
struct access_record {
  actor who;
  std::uint32_t code;
};

/// The accesses to one granule that later ones are compared with: 8 bytes, or 4 or 1 if a page has
/// narrower accesses. For each kind it is the operation's first access if another team made it,
/// otherwise the first one of the team's latest phase. Actors run one after the other, so an actor
/// other than the first conflicts with it, and the first actor has none before it.
struct cell {
  access_record writer;
  access_record reader;
};

inline constexpr std::size_t page_bits = 12;
inline constexpr std::size_t page_bytes = std::size_t{1} << page_bits;

enum class page_kind : unsigned char {
  plain,
  scratch  ///< reused by consecutive teams
};

/// The bytes of a page that an operation has read through views of const elements.
struct constant_bytes {
  std::uint64_t operation = 0;  ///< its number
  std::uint64_t bits[page_bytes / 64] = {};

  bool overlap(std::uint64_t of_operation, std::uintptr_t address, std::size_t bytes) const {
    if (operation != of_operation) return false;
    for (std::size_t i = address % page_bytes; bytes > 0 && i < page_bytes; ++i, --bytes) {
      if ((bits[i / 64] >> i % 64 & 1) != 0) return true;
    }
    return false;
  }
};

/// The cells of 4 KiB of memory.
struct page {
  std::uintptr_t number;
  cell* cells;
  unsigned shift;  ///< log2 of the bytes of a granule: 3, 2 or 0
  page_kind kind;
  constant_bytes* constants = nullptr;
};

/// Returns the page of an address, initialised from the ranges.
page& find_page(std::uintptr_t address);

/// The most recently used pages, in a table per granule size: an access of that size finds its cell
/// with one comparison.
struct alignas(32) cached_page {
  std::uintptr_t begin = 1;  ///< of the page; an odd number if there is none
  /// The cell of an address is at bias + address * sizeof(cell) / granule.
  std::uintptr_t bias = 0;
  page_kind kind = page_kind::plain;
  bool has_constants = false;
};
inline constexpr std::size_t cached_pages = 2048;
inline constexpr int granule_sizes = 3;
extern cached_page page_cache[granule_sizes][cached_pages];
constexpr int size_class(unsigned shift) { return shift == 3 ? 0 : shift == 2 ? 1 : 2; }

/// Keeps the pages of this memory, which is a stack, out of the tables.
void keep_uncached(std::uintptr_t begin, std::size_t bytes);

/// Further accesses, by address, to granules that had both atomic and plain ones.
struct second_accesses {
  access_record writer;
  access_record reader;
};
second_accesses& seconds_of(std::uintptr_t granule);
void forget_seconds();

/// Gives every 2^shift bytes of a page a separate cell.
void refine(page& p, unsigned shift);

/// Forgets all records of this memory.
void forget(std::uintptr_t begin, std::size_t bytes);
void forget_all();

/// Makes `who` the writer of this memory in the running operation, except where nothing has written
/// it.
void claim(std::uintptr_t begin, std::size_t bytes, actor who);

/// Enters a page into the cache again after its members have changed.
void update_cache(const page& p);

/// Sets the writer of every cell of this memory whose page exists.
void mark(std::uintptr_t begin, std::size_t bytes, actor who);

}  // namespace tandem::checked
