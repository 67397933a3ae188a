// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that a GPU cannot run, as nvcc sees them.
#include <tandem/tandem.hpp>

using line = tandem::array<float, 1, tandem::cuda>;
using matrix = tandem::array<float, 2, tandem::cuda>;
using indices = tandem::array<int, 1, tandem::cuda>;
using number = tandem::array<tandem::index_t, 0, tandem::cuda>;
const tandem::cuda space;

float correct_use(line& a) {
  const auto v = a.view();
  return tandem::parallel_reduce(
      space, 10, TANDEM_LAMBDA(int i) { return v(i); });
}

#if CASE == 1
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
// flags: -Werror=all-warnings
void loop(line& a) {
  const auto v = a.view();
  tandem::parallel_for(space, 10, [=](int i) { v(i) = 1.0f; });
}
#endif

#if CASE == 2
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
// flags: -Werror=all-warnings
void map(line& a) {
  tandem::transform(space, a, a, [](float x) { return 2 * x; });
}
#endif

#if CASE == 3
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
tandem::index_t selection(const line& a, line& out) {
  return tandem::copy_if(space, a, out, [](float x) { return x > 0; });
}
#endif

#if CASE == 4
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
void selection_that_counts_on_the_device(const line& a, line& out, number& count) {
  tandem::copy_if_into(
      space, a, out, [](float x) { return x > 0; }, count);
}
#endif

#if CASE == 5
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
void epilogue_of_a_product(const matrix& a, const matrix& b, matrix& c) {
  tandem::matmul(space, a, b, c, {}, [](float x) { return 2 * x; });
}
#endif

#if CASE == 6
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
float operation_of_a_reduction(const line& a) {
  return tandem::parallel_reduce(space, a,
                                 tandem::reduction([](float x, float y) { return x * y; }, 1.0f));
}
#endif

#if CASE == 7
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
void operation_of_a_scan(line& a) {
  tandem::parallel_scan(space, a, a, [](float x, float y) { return x * y; });
}
#endif

#if CASE == 8
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
void operation_of_segments(const line& a, const indices& offsets, line& out) {
  tandem::segmented_reduce(space, a, offsets, out,
                           tandem::reduction([](float x, float y) { return x * y; }, 1.0f));
}
#endif

#if CASE == 9
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
void operation_of_a_segmented_scan(line& a, const indices& offsets) {
  tandem::segmented_scan(space, a, offsets, a, [](float x, float y) { return x * y; });
}
#endif

#if CASE == 10
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
void operation_of_runs(const indices& keys, const line& values, indices& first, line& results) {
  tandem::reduce_by_key(space, keys, values, first, results,
                        tandem::reduction([](float x, float y) { return x * y; }, 1.0f));
}
#endif

#if CASE == 11
// expect: tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA
bool predicate(const line& a) {
  return tandem::all_of(space, a, [](float x) { return x > 0; });
}
#endif

#if CASE == 12
// expect: kernels_read_a_view_and_the_host_a_mirror
void array_captured(const line& a) {
  tandem::parallel_for(
      space, 10, TANDEM_LAMBDA(int i) { (void)a(i); });
}
#endif

#if CASE == 13
// expect: there is no reference to add to: 'sum \+= x' becomes 'return x'
void term_added_to_a_reference(line& a) {
  const auto v = a.view();
  tandem::parallel_reduce(
      space, 10, TANDEM_LAMBDA(int i, float& sum) { sum += v(i); });
}
#endif

#if CASE == 14
// expect: tandem: parallel_reduce or parallel_scan: f returns its term by value, not void
void reduction_of_nothing() { tandem::parallel_reduce(space, 10, TANDEM_LAMBDA(int){}); }
#endif

#if CASE == 15
// expect: tandem: parallel_for: two numbers before f: write range\{begin, end\}
void two_numbers(int n) { tandem::parallel_for(space, 0, n, TANDEM_LAMBDA(int){}); }
#endif

#if CASE == 16
// expect: implicit by-copy capture of "this"
// flags: -Werror=all-warnings
struct line_of_a_class {
  line::view_type elements;
  void fill() const {
    tandem::parallel_for(
        space, 10, TANDEM_LAMBDA(int i) { elements(i) = 1.0f; });
  }
};
#endif
