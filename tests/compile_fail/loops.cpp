// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of loops and reductions on a backend of the host.
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
// expect: no matching function for call to .parallel_reduce
float operation_that_is_no_reducer(const float* x) {
  return tandem::parallel_reduce(
      space, 10, [=](int i) { return x[i]; }, [](float) {});
}
#endif

#if CASE == 4
// expect: tandem: parallel_reduce: f returns its term by value, not void
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
