// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul_batched_ring.hpp>
#include <tandem/backends/cuda/matmul_explain.hpp>

#include <tandem/backends/cuda/launch.cuh>
#include <tandem/backends/cuda/matmul_batched_ring.cuh>

#include <array>
#include <cstdio>
#include <utility>

namespace tandem::cuda_impl {
namespace {

template <class T>
ring_arguments<T> bind_ring(const matmul_problem<T>& p, int depth) {
  ring_arguments<T> arguments{.a = {p.a, p.a_batch, p.a_row, depth},
                              .b = {p.b, p.b_batch, p.b_row, depth * p.b_row},
                              .slices = static_cast<int>((p.k + depth - 1) / depth),
                              .batch = p.batch};
  matmul_arguments<T>& c = arguments.problem;
  c.c = p.c;
  c.c_row = p.c_row;
  c.c_column = p.c_column;
  c.c_batch = p.c_batch;
  c.m = p.m;
  c.n = p.n;
  c.k = p.k;
  c.finish = tandem::detail::finish_of(p);
  c.wide_c = detail::has_wide_rows(p.c, p.batch, p.c_batch, p.m, p.c_row, p.n, p.c_column);
  return arguments;
}

template <class T, int Index>
void launch_ring(const cuda& space, const matmul_problem<T>& p) {
  constexpr ring_tile tile = ring_tile_of<T, Index>;
  constexpr std::size_t bytes = ring_bytes<T>(tile);
  const device_limits& device = limits(space);
  // A multiprocessor has 1 KiB more than a block may use, and takes as much for each block.
  const auto fitting = static_cast<index_t>((device.block_shared + 1024) / (bytes + 1024));
  const index_t resident = std::min<index_t>(fitting, tile.resident);
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

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
template <class T>
void explain(const matmul_problem<T>& p, const char* name) {
  if (!explains_matmul()) return;
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr,
               "tandem: %s for %lld of m %lld, n %lld, k %lld: a long batch of "
               "products\n",
               name, print(p.batch), print(p.m), print(p.n), print(p.k));
}

}  // namespace

template <class T>
bool run_ring(const cuda& space, const matmul_problem<T>& problem) {
  const device_limits& device = limits(space);
  const int tile = choose_ring(problem, device.multiprocessors, device.block_shared);
  if (tile < 0) return false;
  const auto index = static_cast<std::size_t>(tile);
  explain(problem, ring_candidates<T>()[index].name);
  ring_launchers<T>[index](space, problem);
  return true;
}

template bool run_ring(const cuda&, const matmul_problem<float>&);
template bool run_ring(const cuda&, const matmul_problem<double>&);

}  // namespace tandem::cuda_impl
