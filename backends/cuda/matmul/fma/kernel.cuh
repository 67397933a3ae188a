// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/bind_arguments.cuh>
#include <tandem/backends/cuda/matmul/fma/dmma.cuh>
#include <tandem/backends/cuda/matmul/fma/simt.cuh>
#include <tandem/backends/cuda/matmul/fma/store.cuh>

#include <type_traits>

namespace tandem::cuda_impl {

/// What multiplies a tile and how its operands are kept.
template <class T, matmul_tile Tile, matmul_access A, matmul_access B, bool Wide,
          bool = std::is_same_v<T, double>&& has_fp64_tensor_cores()>
struct engine_choice {
  using engine = simt_engine<T, Tile, Wide ? Tile.order : matmul_order::rows>;
  using stage_a = pitched_stage<T, Tile.m, Tile.k, Tile.a_pitch(), Tile.threads(), A, Wide>;
  using stage_b = pitched_stage<T, Tile.n, Tile.k, Tile.b_pitch(), Tile.threads(), B, Wide>;
};
template <class T, matmul_tile Tile, matmul_access A, matmul_access B, bool Wide>
struct engine_choice<T, Tile, A, B, Wide, true> {
  static constexpr bool along_a = A == matmul_access::along_k;
  static constexpr bool along_b = B == matmul_access::along_k;
  static_assert(Tile.k == dmma_depth);
  using engine = tensor_engine<Tile, along_a, along_b>;
  using stage_a = dmma_stage<Tile.m, Tile.threads(), along_a, Wide>;
  using stage_b = dmma_stage<Tile.n, Tile.threads(), along_b, Wide>;
};

/// c = alpha * a * b + beta * c: one block computes one tile of one part of k.
///
/// The launch is the same for all architectures. In fp64 the tile's threads form the tensor cores'
/// fragments or the lanes of the SIMT engine, as the architecture has it.
template <class T, int Candidate, matmul_access A, matmul_access B, bool Wide>
__global__ void __launch_bounds__(candidate_tile<T, Candidate>.threads(),
                                  candidate_tile<T, Candidate>.resident)
    matmul_fast_kernel(const __grid_constant__ matmul_arguments<T> problem) {
  ptx::grid_dependency_wait();
  constexpr matmul_tile tile = candidate_tile<T, Candidate>;
  using choice = engine_choice<T, tile, A, B, Wide>;
  const int thread = static_cast<int>(threadIdx.x);
  const tile_origin origin = find_tile<tile>(problem);
  const int terms = static_cast<int>(problem.part_terms());
  typename choice::engine multiplier(thread);
  tile_ring<T, tile, typename choice::stage_a, typename choice::stage_b> ring(problem, origin,
                                                                              terms, thread);
  multiply_chunks<T, tile>(multiplier, ring, terms, thread);
  store_tile<tile>(problem, multiplier, origin, thread);
}

template <class T>
using fast_kernel = void (*)(const matmul_arguments<T>);

/// The kernel of a candidate for the plan's accesses.
template <class T, int Candidate, bool Wide>
fast_kernel<T> select_walk(matmul_access a, matmul_access b) {
  using enum matmul_access;
  if (a == along_k && b == along_k)
    return &matmul_fast_kernel<T, Candidate, along_k, along_k, Wide>;
  if (a == along_k) return &matmul_fast_kernel<T, Candidate, along_k, along_outer, Wide>;
  if (b == along_k) return &matmul_fast_kernel<T, Candidate, along_outer, along_k, Wide>;
  return &matmul_fast_kernel<T, Candidate, along_outer, along_outer, Wide>;
}

/// The kernel of a candidate for the plan's accesses and the widths of copies that it has.
template <class T, int Candidate>
fast_kernel<T> select_kernel(matmul_access a, matmul_access b, bool wide) {
  constexpr matmul_copies copies = matmul_candidates<T>()[Candidate].copies;
  if constexpr (copies == matmul_copies::both) {
    return wide ? select_walk<T, Candidate, true>(a, b) : select_walk<T, Candidate, false>(a, b);
  } else {
    return select_walk<T, Candidate, copies == matmul_copies::wide>(a, b);
  }
}

template <class T, int Candidate>
void launch_candidate(const cuda& space, const matmul_plan& plan,
                      const matmul_arguments<T>& arguments, index_t batch) {
  constexpr matmul_tile tile = candidate_tile<T, Candidate>;
  const index_t tiles =
      ceil_div<index_t>(arguments.m, tile.m) * ceil_div<index_t>(arguments.n, tile.n);
  matmul_arguments<T> bound = arguments;
  bound.plain =
      arguments.wide_c && arguments.n % matmul_width<T> == 0 && is_identity(arguments.finish);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.parts),
                   static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes = tile.shared_bytes(sizeof(T), arguments.part_k > matmul_chunk),
      .label = matmul_candidates<T>()[Candidate].name,
      .programmatic_launch = true};
  launch(space, shape, select_kernel<T, Candidate>(plan.a, plan.b, plan.wide), bound);
}

}  // namespace tandem::cuda_impl
