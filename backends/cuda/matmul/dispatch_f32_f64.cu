// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/explain.hpp>
#include <tandem/backends/cuda/matmul/common/has_sm90a.hpp>
#include <tandem/backends/cuda/matmul/dispatch_bf16x.hpp>
#include <tandem/backends/cuda/matmul/dispatch_tensor.cuh>
#include <tandem/backends/cuda/matmul/passes/pack.cuh>
#include <tandem/backends/cuda/matmul/passes/split_k_sum.cuh>
#include <tandem/backends/cuda/matmul/plan/batched.hpp>
#include <tandem/backends/cuda/matmul/reference/reference.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace tandem {
namespace cuda_impl {
namespace {

template <class T>
using launcher = void (*)(const cuda&, const matmul_plan&, const matmul_arguments<T>&,
                          index_t batch);

/// launch_candidate where the build has it.
template <class T, int Candidate>
constexpr launcher<T> launcher_of() {
  constexpr bool tma = matmul_candidates<T>()[Candidate].copies == matmul_copies::tma;
  if constexpr (tma && !has_sm90a) {
    return nullptr;
  } else {
    return &launch_candidate<T, Candidate>;
  }
}

/// launch_candidate for each candidate of T.
template <class T>
constexpr auto launchers = []<int... Candidate>(std::integer_sequence<int, Candidate...>) {
  return std::array<launcher<T>, sizeof...(Candidate)>{launcher_of<T, Candidate>()...};
}(std::make_integer_sequence<int, static_cast<int>(matmul_candidates<T>().size())>{});

/// Runs the candidate of the plan.
template <class T>
void run_candidate(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
                   index_t batch) {
  launchers<T>[static_cast<std::size_t>(plan.candidate)](space, plan, arguments, batch);
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
  part.c_slice = batch * matrix;
  part.slice_k = matmul_chunk;
  part.vectorized_c = arguments.n % vector_width<T> == 0;
  part.finish = {};
  for (index_t first = 0; first < plan.split_k_slices; first += matmul_grid_limit) {
    matmul_plan some = plan;
    some.split_k_slices = min(plan.split_k_slices - first, matmul_grid_limit);
    part.a.data = arguments.a.data + first * matmul_chunk * arguments.a.k_stride;
    part.b.data = arguments.b.data + first * matmul_chunk * arguments.b.k_stride;
    part.k = arguments.k - first * matmul_chunk;
    part.c = totals + first * part.c_slice;
    run_candidate(space, some, part, batch);
  }
}

/// Each chunk's totals into scratch memory by blocks of their own, then their sum in ascending
/// order.
template <class T>
void run_split_k(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
                 index_t batch) {
  const index_t elements = batch * arguments.m * arguments.n;
  T* const totals = static_cast<T*>(
      scratch(space, static_cast<std::size_t>(plan.split_k_slices * elements) * sizeof(T)));
  run_parts(space, plan, arguments, batch, totals);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(elements, matmul_sum_threads))),
      .block = dim3(matmul_sum_threads),
      .label = "matmul (sum of the parts of k)",
      .starts_early = waits_in_code(limits(space).compute_capability)};
  launch(space, shape, &matmul_sum_kernel<T, T, T>, arguments, static_cast<const T*>(totals), batch,
         plan.split_k_slices);
}

template <class T>
void run(const cuda& space, const matmul_plan& plan, const matmul_arguments<T>& arguments,
         index_t batch) {
  if (plan.split_k_slices > 1) return run_split_k(space, plan, arguments, batch);
  run_candidate(space, plan, arguments, batch);
}

