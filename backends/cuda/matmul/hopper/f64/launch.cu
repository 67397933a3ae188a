// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/f64/kernel.cuh>
#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>

#include <limits>

namespace tandem::cuda_impl {
namespace {

/// Most tiles that a block processes in sequence, copying operands of the next one while it
/// multiplies and stores. If four blocks share a multiprocessor and there are many tiles,
/// single-tile blocks are faster: one stores while the others multiply, and the hardware assigns
/// tiles to whichever multiprocessor has room.
constexpr int most_tiles_in_turn(const matmul_tile& tile) {
  return tile.min_blocks_per_sm < 4 ? std::numeric_limits<int>::max() : 4;
}

/// Returns an operand's map: `planes` planes of `extent` rows of a (columns of b) by k terms.
CUtensorMap map_operand(const matmul_operand<double>& x, bool k_major, index_t extent, index_t k,
                        index_t planes, int tile_extent) {
  return map_matrix(matrix_of(x, k_major, extent, k, planes), CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
                    sizeof(double), tma_row_bytes, k_major ? tile_extent : 16);
}

using f64_kernel = void (*)(const f64_arguments);

template <int Candidate>
f64_kernel select_kernel(bool a_k_major, bool b_k_major) {
  if (a_k_major && b_k_major) return &matmul_f64_tma_kernel<Candidate, true, true>;
  if (a_k_major) return &matmul_f64_tma_kernel<Candidate, true, false>;
  if (b_k_major) return &matmul_f64_tma_kernel<Candidate, false, true>;
  return &matmul_f64_tma_kernel<Candidate, false, false>;
}

/// Returns the arguments of the candidate's kernel.
f64_arguments arguments_of(const matmul_tile& tile, const fma_plan& plan,
                           const matmul_arguments<double>& arguments, index_t batch) {
  const index_t a_planes = arguments.a.planes(batch);
  const index_t b_planes = arguments.b.planes(batch);
  f64_arguments bound{};
  bound.problem = arguments;
  bound.problem.plain = arguments.vectorized_c && arguments.n % vector_width<double> == 0 &&
                        is_identity(arguments.finish);
  bound.a_batched = a_planes > 1;
  bound.b_batched = b_planes > 1;
  bound.a = map_operand(arguments.a, plan.a == operand_major::k_major, arguments.m, arguments.k,
                        a_planes, tile.m);
  bound.b = map_operand(arguments.b, plan.b == operand_major::k_major, arguments.n, arguments.k,
                        b_planes, tile.n);
  bound.tiles_m = static_cast<int>(ceil_div<index_t>(arguments.m, tile.m));
  bound.tiles_n = static_cast<int>(ceil_div<index_t>(arguments.n, tile.n));
  bound.split_k_slices = static_cast<int>(plan.split_k_slices);
  bound.tiles = bound.tiles_m * bound.tiles_n * bound.split_k_slices * static_cast<int>(batch);
  return bound;
}

template <int Candidate>
void launch_f64_tma(const cuda& space, const fma_plan& plan,
                    const matmul_arguments<double>& arguments, index_t batch) {
  constexpr matmul_tile tile = candidate_tile<double, Candidate>;
  const f64_arguments bound = arguments_of(tile, plan, arguments, batch);
  const int resident = tile.min_blocks_per_sm * limits(space).multiprocessors;
  const bool stay =
      bound.problem.plain && ceil_div(bound.tiles, resident) <= most_tiles_in_turn(tile);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(stay ? min(bound.tiles, resident) : bound.tiles)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes = static_cast<std::size_t>(f64_pipeline<tile>::bytes),
      .label = matmul_candidates<double>()[Candidate].name,
      .programmatic_launch = true};
  launch(
      space, shape,
      select_kernel<Candidate>(plan.a == operand_major::k_major, plan.b == operand_major::k_major),
      bound);
}

}  // namespace

template <>
void launch_candidate<double, 5>(const cuda& space, const fma_plan& plan,
                                 const matmul_arguments<double>& arguments, index_t batch) {
  launch_f64_tma<5>(space, plan, arguments, batch);  // 128x64
}
template <>
void launch_candidate<double, 6>(const cuda& space, const fma_plan& plan,
                                 const matmul_arguments<double>& arguments, index_t batch) {
  launch_f64_tma<6>(space, plan, arguments, batch);  // 64x64
}

}  // namespace tandem::cuda_impl
