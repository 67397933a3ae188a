// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <cstdint>

namespace tandem::cuda_impl {

/// Blocks of a grid along y and along z: parts of k and matrices of a batch that one launch takes.
inline constexpr index_t matmul_grid_limit = 65535;

/// Whether a run of 16 bytes along a row of c can always be written as one.
template <class T, class In>
bool rows_are_vectorizable(const matmul_arguments<T, In>& c, index_t batch) {
  constexpr index_t width = vector_width<T>;
  return c.c_column == 1 && (c.m == 1 || c.c_row % width == 0) &&
         (batch == 1 || c.c_batch % width == 0) && reinterpret_cast<std::uintptr_t>(c.c) % 16 == 0;
}

/// Whether a finished element is the total itself. (A product with 1 is, but for the bits of NaN.)
template <class Sum>
bool is_identity(const tandem::detail::element_epilogue<Sum>& finish) {
  return finish.alpha == Sum{1} && !finish.reads_c() && finish.bias == nullptr &&
         finish.activation == matmul_activation::none;
}

/// Arguments of the matrices `first`, first + 1, .. of the batch, k undivided.
template <class T, class In>
matmul_arguments<T, In> bind(const matmul_problem<T, In>& p, index_t first) {
  matmul_arguments<T, In> arguments{.a = {p.a + first * p.a_batch, p.a_row, p.a_column, p.a_batch},
                                    .b = {p.b + first * p.b_batch, p.b_column, p.b_row, p.b_batch},
                                    .c = p.c + first * p.c_batch,
                                    .c_row = p.c_row,
                                    .c_column = p.c_column,
                                    .c_batch = p.c_batch,
                                    .m = p.m,
                                    .n = p.n,
                                    .k = p.k,
                                    .slice_k = p.k,
                                    .b_columns = p.n,
                                    .finish = tandem::detail::epilogue_of(p)};
  arguments.vectorized_c = rows_are_vectorizable(arguments, p.batch);
  return arguments;
}

/// Enqueues the kernel of a candidate tile with the plan's accesses, for `batch` matrices (at most
/// 65535).
///
/// Defined in matmul_kernel.cuh and instantiated in matmul_f32_*.cu and matmul_f64_*.cu, which
/// build in parallel.
template <class T, int Candidate>
void launch_candidate(const cuda& space, const matmul_plan& plan,
                      const matmul_arguments<T>& arguments, index_t batch);

}  // namespace tandem::cuda_impl
