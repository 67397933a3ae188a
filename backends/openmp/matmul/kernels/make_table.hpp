// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/micro_tile.hpp>
#include <tandem/backends/openmp/matmul/kernels/pack.hpp>

namespace tandem::openmp_impl {
namespace {

/// Returns the naive kernel; null where an element holds several terms.
template <class Lanes, class Form, class T = typename Lanes::element>
constexpr void (*row_kernel())(const matmul_row<T, typename Form::source>&) {
  if constexpr (!has_dot<Lanes>) return multiply_row<Form>;
  return nullptr;
}

/// Returns the kernels for micro tiles of Rows x (Vectors * Lanes::lanes) elements and chunks of
/// `chunk` elements of k. Form reads the elements of a and b.
template <class Lanes, int Rows, int Vectors, class Form = as_is<typename Lanes::element>>
constexpr matmul_kernels<typename Lanes::element, typename Form::source> make_matmul_kernels(
    const char* instruction_set, std::int64_t chunk = matmul_chunk) {
  return {.instruction_set = instruction_set,
          .rows = Rows,
          .columns = Vectors * Lanes::lanes,
          .lanes = Lanes::lanes,
          .chunk = chunk,
          .starts = has_start<Lanes>,
          .multiply = multiply_block<Lanes, Rows, Vectors, false>,
          .multiply_partial = multiply_block<Lanes, Rows, Vectors, true, Form>,
          .pack_a = pack_lines<Form, Lanes::lanes>,
          .pack_b = pack_panels<Form, Lanes::lanes, Vectors>,
          .multiply_row = row_kernel<Lanes, Form>()};
}

}  // namespace
}  // namespace tandem::openmp_impl
