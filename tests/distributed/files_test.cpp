// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files as operands, and operands as files: the bits of serial whatever wrote, reads or streams.

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "distributed/support.hpp"
#include "support/files.hpp"

using namespace tandem::test;

namespace {

struct square {
  TANDEM_FUNCTION float operator()(float x) const { return x * x; }
};

/// Adds row i of x to the sum of its row in y, and writes rows back.
struct double_and_add {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Y& y) const {
    y(i) += 2 * x(i);
  }
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
bool same_bytes(const T* a, const T* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

/// A file of random floats.
std::vector<float> write_random(const std::string& path, std::size_t count, std::uint64_t seed) {
  auto values = random_values<float>(count, seed);
  tandem::save(tandem::serial{}, values, path);
  return values;
}

}  // namespace

TEST_CASE_TEMPLATE("mapped: a file larger than the budget is an operand of streamed operations",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial serial;
  const temporary_folder folder;
  const auto values = write_random(folder / "x.npy", large_size, 1);
  const auto others = write_random(folder / "y.raw", large_size, 2);
  const tandem::streamed big(space, {.budget = std::size_t{256} << 10});
  const tandem::mapped<const float> x(folder / "x.npy");
  CHECK(same_bits(tandem::parallel_reduce(big, x), tandem::parallel_reduce(serial, values)));
  std::vector<int> counts(37);
  std::vector<int> wanted_counts(37);
  tandem::histogram(big, x, {.lo = -2, .hi = 2}, counts);
  tandem::histogram(serial, values, {.lo = -2, .hi = 2}, wanted_counts);
  CHECK(counts == wanted_counts);

  std::vector<float> wanted(large_size);
  tandem::transform(serial, values, wanted, square{});
  {
    tandem::mapped<float> squares(folder / "squares.npy", {large_size}, tandem::new_file);
    tandem::transform(big, x, squares, square{});
  }
  const tandem::mapped<const float> squares(folder / "squares.npy");
  CHECK(same_bytes(squares.data(), wanted.data(), large_size));

  std::vector<float> sums = others;
  const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> sums_view(sums.data(),
                                                                                    large_size);
  tandem::parallel_for(serial, large_size, double_and_add{}, tandem::as_view(values), sums_view);
  {
    tandem::mapped<float> y(folder / "y.raw");
    tandem::parallel_for(big, large_size, double_and_add{}, x, y);
  }
  CHECK(read_file(folder / "y.raw") == bytes_of(sums));
}

TEST_CASE_TEMPLATE("save, load: operands of any layout and memory", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const temporary_folder folder;
  const std::string path = folder / "u.npy";
  const std::string turned_path = folder / "turned.npy";
  // Rows below and above the 1 MiB of a buffer, in which columns of several pieces lie.
  for (const auto& sizes : {std::pair<int, int>{1, 1}, {700, 801}, {3, 300007}}) {
    const int rows = sizes.first;  // no bindings: clang 14 captures none
    const int columns = sizes.second;
    CAPTURE(rows);
    const auto values = random_values<float>(static_cast<std::size_t>(rows * columns), 5);
    tandem::array<float, 2, Space> u({rows, columns}, space);
    tandem::copy(space, values, u);
    tandem::save(space, std::as_const(u), path);
    const tandem::mapped<const float, 2> file(path);
    REQUIRE(file.extents() == u.extents());
    CHECK(same_bytes(file.data(), values.data(), values.size()));

    tandem::save(space, tandem::transposed(u), turned_path);
    tandem::array<float, 2, Space, tandem::layout_left> by_columns({columns, rows}, space);
    tandem::load(space, turned_path, by_columns);
    CHECK(first_difference(to_host(space, tandem::transposed(by_columns)), values) == -1);
    const tandem::mapped<const float, 2> turned(turned_path);
    CHECK(same_bits(turned.view()(columns - 1, 0), file.view()(0, columns - 1)));

    tandem::array<float, 2, Space> back({rows, columns}, 0.0f, space);
    tandem::load(space, path, tandem::transposed(tandem::transposed(back)));
    CHECK(first_difference(to_host(space, back), values) == -1);
  }
  tandem::array<double, 3, Space> none({4, 0, 7}, space);
  tandem::save(space, none, path);
  tandem::load(space, path, none);
  tandem::array<double, 3, Space> other({4, 0, 8}, space);
  CHECK_THROWS_AS(tandem::load(space, path, other), tandem::file_error);
}

TEST_CASE_TEMPLATE("save, load: a sharded array's file has the bits of one space for any cut",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const temporary_folder folder;
  const std::string path = folder / "u.npy";
  const auto values = random_values<float>(1003 * 7, 3);
  const tandem::view<const float, 2, tandem::layout_right, tandem::host_memory> whole(values.data(),
                                                                                      {1003, 7});
  tandem::save(tandem::serial{}, whole, folder / "wanted.npy");
  const std::string wanted = read_file(folder / "wanted.npy");
  for_each_cut<Space>(1003, [&](const auto& members, const tandem::cut& where) {
    tandem::array<float, 2, tandem::group<Space>> u({1003, 7}, members, where, tandem::halo{2});
    tandem::copy(members, whole, u);
    members.fence();
    tandem::save(members, u, path);
    CHECK(read_file(path) == wanted);
    tandem::array<float, 2, tandem::group<Space>> v({1003, 7}, -1.0f, members, where);
    tandem::load(members, path, v);
    CHECK(first_difference(tandem::to_vector(members, v), values) == -1);
  });
}

TEST_CASE_TEMPLATE("save, load: three members read what eight wrote, and replicated arrays",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const temporary_folder folder;
  const auto values = random_values<float>(100003, 4);
  const auto eight = tandem::shards<Space>(8);
  const auto three = tandem::shards<Space>(3);
  const std::string path = folder / "u.raw";
  tandem::sharded<float, 1, Space> u({100003}, eight);
  tandem::copy(eight, values, u);
  tandem::save(eight, u, path);
  CHECK(read_file(path) == bytes_of(values));
  tandem::sharded<float, 1, Space> v({100003}, three);
  tandem::load(three, path, v);
  CHECK(first_difference(tandem::to_vector(three, v), values) == -1);
  CHECK(same_bits(tandem::parallel_reduce(three, v),
                  tandem::parallel_reduce(tandem::serial{}, values)));

  tandem::sharded<float, 1, Space> w({100003}, three, tandem::replicated);
  tandem::load(three, path, w);
  for (int p = 0; p < 3; ++p)
    CHECK(first_difference(to_host(three.member(p), w.part(p)), values) == -1);
  tandem::save(three, w, folder / "w.raw");
  CHECK(read_file(folder / "w.raw") == bytes_of(values));
  CHECK_THROWS_AS(tandem::load(three, path, u), tandem::argument_error);
  CHECK_THROWS_AS(tandem::save(eight, w, path), tandem::argument_error);
}

TEST_CASE_TEMPLATE("load: other shapes and types are refused before anything is written", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const temporary_folder folder;
  const std::string path = folder / "u.npy";
  write_random(path, 100, 1);
  tandem::array<float, 1, Space> u({101}, 7.0f, space);
  CHECK(file_error_of([&] { tandem::load(space, path, u); }) ==
        "load: u.npy: its extent 0 is 100, and the program's 101");
  tandem::array<double, 1, Space> wide({100}, 7.0, space);
  CHECK(file_error_of([&] { tandem::load(space, path, wide); }) ==
        "load: u.npy: has elements of type '<f4', and the program's are '<f8'");
  const std::string raw = write_file(folder / "u.raw", "abc");
  CHECK(file_error_of([&] { tandem::load(space, raw, u); }) ==
        "load: u.raw: has 3 bytes, and the program's elements 404");
  CHECK(file_error_of([&] { tandem::load(space, folder / "none", u); }) ==
        "load: none: no such file");
  const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> nothing(nullptr, 100);
  CHECK_THROWS_AS(tandem::load(tandem::serial{}, path, nothing), tandem::argument_error);
  CHECK_THROWS_AS(tandem::save(tandem::serial{}, nothing, path), tandem::argument_error);
  write_file(path, read_file(path).substr(0, 400));
  CHECK(file_error_of([&] { tandem::load(space, path, u); }) ==
        "load: u.npy: its extent 0 is 100, and the program's 101");
  tandem::array<float, 1, Space> fits({100}, 7.0f, space);
  CHECK(file_error_of([&] { tandem::load(space, path, fits); }) ==
        "load: u.npy: has 272 bytes of elements, and its header promises 400");
  CHECK(to_host(space, u) == std::vector<float>(101, 7.0f));
  CHECK(to_host(space, wide) == std::vector<double>(100, 7.0));
  CHECK(to_host(space, fits) == std::vector<float>(100, 7.0f));
}

TEST_CASE_TEMPLATE("save: a full disk leaves the old file as it was, and no other", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const temporary_folder folder;
  const std::string path = folder / "u.npy";
  write_random(path, 100, 1);
  const std::string before = read_file(path);
  tandem::array<float, 1, Space> large({large_size}, 1.0f, space);
  tandem::sharded<float, 1, Space> cut_up({large_size}, 1.0f, tandem::shards<Space>(3));
  {
    const file_size_limit full_disk(3 << 20);
    const std::string said = file_error_of([&] { tandem::save(space, large, path); });
    CHECK(said.starts_with("save: u.npy: cannot write "));
    CHECK(said.ends_with(" bytes at byte 3145728: File too large"));
    const auto members = tandem::shards<Space>(3);
    CHECK(file_error_of([&] { tandem::save(members, cut_up, path); }).ends_with("File too large"));
  }
  CHECK(read_file(path) == before);
  CHECK(folder.count() == 1);
  tandem::save(space, large, path);
  CHECK(tandem::mapped<const float>(path).size() == large_size);
  CHECK(folder.count() == 1);
}

namespace {

/// Reads NAME.npy of a folder, which NumPy wrote if there is one, and saves the elements as
/// NAME.saved.npy.
template <class T, class Space>
void copy_npy(const Space& space, const char* folder, const std::string& name) {
  const temporary_folder own;
  const std::string start = folder == nullptr ? own / name : std::string(folder) + "/" + name;
  if (folder == nullptr) {
    tandem::mapped<T, 2> made(start + ".npy", {5, 3}, tandem::new_file);
    for (int i = 0; i < 15; ++i) made.data()[i] = static_cast<T>(static_cast<float>(i));
  }
  const tandem::mapped<const T, 2> file(start + ".npy");
  REQUIRE(file.size() == 15);
  for (int i = 1; i < 15; ++i) {
    // Bits, since NumPy knows other values of some types: 0 to 14, or false and true.
    const T wanted = static_cast<T>(static_cast<float>(i));
    CHECK(same_bytes(file.data() + i, &wanted, 1));
  }
  tandem::array<T, 2, Space> there({5, 3}, space);
  tandem::load(space, start + ".npy", there);
  tandem::save(space, there, start + ".saved.npy");
  const tandem::mapped<const T, 2> saved(start + ".saved.npy");
  CHECK(same_bytes(file.data(), saved.data(), 15));
}

}  // namespace

// tests/checks/check_npy.py runs this case with files of NumPy's.
TEST_CASE_TEMPLATE("files: NumPy's arrays of every type", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const char* const folder = std::getenv("TANDEM_TEST_NPY");
  copy_npy<bool>(space, folder, "b1");
  copy_npy<std::int8_t>(space, folder, "i1");
  copy_npy<std::uint8_t>(space, folder, "u1");
  copy_npy<std::int16_t>(space, folder, "i2");
  copy_npy<std::uint16_t>(space, folder, "u2");
  copy_npy<std::int32_t>(space, folder, "i4");
  copy_npy<std::uint32_t>(space, folder, "u4");
  copy_npy<std::int64_t>(space, folder, "i8");
  copy_npy<std::uint64_t>(space, folder, "u8");
  copy_npy<tandem::half>(space, folder, "f2");
  copy_npy<float>(space, folder, "f4");
  copy_npy<double>(space, folder, "f8");
  copy_npy<tandem::complex<float>>(space, folder, "c8");
  copy_npy<tandem::complex<double>>(space, folder, "c16");
  if (folder == nullptr) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    if (name.starts_with("version"))
      CHECK(tandem::mapped<const float>(entry.path()).data()[6] == 6);
    if (name.starts_with("refused"))
      CHECK_THROWS_AS((tandem::mapped<const float, 2>(entry.path())), tandem::file_error);
  }
}
