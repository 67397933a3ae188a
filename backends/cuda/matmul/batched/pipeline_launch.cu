// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/explain.hpp>
#include <tandem/backends/cuda/matmul/plan/batched_pipeline.hpp>

#include <tandem/backends/cuda/matmul/batched/pipeline_kernel.cuh>
#include <tandem/backends/cuda/matmul/common/arguments.cuh>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::cuda_impl {
namespace {

template <class T>
ring_arguments<T> bind_ring(const matmul_problem<T>& p, int depth) {
  return {.a = {p.a, p.a_batch, p.a_row, depth},
          .b = {p.b, p.b_batch, p.b_row, depth * p.b_row},
          .slices = static_cast<int>(ceil_div<index_t>(p.k, depth)),
          .batch = p.batch,
          .problem = bind(p, 0)};
}

template <class T, int Index>
void launch_ring(const cuda& space, const matmul_problem<T>& p) {
  constexpr ring_tile tile = ring_tile_of<T, Index>;
  constexpr std::size_t bytes = ring_bytes<T>(tile);
  const device_limits& device = limits(space);
  const index_t resident = blocks_per_sm(device.block_shared, bytes, tile.min_blocks_per_sm);
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(std::min(
                               p.batch * tile.panels(), device.multiprocessors * resident))),
                           .block = dim3(static_cast<unsigned>(tile.threads())),
                           .shared_bytes = bytes,
                           .label = ring_candidates<T>()[Index].name,
                           .starts_early = waits_in_code(device.compute_capability)};
  launch(space, shape, &matmul_batched_ring_kernel<T, Index>, bind_ring(p, tile.depth));
}

template <class T>
using ring_launcher = void (*)(const cuda&, const matmul_problem<T>&);

template <class T>
constexpr auto ring_launchers = []<int... Index>(std::integer_sequence<int, Index...>) {
  return std::array<ring_launcher<T>, sizeof...(Index)>{&launch_ring<T, Index>...};
}(std::make_integer_sequence<int, static_cast<int>(ring_candidates<T>().size())>{});

}  // namespace

template <class T>
bool run_ring(const cuda& space, const matmul_problem<T>& problem) {
  const device_limits& device = limits(space);
  const int tile = choose_ring(problem, device.multiprocessors, device.block_shared);
  if (tile < 0) return false;
  const auto index = static_cast<std::size_t>(tile);
  explain_matmul(ring_candidates<T>()[index].name, problem, "a long batch of products");
  ring_launchers<T>[index](space, problem);
  return true;
}

template bool run_ring(const cuda&, const matmul_problem<float>&);
template bool run_ring(const cuda&, const matmul_problem<double>&);

}  // namespace tandem::cuda_impl
