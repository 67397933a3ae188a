// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/files/mapped.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "support/files.hpp"

using namespace tandem::test;
using tandem::mapped;
using tandem::new_file;

namespace {

template <class T, int Rank = 1>
std::string said_of(const std::string& path) {
  return file_error_of([&] { (void)mapped<T, Rank>(path); });
}

/// Whether files have permissions for this user: root writes to all.
class ordinary_user {
 public:
  ordinary_user() : before_(geteuid()) {
    if (before_ == 0 && seteuid(65534) != 0) before_ = 1;
  }
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() {
    if (before_ == 0 && seteuid(0) != 0) std::abort();
  }
  static bool is_known() { return geteuid() != 0; }

 private:
  uid_t before_;
};

}  // namespace

static_assert(std::is_same_v<decltype(std::declval<mapped<float, 2>&>().view()),
                             tandem::view<float, 2, tandem::layout_right, tandem::host_memory>>);
static_assert(
    std::is_same_v<decltype(std::declval<const mapped<float>&>().view()),
                   tandem::view<const float, 1, tandem::layout_right, tandem::host_memory>>);
static_assert(
    std::is_same_v<decltype(std::declval<mapped<const float>&>().view()),
                   tandem::view<const float, 1, tandem::layout_right, tandem::host_memory>>);
static_assert(!std::is_copy_constructible_v<mapped<float>>);
static_assert(!std::is_copy_assignable_v<mapped<float>>);
static_assert(!std::is_constructible_v<mapped<const float>, const char*, tandem::extents<1>,
                                       tandem::new_file_t>);

TEST_CASE("mapped: a raw file has as many elements as its size says") {
  const temporary_folder folder;
  const std::vector<std::int16_t> values = {5, -7, 9};
  const std::string bytes(reinterpret_cast<const char*>(values.data()), 6);
  const std::string path = write_file(folder / "x.raw", bytes);
  const mapped<const std::int16_t> file(path);
  CHECK(file.size() == 3);
  CHECK(std::equal(file.begin(), file.end(), values.begin(), values.end()));
  CHECK(file.view()(1) == -7);
  const mapped<const std::int16_t, 2> plane(path, {3, 1});
  CHECK(plane.extent(0) == 3);
  CHECK(plane.view()(2, 0) == 9);
}

TEST_CASE("mapped: writes change the file") {
  const temporary_folder folder;
  const std::string path = write_file(folder / "x.raw", "abcd");
  {
    mapped<char> file(path);
    file.data()[1] = 'X';
    file.view()(3) = 'Y';
    CHECK(read_file(path) == "aXcY");
  }
  CHECK(read_file(path) == "aXcY");
}

TEST_CASE("mapped: a new file is of zeros, has its header by its name, and replaces") {
  const temporary_folder folder;
  const std::string raw = folder / "y.raw";
  {
    mapped<float, 2> file(raw, {3, 5}, new_file);
    CHECK(file.size() == 15);
    CHECK(std::all_of(file.data(), file.data() + 15, [](float v) { return v == 0; }));
    file.view()(2, 4) = 7;
  }
  CHECK(std::filesystem::file_size(raw) == 60);
  CHECK(mapped<const float>(raw).data()[14] == 7);

  const std::string npy = folder / "y.npy";
  for (int n = 0; n < 130; ++n) {
    // Headers of all lengths: each has its alignment and end.
    mapped<std::int32_t, 3> file(npy, {n, 2, n % 10 == 0 ? 100000 : 1}, new_file);
    if (n > 0) file.view()(n - 1, 1, 0) = n;
    const std::string bytes = read_file(npy, 128);
    const auto end = bytes.rfind('\n');
    CHECK((end + 1) % 64 == 0);
    CHECK(bytes[8] == static_cast<char>(end + 1 - 10));
    const mapped<const std::int32_t, 3> again(npy);
    CHECK(again.extents() == file.extents());
    CHECK((n == 0 || again.view()(n - 1, 1, 0) == n));
  }
  CHECK(folder.count() == 2);

  const mapped<const std::int32_t, 3> old(npy);
  mapped<std::int32_t, 3> replaced(npy, {1, 1, 1}, new_file);
  CHECK(old.size() == 258);
  CHECK(old.view()(128, 1, 0) == 129);  // the file that it has mapped lives on
  CHECK(mapped<const std::int32_t, 3>(npy).size() == 1);
}

