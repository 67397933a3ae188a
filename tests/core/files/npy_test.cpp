// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers of NumPy's files, as NumPy and others write them, and damaged ones.

#include <tandem/core/files/mapped.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "support/files.hpp"

using namespace tandem::test;
using tandem::mapped;

namespace {

/// Six floats 0, 1, ...
std::string six_floats() {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Writes a header with six floats behind it, and returns what opening it as T says.
template <class T, int Rank>
std::string said_of(const std::string& header, int major = 1) {
  const temporary_folder folder;
  const std::string path = write_file(folder / "x.npy", npy_bytes(header, six_floats(), major));
  return file_error_of([&] { (void)mapped<const T, Rank>(path); });
}

template <class T, int Rank>
std::vector<T> elements_of(const std::string& bytes) {
  const temporary_folder folder;
  const mapped<const T, Rank> file(write_file(folder / "x.npy", bytes));
  return {file.data(), file.data() + file.size()};
}

constexpr const char* as_numpy_writes =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

}  // namespace

TEST_CASE("npy: headers of every version, with keys in any order and any blanks") {
  const std::vector<float> wanted = {0, 1, 2, 3, 4, 5};
  for (const int major : {1, 2, 3}) {
    CAPTURE(major);
    CHECK(elements_of<float, 2>(npy_bytes(as_numpy_writes, six_floats(), major)) == wanted);
  }
  for (const char* const header :
       {"{'shape': (6,), 'descr': '=f4', 'fortran_order': True}",
        "{\"fortran_order\":False,\"descr\":\"<f4\",\"shape\":(6)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6L, ), }  \n"}) {
    CAPTURE(header);
    CHECK(elements_of<float, 1>(npy_bytes(header, six_floats())) == wanted);
  }
  const char* const column = "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 6, 1), }";
  CHECK(elements_of<float, 3>(npy_bytes(column, six_floats())) == wanted);
}

TEST_CASE("npy: a header of version 2 or 3 may be longer than 65535 bytes") {
  const std::string blanks(200000, ' ');
  for (const int major : {2, 3})
    CHECK(elements_of<float, 2>(npy_bytes(as_numpy_writes + blanks, six_floats(), major)).size() ==
          6);
  CHECK(said_of<float, 2>(as_numpy_writes + std::string(1 << 21, ' '), 2) ==
        "mapped: x.npy: has a header of 2097268 bytes, more than 1048576");
}

TEST_CASE("npy: what follows the elements is left alone") {
  CHECK(elements_of<float, 1>(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                                        six_floats())) == std::vector<float>{0, 1});
}

TEST_CASE("npy: types have NumPy's names") {
  using tandem::detail::npy_type;
  CHECK(std::string(npy_type<bool>()) == "|b1");
  CHECK(std::string(npy_type<signed char>()) == "|i1");
  CHECK(std::string(npy_type<std::uint8_t>()) == "|u1");
  CHECK(std::string(npy_type<std::int16_t>()) == "<i2");
  CHECK(std::string(npy_type<std::uint32_t>()) == "<u4");
  CHECK(std::string(npy_type<long>()) == "<i8");
  CHECK(std::string(npy_type<unsigned long long>()) == "<u8");
  CHECK(std::string(npy_type<tandem::half>()) == "<f2");
  CHECK(std::string(npy_type<tandem::bf16>()) == "<V2");
  CHECK(std::string(npy_type<float>()) == "<f4");
  CHECK(std::string(npy_type<double>()) == "<f8");
  CHECK(std::string(npy_type<tandem::complex<float>>()) == "<c8");
  CHECK(std::string(npy_type<std::complex<double>>()) == "<c16");
  CHECK(npy_type<long double>() == nullptr);
  struct point {
    float x, y;
  };
  CHECK(npy_type<point>() == nullptr);
}

TEST_CASE("npy: other types, orders, ranks and lengths are refused in one line") {
  CHECK(said_of<double, 2>(as_numpy_writes) ==
        "mapped: x.npy: has elements of type '<f4', and the program's are '<f8'");
  CHECK(said_of<std::int32_t, 2>(as_numpy_writes) ==
        "mapped: x.npy: has elements of type '<f4', and the program's are '<i4'");
  struct point {
    float x, y;
  };
  CHECK(said_of<point, 2>(as_numpy_writes) ==
        "mapped: x.npy: has elements of type '<f4', and the program's are of a type that NumPy has "
        "not");
  CHECK(said_of<float, 2>("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }") ==
        "mapped: x.npy: has big-endian elements ('>f4'), and those of the processor are '<f4'");
  CHECK(said_of<float, 2>("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }") ==
        "mapped: x.npy: its elements are structs");
  CHECK(said_of<float, 2>("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }") ==
        "mapped: x.npy: its elements are in column-major order (fortran_order), and the program's "
        "in row-major order");
  CHECK(said_of<float, 1>(as_numpy_writes) == "mapped: x.npy: has 2 dimensions, and the program 1");
  CHECK(said_of<float, 2>("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }") ==
        "mapped: x.npy: has 24 bytes of elements, and its header promises 32");
  CHECK(said_of<float, 2>("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, "
                          "4294967296), }") ==
        "mapped: x.npy: has 24 bytes of elements, and its header promises 18446744073709551615");
  CHECK(said_of<float, 2>(as_numpy_writes, 4) ==
        "mapped: x.npy: is of NumPy's format 4.0, which is none of 1.0 to 3.0");
}

TEST_CASE("npy: damaged headers are errors, wherever they end") {
  for (const char* const header :
       {"", "{", "{}", "descr", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (6,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (6,), 'more': '1'}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (6,)}"}) {
    CAPTURE(header);
    CHECK(said_of<float, 1>(header) == "mapped: x.npy: its NumPy header is damaged");
  }
  const std::string whole = npy_bytes(as_numpy_writes, six_floats());
  const temporary_folder folder;
  for (std::size_t bytes = 6; bytes < whole.size(); ++bytes) {
    CAPTURE(bytes);
    const std::string path = write_file(folder / "x.npy", whole.substr(0, bytes));
    CHECK(file_error_of([&] { (void)mapped<const float, 2>(path); }) != "");
  }
  CHECK(file_error_of([&] {
          (void)mapped<const float, 1>(write_file(folder / "x.npy", whole.substr(0, 60)));
        }) == "mapped: x.npy: has 60 bytes, and its header ends at byte 128");
}

TEST_CASE("npy: elements that are not aligned are refused") {
  const temporary_folder folder;
  const auto said_of_length = [&](std::size_t length) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }";
    header.resize(length, ' ');
    const std::string start = std::string("\x93NUMPY\1\0", 8) + static_cast<char>(length) + '\0';
    const std::string path = write_file(folder / "x.npy", start + header + six_floats());
    return file_error_of([&] { (void)mapped<const float>(path); });
  };
  CHECK(said_of_length(58) == "");
  CHECK(said_of_length(59) == "mapped: x.npy: its elements begin at byte 69, no multiple of 4");
}
