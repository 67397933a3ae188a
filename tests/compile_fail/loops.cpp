// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of loops and reductions on a host backend.
#include <memory>
#include <utility>

#include <tandem/tandem.hpp>

const tandem::serial space;

float correct_use(const float* x) {
  return tandem::parallel_reduce(space, 10, [=](int i) { return x[i]; });
}

#if CASE == 1
// expect: tandem: a loop's index is an integer
void index_of_no_integer_type() {
  tandem::parallel_for(space, 10, [=](float) {});
}
#endif

#if CASE == 2
// expect: tandem: parallel_for: over a grid, f takes one index for each dimension
void one_index_for_a_plane() {
  tandem::parallel_for(space, tandem::grid{10, 10}, [=](int) {});
}
#endif

#if CASE == 3
// expect: tandem: parallel_reduce: after f comes a reducer \(sum\{\}, maximum\{\}
float operation_that_is_no_reducer(const float* x) {
  return tandem::parallel_reduce(
      space, 10, [=](int i) { return x[i]; }, [](float) {});
}
#endif

#if CASE == 4
// expect: tandem: parallel_reduce or parallel_scan: f returns its term by value, not void
void reduction_of_nothing() {
  tandem::parallel_reduce(space, 10, [=](int) {});
}
#endif

#if CASE == 5
// expect: the element types differ
void copy_between_types(const tandem::array<float, 1, tandem::serial>& from,
                        tandem::array<double, 1, tandem::serial>& to) {
  tandem::copy(space, from, to);
}
#endif

#if CASE == 6
// expect: cannot reach
void device_memory_on_the_host(
    tandem::view<float, 1, tandem::layout_right, tandem::device_memory> v) {
  tandem::fill(space, v, 0.0f);
}
#endif

#if CASE == 7
// expect: tandem: record: the sequence takes the space to work on
void sequence_without_a_space() {
  tandem::record(space, [] {});
}
#endif

#if CASE == 8
// expect: tandem: many threads call f at the same time, so its call operator is const
void mutable_lambda() {
  int calls = 0;
  tandem::parallel_for(space, 10, [calls](int) mutable { ++calls; });
}
#endif

#if CASE == 9
// expect: tandem: a loop's index is an integer other than bool
void index_of_truth() {
  tandem::parallel_for(space, 2, [](bool) {});
}
#endif

#if CASE == 10
// expect: tandem: f is copied into kernels, so what it holds must be copyable
void function_that_only_moves() {
  auto owned = std::make_unique<int>(1);
  tandem::parallel_for(space, 10, [owned = std::move(owned)](int) {});
}
#endif

#if CASE == 11
// expect: tandem: the accumulator of a reduction or scan has at most 1024 bytes
struct many_sums {
  double each[129];
  friend many_sums operator+(const many_sums& a, const many_sums&) { return a; }
};
void accumulator_too_large() {
  (void)tandem::parallel_reduce(space, 10, [](int) { return many_sums{}; });
}
#endif

#if CASE == 12
// expect: tandem: many threads call f at the same time, so its call operator is const
void mutable_kernel() {
  int calls = 0;
  tandem::parallel_teams(space, {.teams = 1, .lanes = 1},
                         [calls](tandem::team&) mutable { ++calls; });
}
#endif

#if CASE == 13
// expect: tandem: a minimum or maximum of this type has no identity
struct length {
  float metres;
  friend bool operator<(length a, length b) { return a.metres < b.metres; }
  friend bool operator!=(length a, length b) { return a.metres != b.metres; }
};
void minimum_without_limits() {
  (void)tandem::parallel_reduce(
      space, 10, [](int) { return length{1}; }, tandem::minimum<length>{});
}
#endif

#if CASE == 14
// expect: tandem: parallel_for: two numbers before f: write range\{begin, end\}
void two_numbers(int n) {
  tandem::parallel_for(space, 0, n, [](int) {});
}
#endif

#if CASE == 15
// expect: tandem: parallel_for: two numbers before f: write range\{begin, end\}
void two_numbers_on_the_default_space(int n) {
  tandem::parallel_for(0, n, [](int) {});
}
#endif

#if CASE == 16
// expect: there is no reference to add to: 'sum \+= x' becomes 'return x'
void term_added_to_a_reference(const float* x) {
  tandem::parallel_reduce(space, 10, [=](int i, float& sum) { sum += x[i]; });
}
#endif

#if CASE == 17
// expect: tandem: parallel_reduce: after f comes a reducer .*the result is returned
void result_by_reference(const float* x) {
  float result = 0;
  tandem::parallel_reduce(
      space, 10, [=](int i, float& sum) { sum += x[i]; }, result);
}
#endif

#if CASE == 18
// expect in a note: capture_a_view_instead_of_an_array
void array_captured(const tandem::array<float, 1, tandem::serial>& a) {
  tandem::parallel_for(space, 10, [=](int i) { (void)a(i); });
}
#endif

#if CASE == 19
// expect: tandem: all_of, any_of, none_of or count_if: the predicate takes an element
void predicate_of_two(const tandem::array<float, 1, tandem::serial>& a) {
  (void)tandem::count_if(space, a, [](float, float) { return true; });
}
#endif

