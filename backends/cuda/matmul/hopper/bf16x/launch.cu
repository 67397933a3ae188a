// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/hopper/bf16x/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <cstdint>

namespace tandem::cuda_impl {
namespace {

constexpr index_t max_scratch = index_t{1} << 31;  // bytes of components per pass over a batch

/// Describes an operand of `outer` rows by k as `tiles` whole tiles.
bf16x_operand describe(const matmul_operand<float>& source, index_t outer, index_t tiles,
                       index_t batch) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(source.data) % 16 == 0 &&
                       (outer == 1 || source.outer_stride % 4 == 0) &&
                       (batch == 1 || source.batch_stride % 4 == 0);
  return {.source = source,
          .outer = outer,
          .groups = tiles * (bf16x_tile / bf16x_group),
          .matrices = source.planes(batch),
          .vectorized = source.k_stride == 1 && aligned};
}

/// The kernels' arguments for `batch` matrices starting at `first`, except for the components'
/// memory.
bf16x_arguments bind_bf16x(const matmul_problem<float>& p, index_t first, index_t batch) {
  bf16x_arguments s;
  s.problem = bind(p, first);
  // This kernel writes 8 bytes at a time; others write 16.
  s.problem.vectorized_c = rows_are_vectorizable(s.problem, p.batch, 2);
  s.blocks = static_cast<int>(ceil_div<index_t>(p.k, bf16x_block_k));
  s.tiles_m = static_cast<int>(ceil_div<index_t>(p.m, bf16x_cluster * bf16x_tile));
  s.tiles_n = static_cast<int>(ceil_div<index_t>(p.n, bf16x_tile));
  s.tiles = static_cast<int>(batch) * s.tiles_m * s.tiles_n;
  s.a = describe(s.problem.a, p.m, bf16x_cluster * index_t{s.tiles_m}, batch);
  s.b = describe(s.problem.b, p.n, s.tiles_n, batch);
  return s;
}

/// Bytes of an operand's components.
index_t components_bytes(const bf16x_operand& operand, int blocks) {
  return operand.matrices * blocks * operand.block_bytes();
}

/// Bytes of chunk totals for all tiles of the grid.
index_t totals_bytes(const bf16x_arguments& arguments, index_t clusters) {
  if (arguments.blocks <= bf16x_chunk_blocks) return 0;
  return clusters * bf16x_cluster * bf16x_tile * bf16x_tile * index_t{sizeof(float)};
}

/// Clusters of a launch: as many as can run concurrently.
int bf16x_clusters(const cuda& space, const bf16x_arguments& arguments) {
  return std::min(arguments.tiles, limits(space).multiprocessors / bf16x_cluster);
}

template <int Products>
void launch_bf16x(const cuda& space, const bf16x_arguments& arguments) {
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(bf16x_clusters(space, arguments) * bf16x_cluster)),
      .block = dim3(bf16x_threads),
      .shared_bytes = bf16x_pipeline::bytes,
      .label = Products == 6 ? "matmul bf16x6 128x128" : "matmul bf16x9 128x128",
      .programmatic_launch = true,
      .cluster = bf16x_cluster};
  launch(space, shape, &matmul_bf16x_kernel<Products>, arguments);
}

/// Runs both kernels for some matrices of the batch.
void run_pass(const cuda& space, bf16x_arguments arguments, matmul_precision precision) {
  const index_t a_bytes = components_bytes(arguments.a, arguments.blocks);
  const index_t b_bytes = components_bytes(arguments.b, arguments.blocks);
  const index_t totals_size = totals_bytes(arguments, bf16x_clusters(space, arguments));
  arguments.a.components = static_cast<unsigned char*>(
      scratch(space, static_cast<std::size_t>(a_bytes + b_bytes + totals_size)));
  arguments.b.components = arguments.a.components + a_bytes;
  arguments.totals = reinterpret_cast<float*>(arguments.b.components + b_bytes);
  const index_t warps = (a_bytes + b_bytes) / bf16x_group_bytes;
  constexpr index_t block_warps = decompose_threads / 32;
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(ceil_div(warps, block_warps))),
                           .block = dim3(decompose_threads),
                           .label = "matmul (operands in bf16 components)",
                           .programmatic_launch = true};
  launch(space, shape, &decompose_kernel, arguments);
  if (precision == matmul_precision::bf16x6) return launch_bf16x<6>(space, arguments);
  launch_bf16x<9>(space, arguments);
}

}  // namespace

void run_bf16x(const cuda& space, const matmul_problem<float>& problem) {
  const bf16x_arguments one = bind_bf16x(problem, 0, 1);
  const index_t bytes = components_bytes(one.a, one.blocks) + components_bytes(one.b, one.blocks);
  const index_t at_once = std::max<index_t>(1, max_scratch / bytes);
  for (index_t first = 0; first < problem.batch; first += at_once) {
    const index_t batch = std::min(problem.batch - first, at_once);
    run_pass(space, bind_bf16x(problem, first, batch), problem.precision);
  }
}

}  // namespace tandem::cuda_impl
