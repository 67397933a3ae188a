// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/bf16x/launch.hpp>

#include <tandem/backends/cuda/matmul/hopper/bf16x/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <cstdint>

namespace tandem::cuda_impl {
namespace {

constexpr index_t most_scratch = index_t{1} << 31;  // bytes of parts of one pass over a batch

/// An operand of `outer` rows by k in `tiles` whole tiles.
split_operand describe(const matmul_operand<float>& source, index_t outer, index_t tiles,
                       index_t batch) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(source.data) % 16 == 0 &&
                       (outer == 1 || source.outer_stride % 4 == 0) &&
                       (batch == 1 || source.batch_stride % 4 == 0);
  return {.source = source,
          .outer = outer,
          .groups = tiles * (split_tile / split_group),
          .matrices = source.batch_stride == 0 ? 1 : batch,
          .wide = source.k_stride == 1 && aligned};
}

/// What the kernels are given for `batch` matrices from `first` on, but for the parts' memory.
split_arguments bind_split(const matmul_problem<float>& p, index_t first, index_t batch) {
  split_arguments s;
  s.problem.a = {p.a + first * p.a_batch, p.a_row, p.a_column, p.a_batch};
  s.problem.b = {p.b + first * p.b_batch, p.b_column, p.b_row, p.b_batch};
  s.problem.c = p.c + first * p.c_batch;
  s.problem.c_row = p.c_row;
  s.problem.c_column = p.c_column;
  s.problem.c_batch = p.c_batch;
  s.problem.m = p.m;
  s.problem.n = p.n;
  s.problem.k = p.k;
  s.problem.vectorized_c = p.c_column == 1 && (p.m == 1 || p.c_row % 2 == 0) &&
                           (p.batch == 1 || p.c_batch % 2 == 0) &&
                           reinterpret_cast<std::uintptr_t>(p.c) % 8 == 0;
  s.problem.finish = tandem::detail::epilogue_of(p);
  s.blocks = static_cast<int>((p.k + split_k - 1) / split_k);
  s.tiles_m =
      static_cast<int>((p.m + split_cluster * split_tile - 1) / (split_cluster * split_tile));
  s.tiles_n = static_cast<int>((p.n + split_tile - 1) / split_tile);
  s.tiles = static_cast<int>(batch) * s.tiles_m * s.tiles_n;
  s.a = describe(s.problem.a, p.m, split_cluster * index_t{s.tiles_m}, batch);
  s.b = describe(s.problem.b, p.n, s.tiles_n, batch);
  return s;
}

/// Bytes of an operand's parts.
index_t parts_bytes(const split_operand& operand, int blocks) {
  return operand.matrices * blocks * operand.block_bytes();
}

/// Bytes that the grid's tiles need for the totals of chunks.
index_t totals_bytes(const split_arguments& arguments, index_t clusters) {
  if (arguments.blocks <= split_chunk_blocks) return 0;
  return clusters * split_cluster * split_tile * split_tile * index_t{sizeof(float)};
}

/// Clusters of a launch: as many as run at once.
int split_clusters(const cuda& space, const split_arguments& arguments) {
  return std::min(arguments.tiles, limits(space).multiprocessors / split_cluster);
}

template <int Products>
void launch_split(const cuda& space, const split_arguments& arguments) {
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(split_clusters(space, arguments) * split_cluster)),
      .block = dim3(split_threads),
      .shared_bytes = split_shared_bytes,
      .label = Products == 6 ? "matmul bf16x6 128x128" : "matmul bf16x9 128x128",
      .programmatic_launch = true,
      .cluster = split_cluster};
  launch(space, shape, &matmul_split_kernel<Products>, arguments);
}

/// Both kernels for some matrices of the batch.
void run_pass(const cuda& space, split_arguments arguments, matmul_precision precision) {
  const index_t a_bytes = parts_bytes(arguments.a, arguments.blocks);
  const index_t b_bytes = parts_bytes(arguments.b, arguments.blocks);
  const index_t kept_bytes = totals_bytes(arguments, split_clusters(space, arguments));
  arguments.a.parts = static_cast<unsigned char*>(
      scratch(space, static_cast<std::size_t>(a_bytes + b_bytes + kept_bytes)));
  arguments.b.parts = arguments.a.parts + a_bytes;
  arguments.totals = reinterpret_cast<float*>(arguments.b.parts + b_bytes);
  const index_t warps = (a_bytes + b_bytes) / split_group_bytes;
  constexpr index_t block_warps = split_pass_threads / 32;
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>((warps + block_warps - 1) / block_warps)),
      .block = dim3(split_pass_threads),
      .label = "matmul (operands in bf16 parts)",
      .programmatic_launch = true};
  launch(space, shape, &split_kernel, arguments);
  if (precision == matmul_precision::bf16x6) return launch_split<6>(space, arguments);
  launch_split<9>(space, arguments);
}

}  // namespace

void run_bf16x(const cuda& space, const matmul_problem<float>& problem) {
  const split_arguments one = bind_split(problem, 0, 1);
  const index_t bytes = parts_bytes(one.a, one.blocks) + parts_bytes(one.b, one.blocks);
  const index_t at_once = std::max<index_t>(1, most_scratch / bytes);
  for (index_t first = 0; first < problem.batch; first += at_once) {
    const index_t batch = std::min(problem.batch - first, at_once);
    run_pass(space, bind_split(problem, first, batch), problem.precision);
  }
}

}  // namespace tandem::cuda_impl