TEST_CASE("mapped: a new file follows links and keeps permissions") {
  const temporary_folder folder;
  const std::string path = write_file(folder / "x.raw", "abcd");
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  std::filesystem::create_symlink(path, folder / "link.raw");
  mapped<char>(folder / "link.raw", {2}, new_file).data()[0] = 'Z';
  CHECK(std::filesystem::is_symlink(folder / "link.raw"));
  CHECK(read_file(path) == std::string("Z\0", 2));
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("mapped: files without elements") {
  const temporary_folder folder;
  const mapped<float> none;
  CHECK(none.size() == 0);
  CHECK(none.begin() == none.end());
  const mapped<double, 2> file(folder / "none.npy", {0, 7}, new_file);
  CHECK(mapped<const double, 2>(folder / "none.npy").extents() == tandem::extents<2>(0, 7));
  const mapped<double> raw(folder / "none.raw", {0}, new_file);
  CHECK(mapped<const double>(folder / "none.raw", {0}).size() == 0);
  CHECK(said_of<const double>(folder / "none.raw") == "mapped: none.raw: is empty");
}

TEST_CASE("mapped: moves take the mapping along") {
  const temporary_folder folder;
  mapped<char> a(write_file(folder / "a.raw", "abcd"));
  const char* const data = a.data();
  mapped<char> b(std::move(a));
  CHECK(b.data() == data);
  CHECK(a.size() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(a.data() == nullptr);
  mapped<char> c(write_file(folder / "c.raw", "xy"));
  c = std::move(b);
  CHECK(c.size() == 4);
  CHECK(c.data()[3] == 'd');
  CHECK(b.size() == 0);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("mapped: files that cannot be opened") {
  const temporary_folder folder;
  CHECK(said_of<float>(folder / "none.npy") == "mapped: none.npy: no such file");
  CHECK(said_of<float>(folder / "").ends_with(": is a directory"));
  CHECK(said_of<const float>(folder / "").ends_with(": is a directory"));
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(said_of<const float>(folder / "pipe") ==
        "mapped: pipe: is a pipe or a device, and no file");
  CHECK(said_of<const float>("/dev/zero") == "mapped: zero: is a pipe or a device, and no file");
  const std::string path = write_file(folder / "x.raw", "abcdefg");
  CHECK(said_of<const float>(path) ==
        "mapped: x.raw: has 7 bytes, no multiple of the 4 of an element");
  CHECK(said_of<const char, 2>(path) ==
        "mapped: x.raw: is no NumPy file, and has no extents: the program gives 2 of them");
  CHECK(file_error_of([&] {
          (void)mapped<const char, 2>(path, {2, 4});
        }) == "mapped: x.raw: has 7 bytes, and the program's elements 8");
  CHECK_THROWS_AS((void)(mapped<const char, 2>(path, {-1, 4})), tandem::extent_error);
}

TEST_CASE("mapped: files without permission") {
  const temporary_folder folder;
  const std::string path = write_file(folder / "x.raw", "abcd");
  std::filesystem::permissions(folder / "", std::filesystem::perms(0755));
  REQUIRE(chmod(path.c_str(), 0444) == 0);
  const ordinary_user user;
  if (!ordinary_user::is_known()) return;
  CHECK(mapped<const char>(path).size() == 4);
  CHECK(said_of<char>(path) == "mapped: x.raw: no permission to read and write it");
}

TEST_CASE("mapped: files that cannot be created leave nothing behind, and the old one as it was") {
  const temporary_folder folder;
  const std::string path = write_file(folder / "x.npy", "before");
  {
    const file_size_limit full_disk(1 << 20);
    CHECK(file_error_of([&] { (void)mapped<float>(path, {1 << 20}, new_file); }) ==
          "mapped: x.npy: cannot reserve 4194432 bytes: File too large");
  }
  CHECK(read_file(path) == "before");
  CHECK(file_error_of([&] {
          (void)mapped<float>(folder / "no/x.npy", {7}, new_file);
        }).ends_with("beside it: No such file or directory"));
  CHECK(file_error_of([&] {
          (void)mapped<float>(folder / "", {7}, new_file);
        }).ends_with(": is a directory"));
  CHECK(file_error_of([&] { (void)mapped<float>("/dev/null", {7}, new_file); }) ==
        "mapped: null: is a pipe or a device, and no file");
  struct point {
    float x, y;
  };
  CHECK(file_error_of([&] { (void)mapped<point>(path, {7}, new_file); }) ==
        "mapped: x.npy: NumPy has no type for such elements");
  CHECK_THROWS_AS((void)(mapped<float, 2>(path, {-1, 2}, new_file)), tandem::extent_error);
  CHECK(read_file(path) == "before");
  CHECK(folder.count() == 1);
}

TEST_CASE("mapped: no file stays open") {
  const temporary_folder folder;
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  std::vector<mapped<float>> files;
  files.reserve(100);
  for (int i = 0; i < 50; ++i)
    files.emplace_back(folder / "x.npy", tandem::extents<1>(7), new_file);
  for (int i = 0; i < 50; ++i) files.emplace_back(folder / "x.npy");
  CHECK(open_files() == before);
}
