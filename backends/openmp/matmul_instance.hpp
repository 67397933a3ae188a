// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_pack.hpp>
#include <tandem/backends/openmp/matmul_tile.hpp>

namespace tandem::openmp_impl {
namespace {

/// None where an element holds several terms.
template <class Lanes, class T = typename Lanes::element>
constexpr void (*row_kernel())(const matmul_row<T>&) {
  if constexpr (!has_dot<Lanes>) return multiply_row<T>;
  return nullptr;
}

/// The kernels for micro tiles of Rows x (Vectors * Lanes::lanes) elements, `chunk` of which are
/// one chunk of k.
template <class Lanes, int Rows, int Vectors>
constexpr matmul_kernels<typename Lanes::element> make_matmul_kernels(
    const char* instruction_set, std::int64_t chunk = kernel_chunk) {
  using T = typename Lanes::element;
  return {.instruction_set = instruction_set,
          .rows = Rows,
          .columns = Vectors * Lanes::lanes,
          .lanes = Lanes::lanes,
          .chunk = chunk,
          .starts = has_start<Lanes>,
          .multiply = multiply_block<Lanes, Rows, Vectors, false>,
          .multiply_piece = multiply_block<Lanes, Rows, Vectors, true>,
          .pack_a = pack_lines<T>,
          .pack_b = pack_panels<T, Lanes::lanes, Vectors>,
          .multiply_row = row_kernel<Lanes>()};
}

}  // namespace
}  // namespace tandem::openmp_impl
