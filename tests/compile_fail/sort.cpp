// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of sorts and selections. tests/checks/check_compile_fail.py compiles each case.
#include <utility>
#include <vector>

#include <tandem/tandem.hpp>

using tandem::host_memory;
using tandem::layout_right;
template <class T>
using row = tandem::view<T, 1, layout_right, host_memory>;

struct point {
  float x, y;
};
struct is_positive {
  bool operator()(float v) const { return v > 0; }
};

void correct_use(row<float> x, row<float> out, row<point> values) {
  const tandem::serial space;
  tandem::sort(space, x);
  tandem::sort_by_key(space, x, values);
  tandem::copy_if(space, x, out, is_positive{});
  (void)tandem::nth_element(space, x, 0);
}

#if CASE == 1
// expect: tandem: sort: keys are float, double or integers of 8 to 64 bits
void keys_without_an_order(row<point> x) { tandem::sort(tandem::serial{}, x); }
#endif

#if CASE == 2
// expect: tandem: sort: an output has the element type of its input and is not const
void sort_of_const(row<const float> x) { tandem::sort(tandem::serial{}, x); }
#endif

#if CASE == 3
// expect: tandem: sort: an output has the element type of its input and is not const
void sort_to_another_type(row<float> x, row<double> out) { tandem::sort(tandem::serial{}, x, out); }
#endif

#if CASE == 4
// expect: tandem: copy_if or unique: x and out have one element type
void selection_to_another_type(row<float> x, row<double> out) {
  tandem::copy_if(tandem::serial{}, x, out, is_positive{});
}
#endif

#if CASE == 5
// expect: tandem: nth_element: elements are float, double or integers of 8 to 64 bits
point rank_without_an_order(row<point> x) { return tandem::nth_element(tandem::serial{}, x, 0); }
#endif

#if CASE == 6
// expect: tandem: sort: keys are .*; sort_by_key moves other values along with them
void sort_of_pairs(std::vector<std::pair<int, int>>& x) { tandem::sort(tandem::serial{}, x); }
#endif
