// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of char as bins, indices and offsets: whether bytes of 128 and more are negative depends
// on the machine; and indices that are no integers. tests/checks/check_compile_fail.py compiles
// each case.
#include <string>
#include <vector>

#include <tandem/tandem.hpp>

const tandem::serial space;
using bytes = std::vector<unsigned char>;
using signed_bytes = std::vector<signed char>;

void correct_use(const bytes& x, const signed_bytes& y, std::vector<int>& counts) {
  tandem::histogram(space, x, counts);
  tandem::histogram(space, y, {.first = -128}, counts);
  tandem::gather(space, counts, x, counts);
  tandem::scatter(space, counts, y, counts);
  tandem::scatter_add(space, x, counts, counts);
}

#if CASE == 1
// expect: tandem: histogram: char is signed on many machines, .* pass unsigned char
void bytes_of_a_string(const std::string& text, std::vector<int>& counts) {
  tandem::histogram(space, text, counts);
}
#endif

#if CASE == 2
// expect: tandem: histogram: char is signed on many machines, .* pass unsigned char
void weights_by_char(const std::vector<char>& x, const std::vector<float>& weights,
                     std::vector<float>& sums) {
  tandem::histogram(space, x, tandem::integer_bins{.first = 0}, weights, sums);
}
#endif

#if CASE == 3
// expect: tandem: histogram: char is signed on many machines, .* pass unsigned char
void chars_between_edges(const std::vector<char>& x, const std::vector<char>& edges,
                         std::vector<int>& counts) {
  tandem::histogram(space, x, edges, counts);
}
#endif

#if CASE == 4
// expect: tandem: indices, columns and offsets: char is signed on some machines only: use unsigned
void gather_by_char(const std::vector<float>& x, const std::vector<char>& indices,
                    std::vector<float>& out) {
  tandem::gather(space, x, indices, out);
}
#endif

#if CASE == 5
// expect: tandem: indices, columns and offsets: char is signed on some machines only: use unsigned
void scatter_add_by_char(const std::string& indices, const std::vector<float>& values,
                         std::vector<float>& out) {
  tandem::scatter_add(space, indices, values, out);
}
#endif

#if CASE == 6
// expect: tandem: indices, columns and offsets: char is signed on some machines only: use unsigned
void segments_by_char(const std::vector<float>& x, const std::vector<char>& offsets,
                      std::vector<float>& out) {
  tandem::segmented_reduce(space, x, offsets, out);
}
#endif

#if CASE == 7
// expect: tandem: indices, columns and offsets: char is signed on some machines only: use unsigned
void columns_of_char(const std::vector<int>& offsets, const std::vector<char>& columns,
                     const std::vector<float>& values, const std::vector<float>& x,
                     std::vector<float>& y) {
  const tandem::csr_matrix a{tandem::as_view(offsets), tandem::as_view(columns),
                             tandem::as_view(values), 100};
  tandem::multiply(space, a, x, y);
}
#endif

#if CASE == 8
// expect: tandem: indices, columns and offsets are integers
void scatter_add_by_floats(const std::vector<float>& indices, const std::vector<float>& values,
                           std::vector<float>& out) {
  tandem::scatter_add(indices, values, out);
}
#endif

#if CASE == 9
// expect: tandem: indices, columns and offsets are integers
void gather_with_the_indices_first(const std::vector<int>& indices, const std::vector<float>& x,
                                   std::vector<float>& out) {
  tandem::gather(space, indices, x, out);
}
#endif

#if CASE == 10
// expect: tandem: indices, columns and offsets are integers
void scatter_add_with_the_values_first(const std::vector<float>& values,
                                       const std::vector<int>& indices, std::vector<float>& out) {
  tandem::scatter_add(space, values, indices, out);
}
#endif
