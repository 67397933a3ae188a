// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong functions of transforms, reductions and scans. tests/checks/check_compile_fail.py compiles
// each case.
#include <string>
#include <tuple>
#include <utility>

#include <tandem/tandem.hpp>

using line = tandem::array<float, 1, tandem::serial>;
using matrix = tandem::array<float, 2, tandem::serial>;
const tandem::serial space;

struct point {
  float x, y;
};

float correct_use(const line& x, line& y, line& z) {
  const auto add = [](float a, float b) { return a + b; };
  tandem::transform(space, x, y, y, add);
  tandem::transform(space, x, tandem::tie(y, z), [](float v) { return tandem::make_tuple(v, v); });
  tandem::parallel_scan(space, x, y, tandem::sum{}, tandem::exclusive{0});
  return tandem::parallel_reduce(space, x, tandem::reduction{add, 0.0f});
}

#if CASE == 1
// expect: tandem: transform: f takes one element of each input
void two_arguments_for_one_input(const line& x, line& y) {
  tandem::transform(space, x, y, [](float a, float b) { return a + b; });
}
#endif

#if CASE == 2
// expect: tandem: transform: f takes one element of each input
void one_argument_for_two_inputs(const line& x, line& y) {
  tandem::transform(x, x, y, [](float a) { return a; });
}
#endif

#if CASE == 3
// expect: tandem: transform: f takes one element of each input
void two_arguments_for_one_input_of_two_dimensions(const matrix& x, matrix& y) {
  tandem::transform(space, x, y, [](float a, float b) { return a + b; });
}
#endif

#if CASE == 4
// expect: tandem: transform: f takes one element of each input, by value or const reference
void element_by_reference(const line& x, line& y) {
  tandem::transform(space, x, y, [](float& v) { return v; });
}
#endif

#if CASE == 5
// expect: tandem: transform: f's result does not convert to an element of the output
void text_into_floats(const line& x, line& y) {
  tandem::transform(space, x, y, [](float) { return std::string("text"); });
}
#endif

#if CASE == 6
// expect: tandem: transform: f's result does not convert to an element of the output
void nothing_into_floats(const line& x, line& y) {
  tandem::transform(space, x, y, [](float) {});
}
#endif

#if CASE == 7
// expect: tandem: transform: f's result does not convert .*several results: tie\(outputs..\)
void tuple_into_floats(const line& x, line& y) {
  tandem::transform(space, x, y, [](float v) { return tandem::make_tuple(v, v); });
}
#endif

#if CASE == 8
// expect: tandem: transform: with tie\(outputs..\), f returns a tuple
void one_result_for_two_outputs(const line& x, line& y, line& z) {
  tandem::transform(space, x, tandem::tie(y, z), [](float v) { return v; });
}
#endif

#if CASE == 9
// expect: tandem: transform: with tie\(outputs..\), f returns a tuple .* of one element for each
void three_results_for_two_outputs(const line& x, line& y, line& z) {
  tandem::transform(space, x, tandem::tie(y, z),
                    [](float v) { return tandem::make_tuple(v, v, v); });
}
#endif

#if CASE == 10
// expect: tandem: transform: the output is const
void into_const(const line& x, const line& y) {
  tandem::transform(space, x, y, [](float v) { return v; });
}
#endif

#if CASE == 11
// expect: tandem: many threads call f at the same time, so its call operator is const
void mutable_function(const line& x, line& y) {
  int calls = 0;
  tandem::transform(space, x, y, [calls](float v) mutable { return v + float(++calls); });
}
#endif

#if CASE == 12
// expect: tandem: reduction\{operation, identity\}: the identity is missing
float reduction_without_an_identity(const line& x) {
  return tandem::parallel_reduce(space, x,
                                 tandem::reduction{[](float a, float b) { return a + b; }});
}
#endif