#if CASE == 20
// expect: tandem: gather or scatter: x and out have one element type
void gather_into_another_type(const tandem::array<float, 1, tandem::serial>& a,
                              const tandem::array<int, 1, tandem::serial>& indices,
                              tandem::array<double, 1, tandem::serial>& out) {
  tandem::gather(space, a, indices, out);
}
#endif

#if CASE == 21
// expect: implicit capture of 'this'
// flags: -Werror=deprecated
class line_of_a_class {
 public:
  void fill() {
    tandem::parallel_for(
        space, 10, TANDEM_LAMBDA(int i) { elements_(i) = 1.0f; });
  }

 private:
  tandem::view<float, 1, tandem::layout_right, tandem::host_memory> elements_;
};
#endif

#if CASE == 22
// expect: tandem: range\{begin, end\} has no step and no third number: with_block\(threads\)
void range_with_a_step() {
  tandem::parallel_for(space, tandem::range{0, 10, 2}, [](int) {});
}
#endif

#if CASE == 23
// expect: tandem: parallel_teams: a kernel takes a team&, for shapes of two and three dimensions
void kernel_of_another_team() {
  tandem::parallel_teams(space, {.teams = 1, .lanes = 1}, [](tandem::team_2d&) {});
}
#endif

#if CASE == 24
// expect: tandem: many threads call f at the same time, so its call operator is const
void mutable_term() {
  int calls = 0;
  (void)tandem::parallel_reduce(space, 10, [calls](int) mutable { return ++calls; });
}
#endif

#if CASE == 25
// expect: tandem: f takes one index for each dimension, or a team&, and then each of the call's
void loop_with_one_argument_too_many(tandem::array<float, 1, tandem::serial>& x) {
  tandem::parallel_for(
      space, 10, [](int, const tandem::view<float>&) {}, x, 1);
}
#endif

#if CASE == 26
// expect: tandem: f takes one index for each dimension, or a team&, and then each of the call's
void term_without_its_arguments(tandem::array<float, 1, tandem::serial>& x) {
  (void)tandem::parallel_reduce(
      space, 10, [](int) { return 1.0f; }, tandem::sum{}, x);
}
#endif

#if CASE == 27
// expect: tandem: many threads call f at the same time, so its call operator is const
void mutable_kernel_with_an_argument() {
  tandem::parallel_teams(
      space, {.teams = 1, .lanes = 1}, [calls = 0](tandem::team&, int) mutable { ++calls; }, 1);
}
#endif

#if CASE == 28
// expect: tandem: copy_if: over indices, the predicate takes one and returns a bool
void list_of_a_plane(tandem::array<int, 1, tandem::serial>& list) {
  tandem::copy_if(
      space, 10, [](int, int) { return true; }, list);
}
#endif

#if CASE == 29
// expect: tandem: indices, columns and offsets are integers
void list_of_floats(tandem::array<float, 1, tandem::serial>& list) {
  tandem::copy_if(
      space, 10, [](int) { return true; }, list);
}
#endif

#if CASE == 30
// expect: tandem: all_of, any_of, none_of or count_if: over indices, the predicate takes one for
bool predicate_of_one_index() {
  return tandem::any_of(space, tandem::grid{3, 3}, [](int) { return true; });
}
#endif

#if CASE == 31
// expect: tandem: arguments of a call are copied into kernels: pass a pointer to what cannot be
void argument_that_cannot_be_copied() {
  tandem::parallel_for(
      space, 10, [](int, const std::unique_ptr<int>&) {}, std::make_unique<int>(3));
}
#endif

#if CASE == 32
// expect: tandem: f takes one index for each dimension, or a team&, and then each of the call's
void list_behind_the_arguments(tandem::array<float, 1, tandem::serial>& x,
                               tandem::array<int, 1, tandem::serial>& list) {
  const auto is_positive = [](int i, tandem::view<const float> v) { return v(i) > 0.0f; };
  tandem::copy_if(space, 10, is_positive, x, list);
}
#endif

#if CASE == 33
// expect: tandem: without_vectors takes n, a range or a grid
void loop_over_elements(tandem::array<float, 1, tandem::serial>& x) {
  tandem::parallel_for(space, tandem::without_vectors(x), [](int) {});
}
#endif

#if CASE == 34
// expect: tandem: a loop's index is an integer other than bool
void count_of_elements_without_them() {
  (void)tandem::count_if(space, 10, [](float v) { return v > 0.0f; });
}
#endif

#if CASE == 35
// expect: tandem: a loop's index is an integer other than bool
void term_of_an_element_without_it() {
  (void)tandem::parallel_reduce(space, 10, [](float v) { return v; });
}
#endif

#if CASE == 36
// expect: tandem: a loop's index is an integer other than bool
void list_of_elements_without_them(tandem::array<int, 1, tandem::serial>& list) {
  tandem::copy_if(
      space, 10, [](float v) { return v > 0.0f; }, list);
}
#endif

#if CASE == 37
// expect: tandem: f takes one index for each dimension, or a team&, and then each of the call's
void pointer_for_a_built_in_array() {
  float weights[3] = {1, 2, 3};
  tandem::parallel_for(
      space, 3, [](int, const float*) {}, weights);
}
#endif

#if CASE == 38
// expect: tandem: f is a lambda or a function object: call a function from a lambda, as in
void store_nothing(int) {}
void loop_of_a_function() { tandem::parallel_for(space, 3, store_nothing); }
#endif
