// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a compiler says of a call of a mathematical function that takes other arguments: one line
// instead of every candidate. An ellipsis is the worst match there is, so no call that a function
// takes comes here, nor one that the C library's function takes after `using namespace tandem`. The
// integer in front leaves &tandem::sin<float> to the function.

namespace tandem {

namespace detail {

/// Parameters that nobody passes: compilers print their names when they refuse a call.
struct arguments_have_one_type_cast_one_to_that_of_the_other {};
struct arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others {};
struct the_argument_is_a_number_or_a_complex_number {};

}  // namespace detail

template <int = 0, class Form = detail::the_argument_is_a_number_or_a_complex_number>
void abs(...) = delete;

template <int = 0, class Form = detail::arguments_have_one_type_cast_one_to_that_of_the_other>
void ceil_div(...) = delete;
template <int = 0, class Form = detail::arguments_have_one_type_cast_one_to_that_of_the_other>
void clamp(...) = delete;
template <int = 0, class Form = detail::arguments_have_one_type_cast_one_to_that_of_the_other>
void max(...) = delete;
template <int = 0, class Form = detail::arguments_have_one_type_cast_one_to_that_of_the_other>
void min(...) = delete;
template <int = 0, class Form = detail::arguments_have_one_type_cast_one_to_that_of_the_other>
void round_up(...) = delete;

template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void acos(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void asin(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void atan(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void atan2(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void cbrt(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void ceil(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void copysign(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void cos(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void cosh(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void erf(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void erfc(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void exp(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void exp2(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void expm1(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void floor(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void fma(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void fmod(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void gelu(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void hypot(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void log(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void log10(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void log1p(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void log2(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void nearbyint(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void pow(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void rint(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void round(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void rsqrt(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void sin(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void sincos(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void sinh(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void sqrt(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void tan(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void tanh(...) = delete;
template <int = 0,
          class Form = detail::arguments_are_float_double_half_or_bf16_and_of_one_type_cast_others>
void trunc(...) = delete;

}  // namespace tandem