/// The problem with b copied to scratch memory, in rows that begin at 16 bytes.
template <class T>
matmul_problem<T> with_packed_b(const cuda& space, const matmul_problem<T>& p) {
  static_assert(sizeof(T) == sizeof(std::uint32_t));
  const index_t pitch = aligned_row<T>(p.n);
  const operand_pack shape{.inner = p.n,
                           .outer = p.k,
                           .planes = p.b_batch == 0 ? 1 : p.batch,
                           .inner_stride = p.b_column,
                           .outer_stride = p.b_row,
                           .plane_stride = p.b_batch,
                           .pitch = pitch,
                           .plane = p.k * pitch};
  const index_t elements = shape.planes * shape.plane;
  auto* const b = static_cast<std::uint32_t*>(
      scratch(space, static_cast<std::size_t>(elements) * sizeof(std::uint32_t)));
  pack_operand(space, shape, reinterpret_cast<const std::uint32_t*>(p.b), b);
  matmul_problem<T> packed = p;
  packed.b = reinterpret_cast<const T*>(b);
  packed.b_row = pitch;
  packed.b_column = 1;
  packed.b_batch = p.b_batch == 0 ? 0 : shape.plane;
  return packed;
}

/// With TANDEM_EXPLAIN=1 in the environment: what runs and why, to stderr.
template <class T>
void explain(const matmul_problem<T>& p, const matmul_plan& plan) {
  if (!explains_matmul()) return;
  const matmul_candidate& candidate =
      matmul_candidates<T>()[static_cast<std::size_t>(plan.candidate)];
  const char* const name = plan.kernel == matmul_kernel::naive   ? "matmul naive"
                           : plan.kernel == matmul_kernel::tiled ? "matmul tiled"
                                                                 : candidate.name;
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr, "tandem: %s for %lld of m %lld, n %lld, k %lld; k in %lld part(s): %s\n",
               name, print(p.batch), print(p.m), print(p.n), print(p.k), print(plan.split_k_slices),
               plan.reason);
}

/// What the plan needs to know of the space's device.
matmul_device planned_device(const cuda& space) {
  const device_limits& device = limits(space);
  return {.multiprocessors = device.multiprocessors,
          .block_shared = device.block_shared,
          .has_tma = has_sm90a && device.compute_capability == 90};
}

/// Whether the products of a batch fill the smallest tile that tensor copies bring: where the plan
/// takes it, it is faster than the kernels for many small products.
template <class T>
bool fits_tma_tile(const matmul_problem<T>& p, const matmul_device& device) {
  if constexpr (std::is_same_v<T, double>) {
    const matmul_tile& tile = f64_tma_m64n64;
    return device.has_tma && max(p.m, p.n) <= tile.m && min(p.m, p.n) >= tile.m / 8 * 7;
  } else {
    return false;
  }
}

/// Whether tensor copies bring the operands of the plan's kernel.
template <class T>
bool uses_tma(const matmul_plan& plan) {
  return plan.kernel == matmul_kernel::automatic &&
         matmul_candidates<T>()[static_cast<std::size_t>(plan.candidate)].copies ==
             matmul_copies::tma;
}

template <class T>
void multiply(const cuda& space, const matmul_problem<T>& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const matmul_device device = planned_device(space);
  const bool is_box_sized = fits_tma_tile(problem, device);
  if (!is_box_sized && run_batched(space, problem)) return;
  matmul_problem<T> p = oriented(problem);
  const matmul_plan plan = plan_matmul(p, device);
  if (is_box_sized && !uses_tma<T>(plan) && run_batched(space, problem)) return;
  explain(p, plan);
  if (plan.kernel != matmul_kernel::automatic) return run_reference(space, p, plan.kernel);
  if constexpr (std::is_same_v<T, float>) {
    if (plan.pack_b) p = with_packed_b(space, p);
  }
  for (index_t first = 0; first < p.batch; first += matmul_grid_limit) {
    matmul_arguments<T> arguments = bind(p, first);
    if (plan.pack_b) arguments.b_columns = aligned_row<T>(p.n);
    run(space, plan, arguments, min(p.batch - first, matmul_grid_limit));
  }
}

}  // namespace
}  // namespace cuda_impl

void dispatch_matmul(const cuda& space, const matmul_problem<float>& problem) {
  if (cuda_impl::run_split(space, problem)) return;
  if (problem.precision == matmul_precision::tf32 && cuda_impl::multiply_tf32(space, problem))
    return;
  cuda_impl::multiply(space, problem);
}
void dispatch_matmul(const cuda& space, const matmul_problem<double>& problem) {
  cuda_impl::multiply(space, problem);
}

}  // namespace tandem
