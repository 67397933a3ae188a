// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views and std::mdspan, both ways: algorithms take a std::mdspan as they take an array, and
// functions that take a std::mdspan work on tandem's arrays. <mdspan> is a header of C++23; if the
// standard library lacks it, the program says so and ends as a skipped test.
#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>

#if defined(__cpp_lib_mdspan)
#include <array>
#include <cstddef>

namespace other_library {

/// Writes 10 i + j to the elements of any matrix.
template <class Extents, class Layout>
void number(const std::mdspan<double, Extents, Layout>& matrix) {
  for (std::size_t i = 0; i < matrix.extent(0); ++i) {
    for (std::size_t j = 0; j < matrix.extent(1); ++j)
      matrix[std::array{i, j}] = static_cast<double>(10 * i + j);
  }
}

/// Returns the sum of the first row of any matrix.
template <class T, class Extents, class Layout>
double first_row(const std::mdspan<T, Extents, Layout>& matrix) {
  double sum = 0;
  for (std::size_t j = 0; j < matrix.extent(1); ++j) sum += matrix[std::array{std::size_t{0}, j}];
  return sum;
}

}  // namespace other_library

int main() {
  // Import: the elements of a std::mdspan are copied to the kernels' memory, and the results back.
  std::vector<double> elements(3 * 4);
  const std::mdspan<double, std::dextents<int, 2>> given(elements.data(), 3, 4);
  other_library::number(given);
  tandem::array<double, 2> x(given);
  tandem::transform(
      x, x, TANDEM_LAMBDA(double v) { return 2 * v; });
  tandem::copy(x, given);
  const double doubled = other_library::first_row(given);

  // Export: views of host memory become mdspans, whatever their layout, without a copy.
  tandem::array<double, 2, tandem::serial> table({3, 4});
  other_library::number(tandem::to_mdspan(table));
  const double column = other_library::first_row(tandem::to_mdspan(tandem::transposed(table)));

  std::printf("the first row doubled: %g; the first column: %g\n", doubled, column);
  return doubled == 12 && column == 30 ? 0 : 1;
}

#else

int main() {
  std::puts("skipped: this compiler's standard library has no <mdspan>");
  return 77;  // CTest reports this as skipped
}

#endif
