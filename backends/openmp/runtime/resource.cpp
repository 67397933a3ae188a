// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/runtime/resource.hpp>

#include <sys/mman.h>

#include <tandem/backends/openmp/runtime/policy.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/memory/host_memory.hpp>

namespace tandem {

namespace {

constexpr std::size_t small_page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t alignment_of(std::size_t bytes) {
  return bytes >= openmp_impl::huge_page_bytes ? huge_page : detail::host_alignment;
}

/// First touch: writes once into each page, from the thread whose static partition of a loop over
/// the block contains it.
void touch(unsigned char* block, std::size_t bytes, int threads) {
  openmp_impl::run_parallel(threads, [&](int part, int parts) {
    const openmp_impl::share mine = openmp_impl::share_of(static_cast<index_t>(bytes), part, parts);
    const auto page = static_cast<index_t>(small_page);
    for (index_t at = round_up(mine.begin, page); at < mine.end; at += page) block[at] = 0;
  });
}

}  // namespace

void* openmp_resource::allocate(std::size_t bytes) const {
  void* block = detail::allocate_host("openmp", bytes, alignment_of(bytes));
  if (bytes >= openmp_impl::huge_page_bytes) {
    // Advice only: without huge pages there are more TLB misses.
    madvise(block, bytes / huge_page * huge_page, MADV_HUGEPAGE);
    touch(static_cast<unsigned char*>(block), bytes, openmp(threads_).threads());
  }
  return block;
}

void openmp_resource::deallocate(void* pointer, std::size_t bytes) const noexcept {
  detail::free_host(pointer, alignment_of(bytes));
}

}  // namespace tandem
