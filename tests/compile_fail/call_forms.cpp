// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that no overload takes, in forms that users know from other libraries or in a different
// order.
#include <ostream>
#include <utility>

#include <tandem/tandem.hpp>

using line = tandem::array<float, 1, tandem::serial>;
using matrix = tandem::array<float, 2, tandem::serial>;
const tandem::serial space;

template <class... Argument>
concept loops_over = requires(Argument... argument) { tandem::parallel_for(argument...); };
static_assert(loops_over<tandem::serial, int, void (*)(int)> && !loops_over<float, int>);

float correct_use(line& x) {
  tandem::fill(space, x, 1.0f);
  return tandem::parallel_reduce(space, x, tandem::sum{});
}

#if CASE == 1
// expect in a note: parallel_for_takes_indices_and_then_a_function
void loop_with_f_first() {
  tandem::parallel_for([](int) {}, 10);
}
#endif

#if CASE == 2
// expect in a note: transform_takes_inputs_then_an_output_then_a_function
void transform_with_f_first(line& x) {
  tandem::transform(
      space, [](float v) { return v; }, x, x);
}
#endif

#if CASE == 3
// expect: tandem: parallel_reduce: after f comes a reducer .*the result is returned
void result_by_reference_on_the_default_space(const float* x) {
  float result = 0;
  tandem::parallel_reduce(
      10, [=](int i, float& sum) { sum += x[i]; }, result);
}
#endif

#if CASE == 4
// expect: tandem: parallel_reduce: after f comes a reducer
void reducer_before_f() {
  tandem::parallel_reduce(10, tandem::sum{}, [](int i) { return i; });
}
#endif

#if CASE == 5
// expect in a note: parallel_reduce_takes_indices_and_a_function_or_an_operand_and_then_a_reducer
void operation_of_elements(const line& x) {
  tandem::parallel_reduce(space, x, [](float a, float b) { return a * b; });
}
#endif

#if CASE == 6
// expect in a note: copy_if_takes_x_out_and_a_predicate_or_indices_a_predicate_and_out
void predicate_before_the_output(const line& x, line& y) {
  tandem::copy_if(
      space, x, [](float v) { return v > 0; }, y);
}
#endif

#if CASE == 7
// expect in a note: fill_takes_an_operand_and_then_a_value
void value_first(line& x) { tandem::fill(space, 0.0f, x); }
#endif

#if CASE == 8
// expect in a note: fill_random_takes_an_operand_then_a_distribution_then_a_seed
void no_seed(line& x) { tandem::fill_random(space, x, tandem::normal{}); }
#endif

#if CASE == 9
// expect in a note: histogram_takes_values_then_bins_then_counts
void numpy_histogram(const line& x, tandem::array<int, 1, tandem::serial>& counts) {
  tandem::histogram(space, x, 150, -4.0f, 4.0f, counts);
}
#endif

#if CASE == 10
// expect in a note: matmul_takes_a_and_b_and_then_the_product_c
void product_returned(const matrix& a) { tandem::matmul(space, a, a); }
#endif

#if CASE == 11
// expect in a note: sort_takes_keys_and_then_sort_order_ascending_or_descending
void sort_of_a_range(line& x) { tandem::sort(x.begin(), x.end()); }
#endif

#if CASE == 12
// expect in a note: parallel_scan_takes_an_input_then_an_output_then_an_operation
void scan_with_the_operation_first(line& x) { tandem::parallel_scan(space, tandem::sum{}, x, x); }
#endif

#if CASE == 13
// expect in a note: copy_takes_the_source_and_then_the_destination
void copy_of_one_operand(const line& x) { tandem::copy(space, x); }
#endif

#if CASE == 14
// expect in a note: any_space_visit_calls_a_function_with_the_space
void loop_on_any_space(const tandem::any_space& any) {
  tandem::parallel_for(any, 10, [](int) {});
}
#endif

#if CASE == 15
// expect in a note: extents_are_integers_in_braces_and_elements_listed_by_of
line elements_in_braces() { return line{1, 2, 3}; }
#endif

#if CASE == 16
// expect in a note: extents_are_integers_in_braces_and_elements_listed_by_of
matrix extents_and_a_value() { return matrix(3, 4, 0.0f); }
#endif

#if CASE == 17
// expect: printing_takes_include_tandem_print_hpp|overload resolution selected deleted operator
void printed_without_its_header(std::ostream& out, const line& x) { out << x; }
#endif

