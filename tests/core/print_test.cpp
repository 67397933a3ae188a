// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts as NumPy 2 prints the same arrays.
#include <doctest/doctest.h>

#include <complex>
#include <iomanip>
#include <sstream>
#include <string>

#include <tandem/print.hpp>
#include <tandem/tandem.hpp>

namespace {

template <class X>
std::string text_of(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

template <int Rank>
tandem::array<int, Rank, tandem::serial> counting(const tandem::extents<Rank>& sizes) {
  tandem::array<int, Rank, tandem::serial> x(sizes);
  int next = 0;
  for (int& v : x) v = next++;
  return x;
}

}  // namespace

TEST_CASE("print: vectors, matrices and what lies above") {
  CHECK(text_of(counting<1>({3})) == "[0 1 2]");
  CHECK(text_of(counting<2>({3, 4})) == "[[ 0  1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 11]]");
  CHECK(text_of(counting<3>({2, 2, 2})) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  const auto x = counting<2>({2, 3});
  CHECK(text_of(tandem::transposed(x)) == "[[0 3]\n [1 4]\n [2 5]]");
  CHECK(text_of(tandem::subview(x, 1, 2)) == "5");
  CHECK(text_of(counting<2>({0, 3})) == "[]");
  CHECK(text_of(tandem::array<float, 1, tandem::serial>()) == "[]");
}

TEST_CASE("print: more than a thousand elements are shown by their edges") {
  const auto thousand = text_of(counting<1>({1000}));
  CHECK(thousand.find("...") == std::string::npos);
  CHECK(text_of(counting<1>({1001})) == "[   0    1    2 ...  998  999 1000]");
  CHECK(
      text_of(counting<2>({600, 2})) ==
      "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1194 1195]\n [1196 1197]\n [1198 1199]]");
  CHECK(text_of(counting<3>({8, 1, 200})).find("]]\n\n ...\n\n [[") != std::string::npos);
}

TEST_CASE("print: long rows go on in the next line") {
  const auto text = text_of(counting<1>({30}));
  CHECK(text ==
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
        " 24 25 26 27 28 29]");
}

TEST_CASE("print: elements take the stream's format, small types are numbers") {
  const auto x = tandem::array<double, 1, tandem::serial>::of({1.0 / 3, -2});
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << x;
  CHECK(out.str() == "[ 0.33 -2.00]");
  CHECK(text_of(tandem::array<unsigned char, 1, tandem::serial>::of({65, 200})) == "[ 65 200]");
  CHECK(text_of(tandem::array<tandem::half, 1, tandem::serial>::of({tandem::half(1.5f)})) ==
        "[1.5]");
  const tandem::view<const float, 1, tandem::layout_right, tandem::host_memory> none(nullptr, {3});
  CHECK_THROWS_AS(text_of(none), tandem::argument_error);
}

#if defined(__cpp_lib_format)
TEST_CASE("print: std::format passes its specification to the elements") {
  const auto x = tandem::array<double, 1, tandem::serial>::of({1.0 / 3, -2});
  CHECK(std::format("x = {:.2f}", x) == "x = [ 0.33 -2.00]");
  CHECK(std::format("{}", counting<2>({2, 2})) == "[[0 1]\n [2 3]]");
}
#endif

TEST_CASE_TEMPLATE("print: complex numbers have the signs and the j of NumPy", C,
                   tandem::complex<float>, tandem::complex<double>, std::complex<double>) {
  const auto x = tandem::array<C, 1, tandem::serial>::of({C(1, 2), C(-1.5f, -0.25f), C(0, 10)});
  CHECK(text_of(x) == "[      1+2j -1.5-0.25j      0+10j]");
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << x;
  CHECK(out.str() == "[ 1.00+2.00j -1.50-0.25j 0.00+10.00j]");
}
