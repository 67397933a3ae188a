// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/memory/host_memory.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

using namespace tandem::detail;

namespace {

/// A file with this text, which exists during the object's lifetime.
class text_file {
 public:
  explicit text_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("tandem_host_allocation_" + std::to_string(getpid()))) {
    std::ofstream(path_) << text;
  }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  ~text_file() { std::filesystem::remove(path_); }
  const char* path() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("host memory: numbers by their names, as the system writes them") {
  const text_file file(
      "MemTotal:       24000000 kB\nMemAvailable:   12345678 kB\nfile 7\n"
      "inactive_file 4096\nactive_file x\n");
  CHECK(number_named(file.path(), "MemAvailable:") == 12345678);
  CHECK(number_named(file.path(), "inactive_file") == 4096);
  CHECK(number_named(file.path(), "file") == 7);
  CHECK(number_named(file.path(), "active_file") == 0);
  CHECK(number_named(file.path(), "Mem") == 0);
  CHECK(number_named("/no/such/file", "file") == 0);
}

TEST_CASE("host memory: elements of scratch have the values that their type begins with") {
  struct counter {
    int value = 7;
  };
  const host_scratch<counter> scratch("a test", 100);
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += scratch[i].value;
  CHECK(sum == 700);
}

TEST_CASE("host memory: no file stays open") {
  const auto open_files = [] {
    const std::filesystem::directory_iterator list("/proc/self/fd");
    return std::distance(begin(list), end(list));
  };
  const auto before = open_files();
  for (int i = 0; i < 100; ++i) (void)free_host_bytes();
  CHECK(open_files() < before + 100);
}

TEST_CASE("host memory: a limit is a number, and none where it says max") {
  CHECK(number_in(text_file("8589934592\n").path()) == std::size_t{1} << 33);
  CHECK(number_in(text_file("max\n").path()) == SIZE_MAX);
  CHECK(number_in("/no/such/file") == SIZE_MAX);
}

TEST_CASE("host memory: the limit of the address space is the soft one of a table of limits") {
  CHECK(address_space_limit(text_file("Limit                     Soft Limit           Hard Limit\n"
                                      "Max data size             unlimited            unlimited\n"
                                      "Max address space         2097152000           unlimited\n")
                                .path()) == 2097152000);
  CHECK(address_space_limit(
            text_file("Max address space         unlimited            7\n").path()) == SIZE_MAX);
  CHECK(address_space_limit("/no/such/file") == SIZE_MAX);
}

TEST_CASE("host memory: the error names a limit of the address space that binds") {
  const tandem::out_of_memory_error plain("a test", 10, 9);
  CHECK(std::string(plain.what()) == "a test: out of memory: asked for 10 bytes, 9 bytes free");
  CHECK(plain.limit() == 0);
  const std::string longest(200, 'x');
  const tandem::out_of_memory_error limited(longest, SIZE_MAX, SIZE_MAX, SIZE_MAX);
  CHECK(limited.what() == longest.substr(0, 96) +
                              ": out of memory: asked for 18446744073709551615 bytes, "
                              "18446744073709551615 bytes free of the 18446744073709551615 bytes "
                              "of address space that ulimit -v allows");
  try {
    fail_memory("array", limited);
  } catch (const tandem::out_of_memory_error& e) {
    CHECK(e.limit() == SIZE_MAX);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("host memory: ulimit -v is what an allocation beyond it reports") {
  const std::size_t used = number_named("/proc/self/status", "VmSize:") * 1024;
  if (used == 0 || used > (std::size_t{1} << 40)) return;  // not Linux, or a sanitizer's shadow
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit lower = before;
  lower.rlim_cur = used + (std::size_t{64} << 20);
  REQUIRE(setrlimit(RLIMIT_AS, &lower) == 0);
  std::string said;
  std::size_t limit = 0;
  try {
    free_host(allocate_host("a test", std::size_t{100} << 20));
  } catch (const tandem::out_of_memory_error& e) {
    said = e.what();
    limit = e.limit();
  }
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(limit == lower.rlim_cur);
  CHECK(said.ends_with("of the " + std::to_string(limit) +
                       " bytes of address space that ulimit -v allows"));
}
#endif

TEST_CASE("host memory: more than there is cannot be had, and the error says what there was") {
  CHECK(free_host_bytes() > 0);
  for (const std::size_t bytes : {std::size_t{1} << 49, SIZE_MAX - 8, SIZE_MAX}) {
    CAPTURE(bytes);
    try {
      allocate_host("a test", bytes);
      FAIL("was allocated");
    } catch (const tandem::out_of_memory_error& e) {
      CHECK(e.asked() == bytes);
      CHECK(e.free() < bytes);
    }
  }
  CHECK(allocate_host("a test", 0) == nullptr);
}
