// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/memory/host_memory.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

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
