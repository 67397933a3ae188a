// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/shadow.hpp>

#include <tandem/core/tools/checked/ranges.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <unordered_map>
#include <vector>

namespace tandem::checked {

cached_page page_cache[granule_sizes][cached_pages];

namespace {

/// The pages by number: open addressing with a power of two of slots.
class page_table {
 public:
  page* find(std::uintptr_t number) {
    if (places_.empty()) return nullptr;
    for (std::size_t i = place_of(number);; i = (i + 1) & (places_.size() - 1)) {
      if (places_[i] == nullptr || places_[i]->number == number) return places_[i];
    }
  }
  void insert(page* p) {
    if (2 * (count_ + 1) > places_.size()) grow();
    put(p);
    ++count_;
  }
  template <class Function>
  void for_each(const Function& f) {
    for (page* p : places_) {
      if (p != nullptr) f(*p);
    }
  }

 private:
  std::size_t place_of(std::uintptr_t number) const {
    return (number * 0x9e3779b97f4a7c15u >> 20) & (places_.size() - 1);
  }
  void put(page* p) {
    std::size_t i = place_of(p->number);
    while (places_[i] != nullptr) i = (i + 1) & (places_.size() - 1);
    places_[i] = p;
  }
  void grow() {
    std::vector<page*> old(std::max<std::size_t>(1024, 2 * places_.size()), nullptr);
    old.swap(places_);
    for (page* p : old) {
      if (p != nullptr) put(p);
    }
  }

  std::vector<page*> places_;
  std::size_t count_ = 0;
};

page_table& table() {
  static auto* const one = new page_table;  // outlives the arrays of static storage
  return *one;
}

constexpr unsigned widest = 3;

std::size_t cell_count(const page& p) { return page_bytes >> p.shift; }

/// Cells in chunks that the system may back with huge pages, which reduces TLB misses. Cells of
/// freed pages are reused.
class cell_pool {
 public:
  cell* take(std::size_t count) {
    auto& spare = spare_[index_of(count)];
    if (!spare.empty()) {
      cell* const cells = spare.back();
      spare.pop_back();
      return cells;
    }
    if (left_ < count) {
      left_ = chunk_bytes / sizeof(cell);
      void* const p = mmap(nullptr, chunk_bytes + huge_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED) throw std::bad_alloc();
      const auto end = reinterpret_cast<std::uintptr_t>(p) + huge_bytes;
      next_ = reinterpret_cast<cell*>(end / huge_bytes * huge_bytes);
      madvise(next_, chunk_bytes, MADV_HUGEPAGE);
    }
    cell* const cells = next_;
    next_ += count;
    left_ -= count;
    return cells;
  }
  void give_back(cell* cells, std::size_t count) { spare_[index_of(count)].push_back(cells); }

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{32} << 20;
  static constexpr std::size_t huge_bytes = std::size_t{2} << 20;
  static std::size_t index_of(std::size_t count) {
    return count == page_bytes ? 0 : count == page_bytes >> 2 ? 1 : 2;
  }

