// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_pack.hpp>
#include <tandem/backends/openmp/matmul_tile.hpp>

namespace tandem::openmp_impl {
namespace {

/// The kernels for micro tiles of Rows x (Vectors * Lanes::lanes) elements.
template <class Lanes, int Rows, int Vectors>
constexpr matmul_kernels<typename Lanes::element> make_matmul_kernels(const char* instruction_set) {
  using T = typename Lanes::element;
  return {.instruction_set = instruction_set,
          .rows = Rows,
          .columns = Vectors * Lanes::lanes,
          .lanes = Lanes::lanes,
          .multiply = multiply_block<Lanes, Rows, Vectors>,
          .pack_a = pack_lines<T>,
          .pack_b = pack_panels<T, Lanes::lanes, Vectors>,
          .multiply_row = multiply_row<T>};
}

}  // namespace
}  // namespace tandem::openmp_impl
