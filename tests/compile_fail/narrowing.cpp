// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that do not fit the elements of an output. reductions.cpp has those of reductions.
// tests/checks/check_compile_fail.py compiles each case.
#include <tandem/tandem.hpp>

#include <cstdint>

template <class T>
using row = tandem::view<T, 1, tandem::layout_right, tandem::host_memory>;
using matrix = tandem::view<float, 2, tandem::layout_right, tandem::host_memory>;

const tandem::serial space;

enum wide : std::int64_t { wide_value };
enum color { red, green };

void correct_use(row<float> x, row<double> d, row<int> i, row<std::uint8_t> b, row<tandem::half> h,
                 row<bool> t) {
  tandem::transform(space, d, x, [](double v) { return float(v); });
  tandem::transform(space, x, i, [](float v) { return int(v); });
  tandem::transform(space, b, i, [](int v) { return v; });
  tandem::adjacent_difference(space, h, h);
  tandem::parallel_scan(space, b, x);
  tandem::fill(space, x, 0);
  tandem::fill(space, b, 255);
  tandem::fill(space, x, 0.1);
  tandem::iota(space, b, 200, -1);
  tandem::transform(space, x, t, [](float v) { return v != 0; });
  tandem::transform(space, i, t, [](int v) { return v & 4; });
  tandem::transform(space, i, b, [](int v) { return v != 0 ? green : red; });
}

#if CASE == 1
// expect: tandem: narrowing: a result is stored in a type that does not hold .* return float\(v\)
void doubles_into_floats(row<float> x) {
  tandem::transform(space, x, x, [](float v) { return 0.5 * v; });
}
#endif

#if CASE == 2
// expect: tandem: narrowing: a result is stored in a type that does not hold
void floats_into_integers(row<float> x, row<int> y) {
  tandem::transform(space, x, y, [](float v) { return v; });
}
#endif

#if CASE == 3
// expect: tandem: narrowing: a result is stored in a type that does not hold
void wide_integers_into_int(row<std::int64_t> x, row<int> y) {
  tandem::transform(x, x, y, [](std::int64_t a, std::int64_t b) { return a + b; });
}
#endif

#if CASE == 4
// expect: tandem: narrowing: a result is stored in a type that does not hold
void second_result_into_integers(row<float> x, row<float> y, row<int> z) {
  tandem::transform(space, x, tandem::tie(y, z), [](float v) { return tandem::make_tuple(v, v); });
}
#endif

#if CASE == 5
// expect: tandem: narrowing: a result is stored in a type that does not hold
void half_into_integers(row<tandem::half> x, row<int> y) {
  tandem::transform(space, x, y, [](tandem::half v) { return v; });
}
#endif

#if CASE == 6
// expect: tandem: narrowing: a result is stored in a type that does not hold
void differences_of_doubles(row<double> x, row<int> y) { tandem::adjacent_difference(x, y); }
#endif

#if CASE == 7
// expect: tandem: narrowing: a result is stored in a type that does not hold
void half_differences(row<int> x, row<int> y) {
  tandem::adjacent_difference(space, x, y, [](int a, int b) { return 0.5 * (a - b); });
}
#endif

#if CASE == 8
// expect: tandem: narrowing: a result is stored in a type that does not hold
void scan_of_unsigned(row<unsigned> x, row<int> y) { tandem::parallel_scan(space, x, y); }
#endif

#if CASE == 9
// expect: tandem: narrowing: a result is stored in a type that does not hold
void scan_of_wide_integers(row<std::int64_t> x, row<float> y) { tandem::parallel_scan(x, y); }
#endif

#if CASE == 10
// expect: tandem: narrowing: a result is stored in a type that does not hold
void scan_of_doubles(row<double> x, row<float> y) { tandem::parallel_scan(space, x, y); }
#endif

#if CASE == 11
// expect: tandem: narrowing: a result is stored in a type that does not hold
void scan_of_segments(row<double> x, row<int> offsets, row<float> y) {
  tandem::segmented_scan(space, x, offsets, y);
}
#endif

#if CASE == 12
// expect: tandem: narrowing: a result is stored in a type that does not hold
void scan_by_means(row<int> x) {
  tandem::parallel_scan(space, x, x, [](int a, int b) { return 0.5 * (a + b); });
}
#endif

#if CASE == 13
// expect: tandem: narrowing: a result is stored in a type that does not hold
void function_of_a_product(matrix a, matrix b, matrix c) {
  tandem::matmul(space, a, b, c, {}, [](float v) { return 0.5 * v; });
}
#endif

#if CASE == 14
// expect: tandem: copy: the element types differ: transform\(source, destination, f\) converts
void copy_of_doubles(row<double> x, row<float> y) { tandem::copy(space, x, y); }
#endif

#if CASE == 15
// expect: tandem: narrowing: a result is stored in a type that does not hold
void floats_into_bool(row<float> x, row<bool> y) {
  tandem::transform(space, x, y, [](float v) { return v; });
}
#endif

#if CASE == 16
// expect: tandem: narrowing: a result is stored in a type that does not hold
void enumerators_of_64_bits(row<int> x) {
  tandem::transform(space, x, x, [](int) { return wide_value; });
}
#endif

#if CASE == 17
// expect: tandem: narrowing: a floating-point value is given for integers
void bool_of_a_half(row<bool> x) { tandem::fill(space, x, 0.5f); }
#endif

#if CASE == 18
// expect: tandem: narrowing: a result is stored in a type that does not hold
void doubles_into_half(row<double> x, row<tandem::half> y) {
  tandem::transform(space, x, y, [](double v) { return v; });
}
#endif

#if CASE == 19
// expect in a note: cast_the_value_to_the_type_of_the_elements
auto integers_of_one_half() { return tandem::array<int, 1, tandem::serial>({3}, 0.5); }
#endif