#if CASE == 13
// expect: tandem: reduction\{operation, identity\}: the identity is missing
auto commutative_reduction_without_an_identity() {
  return tandem::commutative_reduction([](float a, float b) { return a + b; });
}
#endif

#if CASE == 14
// expect: tandem: reduction\{operation, identity\}: operation\(a, b\) combines two values
void reduction_with_the_identity_first(const line& x) {
  (void)tandem::parallel_reduce(space, x,
                                tandem::reduction{0.0f, [](float a, float b) { return a + b; }});
}
#endif

#if CASE == 15
// expect: tandem: exclusive\{init\} comes after the scan's operation, .* sum\{\}, exclusive\{0\}
void exclusive_without_an_operation(const line& x, line& y) {
  tandem::parallel_scan(space, x, y, tandem::exclusive{0});
}
#endif

#if CASE == 16
// expect: tandem: a scan's operation combines two elements of y
void scan_by_a_function_of_one(const line& x, line& y) {
  tandem::parallel_scan(space, x, y, [](float v) { return v; });
}
#endif

#if CASE == 17
// expect: tandem: parallel_scan: the operation's type is not the element type of y
void scan_of_another_type(const line& x, line& y) {
  tandem::parallel_scan(space, x, y, tandem::sum<double>{});
}
#endif

#if CASE == 18
// expect: tandem: transform: operands have rank 1 or 2
using cube = tandem::array<float, 3, tandem::serial>;
void transform_of_three_dimensions(const cube& x, cube& y) {
  tandem::transform(space, x, y, [](float v) { return v; });
}
#endif

#if CASE == 19
// expect: tandem: the terms do not convert to the type of the reducer, .* make_tuple\(..\)
void standard_tuples() {
  tandem::parallel_reduce(
      space, 10, [](int i) { return std::make_tuple(i, 2.f); },
      tandem::combined_reducer{tandem::sum{}, tandem::maximum{}});
}
#endif

#if CASE == 20
// expect: tandem: the terms do not convert to the type of the reducer, .* make_tuple\(..\)
void standard_pairs() {
  (void)tandem::parallel_reduce(space, 10, [](int i) { return std::pair<int, int>(i, i); });
}
#endif

#if CASE == 21
// expect: tandem: the accumulator of a reduction or scan is trivially copyable, .*: use numbers
void sum_of_strings() {
  (void)tandem::parallel_reduce(space, 10, [](int) { return std::string("a"); });
}
#endif

#if CASE == 22
// expect: tandem: the terms do not convert to the type of the reducer, .* make_tuple\(..\)
void running_sum_of_strings(line& x) {
  tandem::parallel_scan(
      space, 10, [](int) { return std::string(); }, x);
}
#endif

#if CASE == 23
// expect: tandem: the terms do not convert to the type of the reducer, .* make_tuple\(..\)
void points_without_a_sum(tandem::array<point, 2, tandem::serial>& x,
                          tandem::array<point, 1, tandem::serial>& sums) {
  tandem::parallel_reduce_into(space, x, tandem::axis{0}, tandem::sum{}, sums);
}
#endif

#if CASE == 24
// expect: tandem: the terms do not convert to the type of the reducer, .* make_tuple\(..\)
void segments_of_points(tandem::array<point, 1, tandem::serial>& x,
                        const tandem::array<int, 1, tandem::serial>& offsets) {
  tandem::segmented_scan(space, x, offsets, x);
}
#endif

#if CASE == 25
// expect: tandem: the terms do not convert to the type of the reducer, .* make_tuple\(..\)
void largest_point(const tandem::array<point, 1, tandem::serial>& x) {
  (void)tandem::partial_reduce(space, x, 0, tandem::maxloc{});
}
#endif

#if CASE == 26
// expect: tandem: transform: the operands have different ranks: pass reshape\(y, -1\)
void transform_into_another_rank(const line& x, matrix& y) {
  tandem::transform(space, x, y, [](float v) { return v; });
}
#endif
