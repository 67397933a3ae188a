// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul_launch.cuh>
#include <tandem/backends/cuda/matmul_naive.cuh>
#include <tandem/backends/cuda/matmul_sum.cuh>
#include <tandem/backends/cuda/matmul_tiled.cuh>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tandem {
namespace cuda_impl {
namespace {

constexpr index_t grid_limit = 65535;  // blocks of a grid along y and along z

template <class T>
using launcher = void (*)(const cuda&, const matmul_plan&, const matmul_arguments<T>&,
                          index_t batch);

/// launch_candidate for each candidate of T.
template <class T>
constexpr auto launchers = []<int... Candidate>(std::integer_sequence<int, Candidate...>) {
  return std::array<launcher<T>, sizeof...(Candidate)>{&launch_candidate<T, Candidate>...};
}(std::make_integer_sequence<int, static_cast<int>(matmul_candidates<T>().size())>{});

/// Runs the candidate of the plan.
template <class T>
void run_candidate(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
                   index_t batch) {
  launchers<T>[static_cast<std::size_t>(plan.candidate)](space, plan, arguments, batch);
}

/// Whether a run of 16 bytes along a row of c can always be written as one.
template <class T>
bool rows_are_wide(const matmul_arguments<T>& c, index_t batch) {
  constexpr index_t width = matmul_width<T>;
  return c.c_column == 1 && (c.m == 1 || c.c_row % width == 0) &&
         (batch == 1 || c.c_batch % width == 0) && reinterpret_cast<std::uintptr_t>(c.c) % 16 == 0;
}

/// Arguments of the matrices `first`, first + 1, .. of the batch, k undivided.
template <class T>
matmul_arguments<T> bind(const matmul_problem<T>& p, index_t first) {
  matmul_arguments<T> arguments{.a = {p.a + first * p.a_batch, p.a_row, p.a_column, p.a_batch},
                                .b = {p.b + first * p.b_batch, p.b_column, p.b_row, p.b_batch},
                                .c = p.c + first * p.c_batch,
                                .c_row = p.c_row,
                                .c_column = p.c_column,
                                .c_batch = p.c_batch,
                                .m = p.m,
                                .n = p.n,
                                .k = p.k,
                                .part_k = p.k,
                                .finish = tandem::detail::finish_of(p)};
  arguments.wide_c = rows_are_wide(arguments, p.batch);
  return arguments;
}

template <class T>
void run_naive(const cuda& space, const matmul_arguments<T>& arguments, index_t batch) {
  const index_t tiles =
      ceil_div<index_t>(arguments.m, naive_rows) * ceil_div<index_t>(arguments.n, naive_columns);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(batch)),
      .block = dim3(naive_columns, naive_rows),
      .label = "matmul (naive)"};
  launch(space, shape, &matmul_naive_kernel<T, T>, arguments);
}

template <class T>
void run_tiled(const cuda& space, const matmul_arguments<T>& arguments, index_t batch) {
  // A full warp a row of the tile, unless c has no room for such tiles.
  const index_t width = arguments.m > 16 && arguments.n > 16 ? 32 : 16;
  const index_t tiles = ceil_div(arguments.m, width) * ceil_div(arguments.n, width);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(width), static_cast<unsigned>(width)),
      .shared_bytes = 2 * static_cast<std::size_t>(width * width) * sizeof(T),
      .label = "matmul (tiled)"};
  launch(space, shape, &matmul_tiled_kernel<T, T>, arguments);
}

/// Enqueues the blocks that write every chunk's totals, contiguous matrices of a chunk after those
/// of the one before.
template <class T>
void run_parts(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
               index_t batch, T* totals) {
  const index_t matrix = arguments.m * arguments.n;
  matmul_arguments<T> part = arguments;
  part.c_row = arguments.n;
  part.c_column = 1;
  part.c_batch = matrix;
  part.c_part = batch * matrix;
  part.part_k = matmul_chunk;
  part.wide_c = arguments.n % matmul_width<T> == 0;
  part.finish = {};
  for (index_t first = 0; first < plan.parts; first += grid_limit) {
    matmul_plan some = plan;
    some.parts = min(plan.parts - first, grid_limit);
    part.a.data = arguments.a.data + first * matmul_chunk * arguments.a.k_stride;
    part.b.data = arguments.b.data + first * matmul_chunk * arguments.b.k_stride;
    part.k = arguments.k - first * matmul_chunk;
    part.c = totals + first * part.c_part;
    run_candidate(space, some, part, batch);
  }
}

/// Each chunk's totals into scratch memory by blocks of their own, then their sum in ascending
/// order.
template <class T>
void run_divided(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
                 index_t batch) {
  const index_t elements = batch * arguments.m * arguments.n;
  T* const totals =
      static_cast<T*>(scratch(space, static_cast<std::size_t>(plan.parts * elements) * sizeof(T)));
  run_parts(space, plan, arguments, batch, totals);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(elements, matmul_sum_threads))),
      .block = dim3(matmul_sum_threads),
      .label = "matmul (sum of the parts of k)"};
  launch(space, shape, &matmul_sum_kernel<T, T, T>, arguments, static_cast<const T*>(totals), batch,
         plan.parts);
}

template <class T>
void run(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
         index_t batch) {
  if (plan.kernel == matmul_kernel::naive) return run_naive(space, arguments, batch);
  if (plan.kernel == matmul_kernel::tiled) return run_tiled(space, arguments, batch);
  if (plan.parts > 1) return run_divided(space, plan, arguments, batch);
  run_candidate(space, plan, arguments, batch);
}

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
template <class T>
void explain(const matmul_problem<T>& p, const matmul_plan& plan) {
  const char* const wanted = std::getenv("TANDEM_EXPLAIN");
  if (wanted == nullptr || wanted[0] != '1') return;
  const matmul_candidate& candidate =
      matmul_candidates<T>()[static_cast<std::size_t>(plan.candidate)];
  const char* const name = plan.kernel == matmul_kernel::naive   ? "matmul naive"
                           : plan.kernel == matmul_kernel::tiled ? "matmul tiled"
                                                                 : candidate.name;
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr, "tandem: %s for %lld of m %lld, n %lld, k %lld; k in %lld part(s): %s\n",
               name, print(p.batch), print(p.m), print(p.n), print(p.k), print(plan.parts),
               plan.reason);
}

template <class T>
void multiply(const cuda& space, const matmul_problem<T>& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const matmul_problem<T> p = oriented(problem);
  const device_limits& device = limits(space);
  const matmul_plan plan = plan_matmul(
      p, {.multiprocessors = device.multiprocessors, .block_shared = device.block_shared});
  explain(p, plan);
  for (index_t first = 0; first < p.batch; first += grid_limit) {
    run(space, plan, bind(p, first), min(p.batch - first, grid_limit));
  }
}

}  // namespace
}  // namespace cuda_impl

void dispatch_matmul(const cuda& space, const matmul_problem<float>& problem) {
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<double>& problem) {
  cuda_impl::multiply(space, problem);
}

}  // namespace tandem