#if CASE == 18
// expect in a note: parallel_reduce_into_takes_terms_then_an_axis_if_any_then_a_reducer
void number_for_an_axis(const matrix& a, line& out) {
  tandem::parallel_reduce_into(space, a, 1, tandem::sum{}, out);
}
#endif

#if CASE == 19
// expect in a note: predicates_come_after_their_operand_or_indices
void predicate_first(const line& x) {
  (void)tandem::count_if(
      space, [](float v) { return v > 0; }, x);
}
#endif

#if CASE == 20
// expect in a note: iota_takes_an_output_then_the_first_value_then_a_step
void arange() { tandem::iota(10); }
#endif

#if CASE == 21
// expect in a note: gather_takes_an_input_then_indices_then_an_output
void take(const line& x) { tandem::gather(space, x); }
#endif

#if CASE == 22
// expect in a note: scatter_takes_an_input_then_indices_then_an_output
void put(const line& x) { tandem::scatter(space, x); }
#endif

#if CASE == 23
// expect in a note: unique_takes_an_input_and_then_an_output
void unique_in_place(line& x) { tandem::unique(space, x); }
#endif

#if CASE == 24
// expect in a note: parallel_teams_takes_a_team_shape_in_braces_teams_then_lanes_and_then_a_kernel
void two_numbers_of_teams() {
  tandem::parallel_teams(4, 64, [](tandem::team&) {});
}
#endif

#if CASE == 25
// expect in a note: reduce_by_key_takes_keys_then_values_then_an_output_for_each_then_a_reducer
void sums_returned(const line& x) { tandem::reduce_by_key(space, x, x); }
#endif

#if CASE == 26
// expect in a note: dot_takes_two_operands
void dot_of_one(const line& x) { tandem::dot(space, x); }
#endif

#if CASE == 27
// expect in a note: segmented_reduce_takes_an_input_then_offsets_then_an_output_then_a_reducer
void segments_without_an_output(const line& x) { tandem::segmented_reduce(space, x, x); }
#endif

#if CASE == 28
// expect in a note: resize_takes_an_array_and_then_extents_in_braces
void resize_by_two_numbers(matrix& a) { tandem::resize(space, a, 3, 4); }
#endif

#if CASE == 29
// expect in a note: arguments_have_one_type_cast_one_to_that_of_the_other
auto maximum_of_two_types() { return tandem::max(1.0f, 2.0); }
#endif

#if CASE == 30
// expect in a note: arguments_have_one_type_cast_one_to_that_of_the_other
auto minimum_of_two_integers(tandem::index_t n) { return tandem::min(n, 3); }
#endif

#if CASE == 31
// expect in a note: arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others
auto root_of_an_integer() { return tandem::sqrt(2); }
#endif

#if CASE == 32
// expect in a note: arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others
auto integer_power(float x) { return tandem::pow(x, 2); }
#endif

#if CASE == 33
// expect in a note: cast_the_value_to_the_type_of_the_elements
auto float_for_half() { return tandem::array<tandem::half, 1, tandem::serial>({3}, 0.5f); }
#endif

#if CASE == 34
// expect in a note: extents_are_integers_in_braces_and_elements_listed_by_of
matrix one_extent_of_two() { return matrix(3); }
#endif

#if CASE == 35
// expect in a note: extents_are_integers_in_braces_and_elements_listed_by_of
matrix one_extent_in_braces() { return matrix({3}, 1.0f); }
#endif

#if CASE == 36
// expect in a note: extents_are_integers_in_braces_and_elements_listed_by_of
matrix extents_and_a_space() { return matrix(3, 4, space); }
#endif

#if CASE == 37
// expect in a note: extents_are_integers_in_braces_and_elements_listed_by_of
line half_an_extent() { return line(2.5); }
#endif

#if CASE == 38
// expect: would use explicit constructor|chosen constructor is explicit
line elements_for_an_extent_and_a_value() {
  line x = {7, 1};
  return x;
}
#endif

#if CASE == 39
// expect in a note: with_initial_takes_a_reducer_and_then_the_initial_value
void initial_value_first(const line& x) {
  (void)tandem::parallel_reduce(space, x, tandem::with_initial(3.f, tandem::sum{}));
}
#endif

#if CASE == 40
// expect in a note: subview_takes_an_index_a_slice_or_all_for_each_dimension
void pair_for_a_slice(const line& x) { (void)tandem::subview(x, std::pair{0, 3}); }
#endif

#if CASE == 41
// expect in a note: the_argument_is_a_number_or_a_complex_number
auto magnitude_of_a_string() { return tandem::abs("a"); }
#endif
