// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong uses of matmul. tests/checks/check_compile_fail.py compiles each case.
#include <tandem/tandem.hpp>

using tandem::device_memory;
using tandem::host_memory;
using tandem::layout_right;
template <class T, class Memory = host_memory>
using matrix = tandem::view<T, 2, layout_right, Memory>;
template <class T, class Memory = host_memory>
using row = tandem::view<T, 1, layout_right, Memory>;

void correct_use(matrix<const tandem::half> a, matrix<float> c, row<float> v) {
  const tandem::serial space;
  const auto relu = tandem::matmul_activation::relu;
  tandem::matmul(space, a, a, c, {.alpha = 2, .epilogue = tandem::bias(v, relu)});
  tandem::matmul(space, a, a, c, {.epilogue = {.activation = relu}}, [](float x) { return -x; });
}

#if CASE == 1
// expect: tandem: matmul: the elements of c are float, double, half, bf16 or std::int32_t
void sums_of_shorts(matrix<short> a) { tandem::matmul(tandem::serial{}, a, a, a); }
#endif

#if CASE == 2
// expect: tandem: matmul: the elements of a, b and c do not fit
void floats_into_half(matrix<float> a, matrix<tandem::half> c) {
  tandem::matmul(tandem::serial{}, a, a, c);
}
#endif

#if CASE == 3
// expect: tandem: matmul: c has rank 2 or 3, a and b have rank 2 or that of c
void a_vector(matrix<float> a, row<float> x) { tandem::matmul(tandem::serial{}, a, x, a); }
#endif

#if CASE == 4
// expect: tandem: matmul: the space cannot reach the memory of a, b or c
void matrix_of_a_device(matrix<float> a, matrix<float, device_memory> b) {
  tandem::matmul(tandem::serial{}, a, b, a);
}
#endif

#if CASE == 5
// expect: tandem: matmul: the space cannot reach the memory of the bias
void bias_of_a_device(matrix<float> a, row<float, device_memory> v) {
  tandem::matmul(tandem::serial{}, a, a, a, {.epilogue = tandem::bias(v)});
}
#endif

#if CASE == 6
// expect: tandem: matmul: a bias has elements of c's type, float for half and bf16
void bias_of_half(matrix<tandem::half> a, row<tandem::half> v) {
  tandem::matmul(tandem::serial{}, a, a, a, {.epilogue = tandem::bias(v)});
}
#endif

#if CASE == 7
// expect: tandem: matmul: f takes an element of c, or its row, its column and the element
void function_of_something_else(matrix<float> a) {
  tandem::matmul(tandem::serial{}, a, a, a, {}, [](const char* x) { return x; });
}
#endif
