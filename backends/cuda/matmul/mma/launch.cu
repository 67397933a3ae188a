// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/mma/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Runs plans of mma.sync. Whole batches take as many launches as necessary; a split k needs the
/// sum of its slices, and 8-bit integers also copies of operands.
namespace tandem::cuda_impl {
namespace {

/// Enqueues the kernel of a plan for `batch` matrices (at most 65535). The elements of c have type
/// T, which is In or the type in which In accumulates. If a slice has several chunks, uses the
/// stream's scratch memory, so no operand may be there.
template <class T, class In>
void launch_mma(const cuda& space, const mma_plan& plan,
                const matmul_arguments<mma_sum_t<In>, In>& problem, index_t batch) {
  using Sum = mma_sum_t<In>;
  const mma_tile& tile = mma_tiles[plan.tile];
  mma_arguments<In> arguments{.problem = problem,
                              .a_access = plan.a,
                              .b_access = plan.b,
                              .a_piece = plan.a_piece,
                              .b_piece = plan.b_piece,
                              .c_is_input_type = std::is_same_v<T, In>,
                              .chunk = min(plan.chunk, problem.slice_k)};
  arguments.problem.vectorized_c = rows_are_vectorizable(problem, batch, 4, sizeof(T)) &&
                                   (plan.split_k_slices == 1 || problem.c_slice % 4 == 0);
  const index_t tiles = ceil_div<index_t>(problem.m, tile.m) * ceil_div<index_t>(problem.n, tile.n);
  if (problem.slice_k > arguments.chunk) {
    const index_t sums = tiles * plan.split_k_slices * batch * tile.m * tile.n;
    arguments.totals =
        static_cast<Sum*>(scratch(space, static_cast<std::size_t>(sums) * sizeof(Sum)));
  }
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.split_k_slices),
                   static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes = tile.shared_bytes(),
      .label = "matmul (mma)",
      .programmatic_launch = true};
  if (plan.tile == 0) return launch(space, shape, &matmul_mma_kernel<In, 0>, arguments);
  if constexpr (is_16bit_float<In>) {
    if (plan.tile == 2) return launch(space, shape, &matmul_mma_kernel<In, 2>, arguments);
  }
  launch(space, shape, &matmul_mma_kernel<In, 1>, arguments);
}

/// Enqueues the products of 16-bit floats or tf32 for one launch of mma.sync. If k is split, each
/// block computes the totals of one chunk, and a second kernel adds them in ascending order.
template <class T, class In>
void run_floats(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p,
                index_t first, index_t batch) {
  const auto arguments = bind_as<float>(p, first);
  if (plan.split_k_slices == 1) return launch_mma<T>(space, plan, arguments, batch);
  const index_t totals = plan.split_k_slices * batch * p.m * p.n;
  auto* const sums =
      static_cast<float*>(scratch(space, static_cast<std::size_t>(totals) * sizeof(float)));
  launch_mma<float>(space, plan, slice_arguments(arguments, batch, plan.chunk, sums), batch);
  sum_slices(space, bind(p, first), static_cast<const float*>(sums), batch, plan.split_k_slices);
}

using int8_arguments = matmul_arguments<std::int32_t, std::int8_t>;
using int8_operand = matmul_operand<std::int8_t>;

/// Enqueues the products of 8-bit integers for one launch of mma.sync, including the work before
/// and after them.
void run_int8(const cuda& space, const mma_plan& plan, int8_arguments arguments, index_t batch) {
  const index_t pitch = round_up(arguments.k, index_t{16});  // of a packed operand, in bytes
  const index_t slices = plan.split_k_slices;
  const auto bytes_of = [&](bool packed, const int8_operand& x, index_t outer) {
    return packed ? whole_lines(x.planes(batch) * outer * pitch) : 0;
  };
  const std::size_t a_bytes = bytes_of(plan.pack_a, arguments.a, arguments.m);
  const std::size_t b_bytes = bytes_of(plan.pack_b, arguments.b, arguments.n);
  const index_t totals = slices > 1 ? slices * batch * arguments.m * arguments.n : 0;
  const std::size_t bytes = a_bytes + b_bytes + whole_lines(totals * 4);
  auto* const room = bytes > 0 ? static_cast<std::byte*>(scratch(space, bytes)) : nullptr;
  const auto pack = [&](int8_operand& x, index_t outer, std::byte* target) {
    x = copy_operand(space, x, outer, arguments.k, x.planes(batch), true, pitch, target);
  };
  if (plan.pack_a) pack(arguments.a, arguments.m, room);
  if (plan.pack_b) pack(arguments.b, arguments.n, room + a_bytes);
  if (slices == 1) return launch_mma<std::int32_t>(space, plan, arguments, batch);
  auto* const sums = reinterpret_cast<std::int32_t*>(room + a_bytes + b_bytes);
  launch_mma<std::int32_t>(space, plan, slice_arguments(arguments, batch, plan.chunk, sums), batch);
  sum_slices(space, arguments, static_cast<const std::int32_t*>(sums), batch, slices);
}

}  // namespace

template <class T, class In>
void run_plan(const cuda& space, const mma_plan& plan, const matmul_problem<T, In>& p) {
  for (index_t first = 0; first < p.batch; first += matmul_grid_limit) {
    const index_t batch = min(p.batch - first, matmul_grid_limit);
    if constexpr (is_int8<In>) {
      run_int8(space, plan, bind(p, first), batch);
    } else {
      run_floats(space, plan, p, first, batch);
    }
  }
}

template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<half>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float, half>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<bf16>&);
template void run_plan(const cuda&, const mma_plan&, const matmul_problem<float, bf16>&);
template void run_plan(const cuda&, const mma_plan&, const int8_problem&);

}  // namespace tandem::cuda_impl
