// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_pack.hpp>
#include <tandem/backends/openmp/matmul_tile.hpp>

#include <type_traits>

namespace tandem::openmp_impl {
namespace {

/// None for integers: their elements hold several terms each.
template <class T>
constexpr void (*row_kernel())(const matmul_row<T>&) {
  if constexpr (std::is_floating_point_v<T>) return multiply_row<T>;
  return nullptr;
}

/// The kernels for micro tiles of Rows x (Vectors * Lanes::lanes) elements.
template <class Lanes, int Rows, int Vectors>
constexpr matmul_kernels<typename Lanes::element> make_matmul_kernels(const char* instruction_set) {
  using T = typename Lanes::element;
  return {.instruction_set = instruction_set,
          .rows = Rows,
          .columns = Vectors * Lanes::lanes,
          .lanes = Lanes::lanes,
          .starts = has_start<Lanes>,
          .multiply = multiply_block<Lanes, Rows, Vectors>,
          .pack_a = pack_lines<T>,
          .pack_b = pack_panels<T, Lanes::lanes, Vectors>,
          .multiply_row = row_kernel<T>()};
}

}  // namespace
}  // namespace tandem::openmp_impl
