// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that do not fit their type. tests/checks/check_compile_fail.py compiles each case.
#include <tandem/tandem.hpp>

#include <cstdint>
#include <functional>
#include <string>

using tandem::host_memory;
template <class T>
using row = tandem::view<T, 1, tandem::layout_right, host_memory>;

const tandem::serial space;

void correct_use(row<std::int64_t> x, row<double> y, row<int> z) {
  const auto add = tandem::reduction{[](double a, double b) { return a + b; }, 0.0};
  (void)tandem::parallel_reduce(space, y, add);
  (void)tandem::parallel_reduce(space, y, tandem::with_initial(tandem::sum{}, 1));
  tandem::parallel_scan(space, x, x, tandem::sum{}, tandem::exclusive{0});
  tandem::parallel_scan(
      space, 10, [=](int i) { return static_cast<int>(x(i)); }, z);
}

#if CASE == 1
// expect: tandem: narrowing: the type of a reduction's identity .* as in reduction\{op, 0.0\}
void doubles_from_an_int(row<double> x) {
  const auto add = tandem::reduction{[](auto a, auto b) { return a + b; }, 0};
  (void)tandem::parallel_reduce(space, x, add);
}
#endif

#if CASE == 2
// expect: tandem: narrowing: a result is stored in a type that does not hold .* return float\(v\)
void wide_terms_in_int(row<std::int64_t> x, row<int> y) { tandem::parallel_scan(space, x, y); }
#endif

#if CASE == 3
// expect: tandem: narrowing: a result is stored in a type that does not hold .* return float\(v\)
void doubles_in_int(row<double> x, row<int> y) {
  tandem::parallel_scan(
      space, 10, [=](int i) { return x(i); }, y);
}
#endif

#if CASE == 4
// expect: tandem: narrowing: a floating-point value is given for integers: cast it
void half_before_integers(row<int> x) {
  tandem::parallel_scan(space, x, x, tandem::sum{}, tandem::exclusive{0.5});
}
#endif

#if CASE == 5
// expect: tandem: narrowing: a floating-point value is given for integers: cast it
void half_added_to_integers(row<int> x) {
  (void)tandem::parallel_reduce(space, x, tandem::with_initial(tandem::sum{}, 0.5));
}
#endif

#if CASE == 6
// expect: tandem: with_initial: the reducer's accumulator is not its result
void initial_value_of_a_ratio(row<float> x) {
  const tandem::finished_reducer half(tandem::sum<float>{}, [](float total) { return total > 1; });
  (void)tandem::parallel_reduce(space, x, tandem::with_initial(half, 0.5f));
}
#endif

#if CASE == 7
// expect: tandem: exclusive: it has the initial value
void two_initial_values(row<float> x) {
  tandem::parallel_scan(space, x, x, tandem::with_initial(tandem::sum{}, 1.0f),
                        tandem::exclusive{0.0f});
}
#endif

#if CASE == 8
// expect: tandem: segmented_scan: an initial value is exclusive\{init\}'s
void initial_value_of_segments(row<float> x, row<int> offsets) {
  tandem::segmented_scan(space, x, offsets, x, tandem::with_initial(tandem::sum{}, 1.0f));
}
#endif

#if CASE == 9
// expect: tandem: narrowing: a floating-point value is given for integers: cast it
void half_in_integers(row<int> x) { tandem::fill(space, x, 0.5); }
#endif

#if CASE == 10
// expect: tandem: narrowing: a floating-point value is given for integers: cast it
void half_steps_of_integers(row<int> x) { tandem::iota(space, x, 0, 0.5); }
#endif

#if CASE == 11
// expect: tandem: narrowing: the type of a reduction's identity .* as in reduction\{op, 0.0\}
void doubles_beside_an_int(row<double> x) {
  const tandem::reduction add{[](auto a, auto b) { return a + b; }, 0};
  (void)tandem::parallel_reduce(space, x, tandem::combined_reducer{tandem::maximum{}, add});
}
#endif

#if CASE == 12
// expect: tandem: narrowing: the type of a reduction's identity .* as in reduction\{op, 0.0\}
void doubles_finished_as_an_int(row<double> x) {
  const tandem::reduction add{[](auto a, auto b) { return a + b; }, 0};
  const tandem::finished_reducer half(add, [](int total) { return 0.5 * total; });
  (void)tandem::parallel_reduce(space, x, half);
}
#endif

#if CASE == 13
// expect: tandem: narrowing: the type of a reduction's identity .* as in reduction\{op, 0.0\}
void doubles_after_an_int(row<double> x) {
  const tandem::reduction add{[](auto a, auto b) { return a + b; }, 0};
  (void)tandem::parallel_reduce(space, x, tandem::with_initial(add, 1));
}
#endif

#if CASE == 14
// expect: tandem: narrowing: the type of a reduction's identity does not hold all terms
void doubles_from_a_float(row<double> x) {
  (void)tandem::parallel_reduce(space, x, tandem::reduction{std::plus<>{}, 0.0f});
}
#endif

#if CASE == 15
// expect: tandem: narrowing: a result is stored in a type that does not hold .* return float\(v\)
void means_as_integers(row<int> x) {
  const auto mean = [](int a, int b) { return 0.5 * (a + b); };
  (void)tandem::parallel_reduce(space, x, tandem::reduction{mean, 0});
}
#endif

#if CASE == 16
// expect: tandem: with_initial: the initial value does not convert to the reducer's type
void string_before_integers(row<int> x) {
  (void)tandem::parallel_reduce(space, x, tandem::with_initial(tandem::sum{}, std::string()));
}
#endif

#if CASE == 17
// expect: tandem: with_initial: .* which is min_max_values for minmax\{\} and value_index
void number_before_a_pair(row<float> x) {
  (void)tandem::parallel_reduce(space, x, tandem::with_initial(tandem::minmax{}, 3.f));
}
#endif

#if CASE == 18
// expect: tandem: narrowing: the type of a reduction's identity .* as in reduction\{op, 0.0\}
auto wide_integers_from_an_int(row<std::int64_t> x) {
  const auto add = [](std::int64_t a, std::int64_t b) { return a + b; };
  const auto total = tandem::parallel_reduce(space, x, tandem::reduction{add, 0});
  return total;
}
#endif

#if CASE == 19
// expect: tandem: parallel_reduce or parallel_scan: f takes the index of each dimension and returns
void kokkos_scan(row<float> x) {
  tandem::parallel_scan(
      space, 10, [](int i, float& sum, bool final) { sum += final ? 1.0f : float(i); }, x);
}
#endif

#if CASE == 20
// expect: tandem: parallel_reduce or parallel_scan: f returns its term by value, not void
void terms_of_nothing(row<float> x) {
  tandem::parallel_scan(
      space, 10, [](int) {}, x);
}
#endif

#if CASE == 21
// expect: tandem: parallel_reduce or parallel_scan: f takes the index of each dimension and returns
void argument_without_operation(row<float> x, row<float> y) {
  tandem::parallel_scan(
      space, 10, [](int i, row<float> v) { return v(i); }, y, x);
}
#endif
