// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul_dmma.cuh>
#include <tandem/backends/cuda/matmul_launch.cuh>
#include <tandem/backends/cuda/matmul_simt.cuh>

#include <type_traits>

namespace tandem::cuda_impl {

/// c = alpha * a * b + beta * c: one block computes one tile of one part of k.
///
/// The launch is the same for all architectures. In fp64 the tile's threads form the tensor cores'
/// fragments or the lanes of the SIMT engine, as the architecture has it.
template <class T, int Candidate, matmul_access A, matmul_access B>
__global__ void __launch_bounds__(candidate_tile<T, Candidate>.threads(),
                                  candidate_tile<T, Candidate>.resident)
    matmul_fast_kernel(const __grid_constant__ matmul_arguments<T> problem) {
  constexpr matmul_tile tile = candidate_tile<T, Candidate>;
  using simt = simt_engine<T, tile>;
  using engine = std::conditional_t<std::is_same_v<T, double> && has_fp64_tensor_cores(),
                                    tensor_engine<tile>, simt>;
  const int thread = static_cast<int>(threadIdx.x);
  const tile_origin origin = find_tile<tile>(problem);
  const int terms = static_cast<int>(problem.part_terms());
  engine multiplier(thread);
  tile_ring<T, tile, A, B> ring(problem, origin, terms, thread);
  multiply_chunks<T, tile>(multiplier, ring, terms, thread);
  store_tile(problem, multiplier, origin);
}

template <class T>
using fast_kernel = void (*)(const matmul_arguments<T>);

/// The kernel of a candidate for the plan's accesses. Only accesses that adapt_access lets through
/// have one.
template <class T, int Candidate>
fast_kernel<T> select_kernel(matmul_access a, matmul_access b) {
  using enum matmul_access;
  constexpr matmul_copies copies = matmul_candidates<T>()[Candidate].copies;
  if (a == along_k && b == along_k) return &matmul_fast_kernel<T, Candidate, along_k, along_k>;
  if constexpr (copies != matmul_copies::narrow) {
    if (a == along_k && b == along_outer_wide)
      return &matmul_fast_kernel<T, Candidate, along_k, along_outer_wide>;
    if (a == along_outer_wide && b == along_k)
      return &matmul_fast_kernel<T, Candidate, along_outer_wide, along_k>;
    if (a == along_outer_wide)
      return &matmul_fast_kernel<T, Candidate, along_outer_wide, along_outer_wide>;
  }
  if constexpr (copies != matmul_copies::wide) {
    if (a == along_k) return &matmul_fast_kernel<T, Candidate, along_k, along_outer>;
    if (b == along_k) return &matmul_fast_kernel<T, Candidate, along_outer, along_k>;
    return &matmul_fast_kernel<T, Candidate, along_outer, along_outer>;
  }
  return nullptr;
}

template <class T, int Candidate>
void launch_candidate(const cuda& space, const matmul_plan& plan,
                      const matmul_arguments<T>& arguments, index_t batch) {
  constexpr matmul_tile tile = candidate_tile<T, Candidate>;
  const index_t tiles =
      ceil_div<index_t>(arguments.m, tile.m) * ceil_div<index_t>(arguments.n, tile.n);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.parts),
                   static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes = tile.shared_bytes(sizeof(T), arguments.part_k > matmul_chunk),
      .label = matmul_candidates<T>()[Candidate].name};
  launch(space, shape, select_kernel<T, Candidate>(plan.a, plan.b), arguments);
}

}  // namespace tandem::cuda_impl
