// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that others shorten, lengthen or replace while a program uses them.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <tandem/backends/serial/serial.hpp>

#include "distributed/support.hpp"
#include "support/files.hpp"

using namespace tandem::test;

namespace {

/// serial, which shortens a file after each copy.
class shortening_space : public tandem::serial {
 public:
  explicit shortening_space(const std::string* path = nullptr) : path_(path) {}
  void shorten() const {
    if (path_ != nullptr) std::filesystem::resize_file(*path_, 400);
  }

 private:
  const std::string* path_;
};

void dispatch_copy(const shortening_space& space, const tandem::copy_problem& problem) {
  dispatch_copy(static_cast<const tandem::serial&>(space), problem);
  space.shorten();
}

}  // namespace

TEST_CASE("load: a file that becomes shorter meanwhile is an error, and rows before it are there") {
  const temporary_folder folder;
  const std::string path = folder / "u.raw";
  const auto values = random_values<float>(3000, 1);
  tandem::save(tandem::serial{}, values, path);
  std::vector<shortening_space> spaces;
  for (int p = 0; p < 3; ++p) spaces.emplace_back(p == 1 ? &path : nullptr);
  const tandem::group<shortening_space> members(std::move(spaces));
  tandem::sharded<float, 1, shortening_space> x({3000}, 7.0f, members,
                                                tandem::cut::of({1000, 1000, 1000}));
  CHECK(file_error_of([&] { tandem::load(members, path, x); }) ==
        "load: u.raw: has become shorter: it ends at byte 400, before byte 12000");
  std::vector<float> found(3000);
  for (int p = 0; p < 3; ++p)
    tandem::copy(tandem::serial{}, x.part(p),
                 tandem::subview(found, tandem::slice{1000 * p, 1000 * p + 1000}));
  std::vector<float> wanted(values.begin(), values.begin() + 2000);
  wanted.resize(3000, 7.0f);
  CHECK(found == wanted);
  CHECK(file_error_of([&] { tandem::load(members, path, x); }) ==
        "load: u.raw: has 400 bytes, and the program's elements 12000");
}

TEST_CASE_TEMPLATE("mapped: a file that grows or is replaced keeps its elements", Backend,
                   TANDEM_TEST_BACKENDS) {
  const tandem::streamed big(Backend::make(), {.budget = 1 << 15});
  const temporary_folder folder;
  const std::string path = folder / "u.raw";
  const auto values = random_values<float>(20000, 1);
  const float wanted = tandem::parallel_reduce(tandem::serial{}, values);
  tandem::save(tandem::serial{}, values, path);
  const tandem::mapped<const float> x(path);
  std::filesystem::resize_file(path, 100000);
  CHECK(x.size() == 20000);
  CHECK(same_bits(tandem::parallel_reduce(big, x), wanted));
  // save() writes beside the file and renames, so that it shortens none that is mapped.
  tandem::save(tandem::serial{}, std::vector<float>{1, 2}, path);
  CHECK(same_bits(tandem::parallel_reduce(big, x), wanted));
  CHECK(tandem::mapped<const float>(path).size() == 2);
}
