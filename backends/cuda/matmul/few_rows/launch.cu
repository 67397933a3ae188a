// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/few_rows/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace tandem::cuda_impl {
namespace {

static_assert(few_rows_groups <= static_cast<index_t>(counter_words));

/// Shared memory with which a multiprocessor has at most its share of `blocks`. Blocks that start
/// while the previous kernel ends would otherwise crowd where it ends first.
int spreading_bytes(const cuda& space, index_t blocks) {
  constexpr index_t reserved = 1024;  // per block
  const index_t all = static_cast<index_t>(limits(space).block_shared) + reserved;
  const index_t each = ceil_div<index_t>(blocks, limits(space).multiprocessors);
  return static_cast<int>(all / each / 128 * 128 - reserved);
}

template <class T, class In>
struct few_rows_launch {
  using sum = tandem::detail::matmul_sum_t<T>;

  const cuda& space;
  const few_rows_plan& plan;
  few_rows_arguments<T, In, sum> arguments;
  index_t batch;

  template <bool Tensor, int Rows, int Piece, int Tile>
  void run() {
    if (plan.b_k_major) {
      enqueue<Tensor, true, Rows, Piece, Tile>();
    } else {
      enqueue<Tensor, false, Rows, Piece, Tile>();
    }
  }

 private:
  template <bool Tensor, bool KMajor, int Rows, int Piece, int Tile>
  void enqueue() {
    constexpr few_rows_tile tile = Tensor ? few_rows_tensor_tiles[Tile] : few_rows_fma_tile;
    using policy = few_rows_policy<In, Tensor, KMajor, Rows, Piece, tile.warps, tile.stages>;
    static_assert(policy::shared_bytes <= (Tensor ? few_rows_tensor_shared : few_rows_fma_shared));
    const auto& p = arguments.problem;
    const index_t blocks_n = ceil_div<index_t>(p.n, policy::columns);
    arguments.row_groups = static_cast<int>(ceil_div<index_t>(p.m, Rows));
    const index_t copies = arguments.row_groups * batch;
    const index_t blocks = blocks_n * plan.split_k_slices * copies;
    // On tensor cores, blocks beyond one per multiprocessor gain more by starting early.
    const bool spreads = Tensor ? blocks <= limits(space).multiprocessors : Piece == 16;
    const int shared = spreads ? std::max(policy::shared_bytes, spreading_bytes(space, blocks))
                               : policy::shared_bytes;
    const auto kernel =
        &few_rows_kernel<T, In, Tensor, KMajor, Rows, Piece, tile.warps, tile.stages>;
    if constexpr (Piece < 16) {
      const device_guard guard(limits(space));
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 few_rows_unaligned_carveout),
            "cudaFuncSetAttribute");
    }
    const launch_shape shape{
        .grid = dim3(static_cast<unsigned>(blocks_n), static_cast<unsigned>(plan.split_k_slices),
                     static_cast<unsigned>(copies)),
        .block = dim3(policy::threads),
        .shared_bytes = static_cast<std::size_t>(shared),
        .label = "matmul (few rows)",
        .programmatic_launch = true};
    launch(space, shape, kernel, arguments);
  }
};

template <int Piece, class Launch>
void select_rows(Launch& launch, index_t m) {
  const int rows = few_rows_computed(m);
  if (rows == 1) return launch.template run<false, 1, Piece, 0>();
  if (rows == 2) return launch.template run<false, 2, Piece, 0>();
  if constexpr (few_rows<typename Launch::sum> > 2) launch.template run<false, 4, Piece, 0>();
}

template <class T, class In>
void launch_few_rows(few_rows_launch<T, In>& launch) {
  if constexpr (!std::is_same_v<In, double>) {
    const int tile = launch.plan.tile;
    if (launch.plan.tensor) {
      if (tile == 0) return launch.template run<true, few_rows_tensor_tiles[0].rows, 16, 0>();
      if (tile == 1) return launch.template run<true, few_rows_tensor_tiles[1].rows, 16, 1>();
      if (tile == 2) return launch.template run<true, few_rows_tensor_tiles[2].rows, 16, 2>();
      return launch.template run<true, few_rows_tensor_tiles[3].rows, 16, 3>();
    }
  }
  if constexpr (!is_16bit_float<In>) {
    const index_t m = launch.arguments.problem.m;
    if (launch.plan.vectorized) return select_rows<16>(launch, m);
    select_rows<static_cast<int>(sizeof(In))>(launch, m);
  }
}

}  // namespace

template <class T, class In>
void run_plan(const cuda& space, const few_rows_plan& plan, const matmul_problem<T, In>& problem) {
  using launcher = few_rows_launch<T, In>;
  using sum = typename launcher::sum;
  const index_t most =
      matmul_grid_limit / ceil_div<index_t>(problem.m, few_rows_tensor_tiles[0].rows);
  for (index_t first = 0; first < problem.batch; first += most) {
    const index_t batch = min(problem.batch - first, most);
    launcher launch{space, plan, {}, batch};
    launch.arguments.problem = bind_as<T>(problem, first);
    launch.arguments.chunk = static_cast<int>(plan.chunk);
    if (plan.split_k_slices > 1) {
      launch.arguments.problem.slice_k = plan.chunk;
      const index_t elements = plan.split_k_slices * batch * problem.m * problem.n;
      launch.arguments.totals =
          static_cast<sum*>(scratch(space, static_cast<std::size_t>(elements) * sizeof(sum)));
      launch.arguments.arrived = counters(space);
    }
    launch_few_rows(launch);
  }
}

template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<double>&);
template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<half>&);
template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<float, half>&);
template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<bf16>&);
template void run_plan(const cuda&, const few_rows_plan&, const matmul_problem<float, bf16>&);

}  // namespace tandem::cuda_impl
