// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/fma/dmma.cuh>
#include <tandem/backends/cuda/matmul/fma/simt.cuh>
#include <tandem/backends/cuda/matmul/fma/store.cuh>

#include <type_traits>

namespace tandem::cuda_impl {

/// Selects the engine that multiplies a tile and the layout of its operands.
template <class T, matmul_tile Tile, operand_major A, operand_major B, bool Vectorized,
          bool = std::is_same_v<T, double>&& has_fp64_tensor_cores()>
struct engine_choice {
  // The cast drops Tile's const, which nvcc 12.4 treats as a different type.
  static constexpr matmul_order order =
      Vectorized ? static_cast<matmul_order>(Tile.order) : matmul_order::rows;
  using engine = simt_engine<T, Tile, order>;
  using stage_a = pitched_stage<T, Tile.m, Tile.k, Tile.a_pitch(), Tile.threads(), A, Vectorized>;
  using stage_b = pitched_stage<T, Tile.n, Tile.k, Tile.b_pitch(), Tile.threads(), B, Vectorized>;
};
template <class T, matmul_tile Tile, operand_major A, operand_major B, bool Vectorized>
struct engine_choice<T, Tile, A, B, Vectorized, true> {
  static constexpr bool a_k_major = A == operand_major::k_major;
  static constexpr bool b_k_major = B == operand_major::k_major;
  static_assert(Tile.k == dmma_depth);
  using engine = tensor_engine<Tile, a_k_major, b_k_major>;
  using stage_a = dmma_stage<Tile.m, Tile.threads(), a_k_major, Vectorized>;
  using stage_b = dmma_stage<Tile.n, Tile.threads(), b_k_major, Vectorized>;
};

/// Computes c = alpha * a * b + beta * c: each block computes one tile of one slice of k. If it
/// `Continues` a product, adds the chunks' chains to the totals in c instead.
///
/// All architectures share the launch shape. For fp64, the tile's threads form the fragments of the
/// tensor cores or the lanes of the SIMT engine, depending on the architecture.
template <class T, int Candidate, operand_major A, operand_major B, bool Vectorized,
          bool Continues = false>
__global__ void __launch_bounds__(candidate_tile<T, Candidate>.threads(),
                                  candidate_tile<T, Candidate>.min_blocks_per_sm)
    fma_kernel(const __grid_constant__ matmul_arguments<T> problem) {
  ptx::grid_dependency_wait();
  constexpr matmul_tile tile = candidate_tile<T, Candidate>;
  using choice = engine_choice<T, tile, A, B, Vectorized>;
  const int thread = static_cast<int>(threadIdx.x);
  const tile_origin origin = find_tile(problem.m, problem.n, tile);
  const int terms = static_cast<int>(problem.slice_terms());
  typename choice::engine multiplier(thread);
  tile_pipeline<T, tile, typename choice::stage_a, typename choice::stage_b> pipeline(
      problem, origin, terms, thread);
  if constexpr (Continues) fetch_totals<tile>(problem, multiplier, origin, thread);
  multiply_chunks<T, tile, Continues>(multiplier, pipeline, terms, thread);
  store_tile<tile>(problem, multiplier, origin, thread);
}

template <class T>
using fma_kernel_pointer = void (*)(const matmul_arguments<T>);

/// Returns a candidate's kernel for the plan's accesses.
template <class T, int Candidate, bool Vectorized, bool Continues = false>
fma_kernel_pointer<T> select_majors(operand_major a, operand_major b) {
  using enum operand_major;
  if (a == k_major && b == k_major)
    return &fma_kernel<T, Candidate, k_major, k_major, Vectorized, Continues>;
  if (a == k_major) return &fma_kernel<T, Candidate, k_major, mn_major, Vectorized, Continues>;
  if (b == k_major) return &fma_kernel<T, Candidate, mn_major, k_major, Vectorized, Continues>;
  return &fma_kernel<T, Candidate, mn_major, mn_major, Vectorized, Continues>;
}

/// Returns a candidate's kernel, among the copy widths that it has.
template <class T, int Candidate>
fma_kernel_pointer<T> select_kernel(const fma_plan& plan) {
  constexpr matmul_copies copies = matmul_candidates<T>()[Candidate].copies;
  const operand_major a = plan.a;
  const operand_major b = plan.b;
  if constexpr (Candidate == continuing_candidate) {
    if (plan.continues) return select_majors<T, Candidate, true, true>(a, b);
  }
  if constexpr (copies == matmul_copies::both) {
    return plan.vectorized ? select_majors<T, Candidate, true>(a, b)
                           : select_majors<T, Candidate, false>(a, b);
  } else {
    return select_majors<T, Candidate, copies == matmul_copies::vectorized>(a, b);
  }
}

template <class T, int Candidate>
void launch_candidate(const cuda& space, const fma_plan& plan, const matmul_arguments<T>& arguments,
                      index_t batch) {
  constexpr matmul_tile tile = candidate_tile<T, Candidate>;
  const index_t tiles =
      ceil_div<index_t>(arguments.m, tile.m) * ceil_div<index_t>(arguments.n, tile.n);
  matmul_arguments<T> bound = arguments;
  bound.plain =
      arguments.vectorized_c && arguments.n % vector_width<T> == 0 && is_identity(arguments.finish);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.split_k_slices),
                   static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes =
          tile.shared_bytes(sizeof(T), plan.continues || arguments.slice_k > matmul_chunk),
      .label = matmul_candidates<T>()[Candidate].name,
      .programmatic_launch = true};
  launch(space, shape, select_kernel<T, Candidate>(plan), bound);
}

}  // namespace tandem::cuda_impl
