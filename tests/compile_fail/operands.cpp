// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong operands, arrays and reducers. tests/checks/check_compile_fail.py compiles each case.
#include <list>
#include <sstream>
#include <utility>
#include <vector>

#include <tandem/print.hpp>
#include <tandem/tandem.hpp>

using line = tandem::array<float, 1, tandem::serial>;
using indices = tandem::array<int, 1, tandem::serial>;
using matrix = tandem::array<float, 2, tandem::serial>;
using device_line = tandem::view<float, 1, tandem::layout_right, tandem::device_memory>;
const tandem::serial space;

line make_line() { return line(10); }

void correct_use(line& x, const line& y, matrix& a) {
  tandem::sort(space, x);
  tandem::copy(space, y, x);
  tandem::copy(space, make_line(), x);
  tandem::matmul(space, a, a, a);
  tandem::parallel_reduce(space, y, tandem::maximum{});
}

#if CASE == 1
// expect: tandem: a view of a temporary array or container would outlive its elements
void sort_of_a_temporary() { tandem::sort(space, make_line()); }
#endif

#if CASE == 2
// expect: tandem: a view of a temporary array or container would outlive its elements
void copy_into_a_temporary(const line& x) { tandem::copy(space, x, std::vector<float>(10)); }
#endif

#if CASE == 3
// expect: tandem: copy: the destination is const
void copy_into_a_const_array(const line& x, const line& y) { tandem::copy(space, x, y); }
#endif

#if CASE == 4
// expect: tandem: sort: operands have one dimension
void sort_of_a_matrix(matrix& a) { tandem::sort(space, a); }
#endif

#if CASE == 5
// expect: tandem: sort: an output has the element type of its input and is not const
void sort_of_a_const_array(const line& x) { tandem::sort(space, x); }
#endif

#if CASE == 6
// expect: tandem: array: the source has elements of another type
line floats_of_doubles(const std::vector<double>& values) { return line(values); }
#endif

#if CASE == 7
// expect: tandem: array: only a space of the device can read memory of a device
line host_array_of_device_memory(const device_line& x) { return line(x); }
#endif

#if CASE == 8
// expect: tandem: the host cannot print memory of a device: print mirror\(space, x\)
void print_of_device_memory(std::ostream& out, const device_line& x) { out << x; }
#endif

#if CASE == 9
// expect: tandem: mirror: only a space of the device can read memory of a device
void mirror_by_a_space_of_the_host(const device_line& x) { (void)tandem::mirror(space, x); }
#endif

#if CASE == 10
// expect: tandem: bitwise operations are for integers
void bits_of_floats(const line& x) {
  (void)tandem::parallel_reduce(space, x, tandem::bitwise_and{});
}
#endif

#if CASE == 11
// expect: tandem: the output of a reduction has elements of the reducer's result type
void float_sum_into_int(const line& x, tandem::array<int, 0, tandem::serial>& out) {
  tandem::parallel_reduce_into(space, x, tandem::sum{}, out);
}
#endif

#if CASE == 12
// expect: tandem: dot: x and y have one element type
void dot_of_two_types(const line& x, const std::vector<double>& y) { tandem::dot(space, x, y); }
#endif

#if CASE == 13
// expect: tandem: subview: one selector for each dimension
void row_of_a_line(const line& x) { (void)tandem::subview(x, 1, tandem::all); }
#endif

#if CASE == 14
// expect: tandem: timeit: f is called without arguments or with the space
void timing_of_a_loop_body() {
  tandem::timeit(space, [](int) {});
}
#endif

#if CASE == 15
// expect: tandem: histogram: the output has one dimension
void counts_of_two_dimensions(const line& x, tandem::array<int, 2, tandem::serial>& counts) {
  tandem::histogram(space, x, {.lo = 0.0f, .hi = 1.0f}, counts);
}
#endif

#if CASE == 16
// expect: tandem: the output of a reduction .* sum\{\} and product\{\} of integers give std::int64
void integer_sums_into_int(indices& keys, indices& values, indices& out) {
  tandem::reduce_by_key(space, keys, values, keys, out);
}
#endif

#if CASE == 17
// expect: tandem: the elements of an operand are in one array, .*std::vector<bool> packs bits
void packed_bools(const std::vector<bool>& x) {
  (void)tandem::count_if(space, x, [](bool b) { return b; });
}
#endif

#if CASE == 18
// expect: tandem: the elements of an operand are in one array
void sum_of_a_list(const std::list<float>& x) { (void)tandem::parallel_reduce(space, x); }
#endif

#if CASE == 19
// expect: tandem: the elements of an operand are in one array
auto array_of_packed_bools(const std::vector<bool>& x) {
  return tandem::array<bool, 1, tandem::serial>(x);
}
#endif

#if CASE == 20
// expect: tandem: an array's elements are trivially copyable, which std::pair
tandem::array<std::pair<int, float>, 1, tandem::serial> pairs(10);
#endif

#if CASE == 21
// expect: tandem: an array's elements are not const
tandem::array<const float, 1, tandem::serial> constants(10);
#endif

#if CASE == 22
// expect in a note: tandem: csr_matrix\{offsets, .*: the number of columns is missing
void matrix_without_a_number_of_columns(indices& at, line& x, line& y) {
  tandem::multiply(space, tandem::csr_matrix{at.view(), at.view(), x.view()}, x, y);
}
#endif

#if CASE == 23
// expect: tandem: multiply: a csr_matrix consists of views
void matrix_of_containers(const std::vector<int>& at, const std::vector<float>& v, line& y) {
  tandem::multiply(space, tandem::csr_matrix{at, at, v, 10}, v, y);
}
#endif

#if CASE == 24
// expect: tandem: csr_matrix: a csr_matrix consists of views, not arrays
void matrix_of_arrays(indices& offsets, indices& columns, line& x, line& y) {
  tandem::multiply(space, tandem::csr_matrix{offsets, columns, x, 10}, x, y);
}
#endif

#if CASE == 25
// expect: tandem: csr_matrix: a csr_matrix consists of views, not arrays
void matrix_with_an_array(indices& at, const line& x) {
  (void)tandem::csr_matrix{at.view(), at.view(), x, 10};
}
#endif

#if CASE == 26
// expect: tandem: histogram: inputs are float, double or integers; count_if counts bools
void counts_of_bools(const tandem::array<bool, 1, tandem::serial>& x, indices& counts) {
  tandem::histogram(space, x, counts);
}
#endif

#if CASE == 27
// expect: tandem: histogram: the output is a view of const
void counts_in_a_const_array(const line& x, const indices& counts) {
  tandem::histogram(space, x, {.lo = 0.0f, .hi = 1.0f}, counts);
}
#endif

#if CASE == 28
// expect: tandem: parallel_scan: y's elements are trivially copyable and not const
void scan_into_a_const_array(const line& x, const line& y) { tandem::parallel_scan(space, x, y); }
#endif
