// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of views and arrays. tests/checks/check_compile_fail.py compiles each case.
#include <tandem/tandem.hpp>

using tandem::device_memory;
using tandem::host_memory;
using tandem::layout_right;
template <class T, class Memory = host_memory>
using row = tandem::view<T, 1, layout_right, Memory>;

float correct_use(row<const float> v) { return v(1); }

#if CASE == 1
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float index_of_another_rank(row<float> v) { return v(1, 2); }
#endif

#if CASE == 2
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float too_few_indices(tandem::view<float, 2, layout_right, host_memory> v) { return v(1); }
#endif

#if CASE == 3
// expect: could not convert|no viable conversion
row<float> const_dropped(row<const float> v) { return v; }
#endif

#if CASE == 4
// expect: could not convert|no viable conversion
row<float> device_as_host(row<float, device_memory> v) { return v; }
#endif

#if CASE == 5
// expect: lvalue required as left operand|not assignable
void write_through_const(row<const float> v) { v(0) = 1.0f; }
#endif

#if CASE == 6
// expect: tandem: a rank is from 0 to 6
tandem::extents<7> rank_too_high;
#endif

#if CASE == 7
// expect: tandem: an array's elements are trivially copyable
tandem::array<std::string, 1, tandem::serial> array_of_owners(10);
#endif

#if CASE == 8
// expect: use of deleted function|call to (implicitly-)?deleted
using owner = tandem::array<float, 1, tandem::serial>;
owner array_copied(const owner& a) { return a; }
#endif

#if CASE == 9
// expect: use of deleted function|call to deleted member function
auto view_of_a_temporary() { return tandem::array<float, 1, tandem::serial>(10).view(); }
#endif

#if CASE == 10
// expect: tandem: the memory of an array is aligned to 64 bytes
struct alignas(128) wide_line {
  float values[32];
};
tandem::array<wide_line, 1, tandem::serial> aligned_further(10);
#endif

#if CASE == 11
// expect: tandem: scratch is aligned to 16 bytes
struct alignas(32) wide_word {
  double values[4];
};
void scratch_aligned_further(tandem::team& t) { (void)t.scratch<wide_word>(1); }
#endif

#if CASE == 12
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float row_by_brackets(tandem::view<float, 2, layout_right, host_memory> v) { return v[1][2]; }
#endif

#if CASE == 13
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float too_few_indices_of_an_array(tandem::array<float, 2, tandem::serial>& a) { return a(1); }
#endif

#if CASE == 14
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float row_of_an_array_by_brackets(tandem::array<float, 2, tandem::serial>& a) { return a[1][2]; }
#endif

#if CASE == 15
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float index_that_is_no_integer(row<float> v) { return v("first"); }
#endif

#if CASE == 16
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float fraction_as_index(row<float> v) { return v(1.5); }
#endif

#if CASE == 17
// expect in a note: an_element_has_one_integer_index_for_each_dimension
float fraction_in_brackets(tandem::array<float, 1, tandem::serial>& a) { return a[1.5]; }
#endif
