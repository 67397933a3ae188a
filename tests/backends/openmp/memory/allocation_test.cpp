// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tandem/backends/openmp/runtime/policy.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/tandem.hpp>

using tandem::index_t;
using tandem::openmp_impl::huge_page_bytes;

namespace {

using bytes_array = tandem::array<unsigned char, 1, tandem::openmp>;

bytes_array allocate(std::size_t bytes) {
  return bytes_array(tandem::extents<1>(bytes), tandem::openmp(4));
}

std::uintptr_t address_of(const bytes_array& x) {
  return reinterpret_cast<std::uintptr_t>(x.data_handle());
}

/// Returns the system's flags of the mapping that holds an address, as "rd wr hg ..", or an empty
/// string if it does not tell.
std::string mapping_flags(std::uintptr_t address) {
  std::ifstream file("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    if (words >> std::hex >> first >> dash >> end && dash == '-')
      inside = first <= address && address < end;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8) + ' ';
  }
  return {};
}

/// Whether this system, which may be an emulator, has huge pages and reports madvise flags.
bool notes_advice() {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  void* const block =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  const bool taken = madvise(block, bytes, MADV_HUGEPAGE) == 0;
  const std::string flags = mapping_flags(reinterpret_cast<std::uintptr_t>(block));
  munmap(block, bytes);
  return taken && flags.find(" hg ") != std::string::npos;
}

}  // namespace

TEST_CASE("openmp memory: arrays begin with a line of 64 bytes, large ones with a huge page") {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{63}, std::size_t{65},
                                  std::size_t{5000}, std::size_t{1} << 20, huge_page_bytes - 1}) {
    const auto first = allocate(bytes);
    const auto second = allocate(bytes);
    CAPTURE(bytes);
    CHECK(address_of(first) % 64 == 0);
    CHECK(address_of(second) % 64 == 0);
  }
  CHECK(address_of(allocate(huge_page_bytes)) % (std::size_t{2} << 20) == 0);
  CHECK(address_of(allocate(huge_page_bytes + 12345)) % (std::size_t{2} << 20) == 0);
}

TEST_CASE("openmp memory: huge pages are asked for from 8 MB on") {
  CHECK(huge_page_bytes <= std::size_t{8} << 20);
  if (!notes_advice()) return;
  const auto x = allocate(huge_page_bytes);
  const std::string flags = mapping_flags(address_of(x) + 1);
  CAPTURE(flags);
  CHECK(flags.find(" hg ") != std::string::npos);
}

TEST_CASE("openmp memory: every page of a large array is there before it is used") {
  const std::size_t bytes = 3 * huge_page_bytes + 777;
  auto x = allocate(bytes);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  REQUIRE(mincore(x.data_handle(), bytes, resident.data()) == 0);
  std::size_t missing = 0;
  for (const unsigned char state : resident) missing += (state & 1) == 0;
  CHECK(missing == 0);
}

TEST_CASE("openmp memory: shares of the first touch are those of a static loop") {
  for (const index_t n : {1, 2, 7, 64, 1000, 1003}) {
    for (const int threads : {1, 2, 3, 5}) {
      std::vector<int> owner(static_cast<std::size_t>(n), -1);
      int parts = 0;
#pragma omp parallel num_threads(threads)
      {
#pragma omp single
        parts = omp_get_num_threads();
#pragma omp for schedule(static)
        for (index_t i = 0; i < n; ++i) owner[static_cast<std::size_t>(i)] = omp_get_thread_num();
      }
      index_t right = 0;
      for (int part = 0; part < parts; ++part) {
        const auto mine = tandem::openmp_impl::share_of(n, part, parts);
        for (index_t i = mine.begin; i < mine.end; ++i)
          right += owner[static_cast<std::size_t>(i)] == part;
      }
      CAPTURE(n);
      CAPTURE(parts);
      CHECK(right == n);
    }
  }
}

TEST_CASE("openmp memory: room for a call that the system cannot give is refused by name") {
  using tandem::openmp_impl::scratch;
  using tandem::openmp_impl::small_scratch;
  constexpr index_t count = index_t{1} << 46;
  CHECK_THROWS_AS(scratch<double>{count}, tandem::out_of_memory_error);
  CHECK_THROWS_AS(small_scratch<double>{count}, tandem::out_of_memory_error);
  try {
    const scratch<double> room(count);
    FAIL("2^49 bytes were allocated");
  } catch (const tandem::out_of_memory_error& e) {
    CHECK(e.asked() == std::size_t{1} << 49);
    CHECK(e.free() < e.asked());
  }
  const scratch<double> room(1000);
  room[999] = 1;
  CHECK(room[999] == 1);
}