  cell* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<cell*> spare_[3];
};

cell_pool& pool() {
  static auto* const one = new cell_pool;
  return *one;
}

std::uintptr_t uncached_begin = 0;
std::uintptr_t uncached_bytes = 0;

bool is_uncached(std::uintptr_t page_begin) {
  return page_begin + page_bytes - uncached_begin < uncached_bytes + page_bytes;
}

}  // namespace

/// Enters a page into the table of its granule size, and removes it from the others.
void update_cache(const page& p) {
  const std::uintptr_t begin = p.number << page_bits;
  for (auto& table : page_cache) {
    cached_page& known = table[p.number % cached_pages];
    if (known.begin == begin) known.begin = 1;
  }
  if (is_uncached(begin)) return;
  const std::uintptr_t bias =
      reinterpret_cast<std::uintptr_t>(p.cells) - ((begin >> p.shift) * sizeof(cell));
  page_cache[size_class(p.shift)][p.number % cached_pages] = {begin, bias, p.kind,
                                                              p.constants != nullptr};
}

namespace {

/// Sets the writers of the cells between two addresses, as far as they are in the page.
void set_writers(page& p, std::uintptr_t begin, std::uintptr_t end, actor who) {
  const std::uintptr_t page_begin = p.number << page_bits;
  begin = std::max(begin, page_begin);
  end = std::min(end, page_begin + page_bytes);
  if (begin >= end) return;
  const std::uintptr_t rest = (std::uintptr_t{1} << p.shift) - 1;
  if (((begin | end) & rest) != 0) refine(p, ((begin | end) & 3) == 0 ? 2 : 0);
  for (std::uintptr_t a = begin; a < end; a += std::uintptr_t{1} << p.shift)
    p.cells[(a - page_begin) >> p.shift] = cell{{who, 0}, {}};
}

/// Initialises the cells of a new page from the ranges.
void set_up(page& p) {
  p.shift = widest;
  p.kind = page_kind::plain;
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the pool's cells are there
  std::fill_n(p.cells, cell_count(p), cell{});
  const std::uintptr_t begin = p.number << page_bits;
  for (const range* r = next_range(begin); r != nullptr && r->outer_begin < begin + page_bytes;
       r = next_range(r->outer_end)) {
    if (r->kind != page_kind::plain) p.kind = r->kind;
    set_writers(p, r->outer_begin, r->begin, forbidden);
    set_writers(p, r->begin, r->end, r->is_dead ? forbidden : unwritten);
    set_writers(p, r->end, r->outer_end, forbidden);
  }
}

page& whole_page(std::uintptr_t number) {
  page* p = table().find(number);
  if (p == nullptr) {
    p = new page{number, pool().take(page_bytes >> widest), widest, page_kind::plain};
    set_up(*p);
    table().insert(p);
  }
  return *p;
}

std::unordered_map<std::uintptr_t, second_accesses>& seconds() {
  static auto* const one = new std::unordered_map<std::uintptr_t, second_accesses>;
  return *one;
}

}  // namespace

page& find_page(std::uintptr_t address) {
  page& p = whole_page(address >> page_bits);
  update_cache(p);
  return p;
}

void refine(page& p, unsigned shift) {
  if (p.shift <= shift) return;
  const std::size_t count = page_bytes >> shift;
  cell* const fine = pool().take(count);
  for (std::size_t i = 0; i < count; ++i) fine[i] = p.cells[i >> (p.shift - shift)];
  pool().give_back(p.cells, cell_count(p));
  p.cells = fine;
  p.shift = shift;
  update_cache(p);
}

void keep_uncached(std::uintptr_t begin, std::size_t bytes) {
  const bool is_known = begin == uncached_begin && bytes <= uncached_bytes;
  uncached_begin = begin;
  uncached_bytes = bytes;
  if (is_known) return;
  for (auto& table : page_cache) {
    for (cached_page& known : table) {
      if (is_uncached(known.begin)) known.begin = 1;
    }
  }
}

second_accesses& seconds_of(std::uintptr_t granule) { return seconds()[granule]; }

void forget_seconds() { seconds().clear(); }

void forget(std::uintptr_t begin, std::size_t bytes) {
  for (std::uintptr_t number = begin >> page_bits; number <= (begin + bytes) >> page_bits;
       ++number) {
    page* const p = table().find(number);
    if (p == nullptr) continue;
    if (find_range(begin) != nullptr) {
      pool().give_back(p->cells, cell_count(*p));
      p->cells = pool().take(page_bytes >> widest);
      set_up(*p);
      update_cache(*p);
    } else {
      set_writers(*p, begin, begin + bytes, 0);
    }
  }
}

void forget_all() {
  table().for_each([](page& p) {
    for (std::size_t i = 0; i < cell_count(p); ++i) {
      cell& c = p.cells[i];
      const bool is_special = c.writer.who == unwritten || c.writer.who == forbidden;
      c = cell{{is_special ? c.writer.who : 0, 0}, {}};
    }
  });
}

void claim(std::uintptr_t begin, std::size_t bytes, actor who) {
  const auto* const element = reinterpret_cast<const unsigned char*>(begin);
  const bool has_value =
      std::any_of(element, element + bytes, [](unsigned char b) { return b != unwritten_byte; });
  for (std::uintptr_t a = begin; a < begin + bytes; a = (a | (page_bytes - 1)) + 1) {
    page& p = whole_page(a >> page_bits);
    const actor before = p.cells[(a & (page_bytes - 1)) >> p.shift].writer.who;
    if (before < last_actor || (before == unwritten && has_value))
      set_writers(p, a, begin + bytes, who);
  }
}

void mark(std::uintptr_t begin, std::size_t bytes, actor who) {
  for (std::uintptr_t a = begin; a < begin + bytes; a = (a | (page_bytes - 1)) + 1)
    if (page* const p = table().find(a >> page_bits)) set_writers(*p, a, begin + bytes, who);
}

}  // namespace tandem::checked
