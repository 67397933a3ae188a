// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tandem::cuda_impl {
namespace {

template <class T>
using launcher = void (*)(const cuda&, const fma_plan&, const matmul_arguments<T>&, index_t batch);

/// Returns launch_candidate if the build contains it.
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
void run_candidate(const cuda& space, const fma_plan& plan, const matmul_arguments<T>& arguments,
                   index_t batch) {
  launchers<T>[static_cast<std::size_t>(plan.candidate)](space, plan, arguments, batch);
}

/// Enqueues the blocks that write the totals of every slice. The totals are contiguous matrices,
/// one slice after another.
template <class T>
void run_slices(const cuda& space, const fma_plan& plan, const matmul_arguments<T>& arguments,
                index_t batch, T* totals) {
  matmul_arguments<T> slice = slice_arguments(arguments, batch, matmul_chunk, totals);
  slice.vectorized_c = arguments.n % vector_width<T> == 0;
  for (index_t first = 0; first < plan.split_k_slices; first += matmul_grid_limit) {
    fma_plan some = plan;
    some.split_k_slices = min(plan.split_k_slices - first, matmul_grid_limit);
    slice.a.data = arguments.a.data + first * matmul_chunk * arguments.a.k_stride;
    slice.b.data = arguments.b.data + first * matmul_chunk * arguments.b.k_stride;
    slice.k = arguments.k - first * matmul_chunk;
    slice.c = totals + first * slice.c_slice;
    run_candidate(space, some, slice, batch);
  }
}

/// Separate blocks write each chunk's totals to scratch memory, then a second kernel adds them in
/// ascending order.
template <class T>
void run_split_k(const cuda& space, const fma_plan& plan, const matmul_arguments<T>& arguments,
                 index_t batch) {
  const index_t elements = batch * arguments.m * arguments.n;
  T* const totals = static_cast<T*>(
      scratch(space, static_cast<std::size_t>(plan.split_k_slices * elements) * sizeof(T)));
  run_slices(space, plan, arguments, batch, totals);
  sum_slices(space, arguments, static_cast<const T*>(totals), batch, plan.split_k_slices);
}

/// Returns the problem with b copied to scratch memory, in rows aligned to 16 bytes.
template <class T>
matmul_problem<T> with_packed_b(const cuda& space, const matmul_problem<T>& p) {
  const index_t pitch = aligned_row<T>(p.n);
  const matmul_operand<T> b{p.b, p.b_column, p.b_row, p.b_batch};
  const index_t planes = b.planes(p.batch);
  void* const room = scratch(space, static_cast<std::size_t>(planes * p.k * pitch) * sizeof(T));
  const matmul_operand<T> copy = copy_operand(space, b, p.n, p.k, planes, false, pitch, room);
  matmul_problem<T> packed = p;
  packed.b = copy.data;
  packed.b_row = copy.k_stride;
  packed.b_column = copy.outer_stride;
  packed.b_batch = copy.batch_stride;
  return packed;
}

}  // namespace

template <class T>
void run_plan(const cuda& space, const fma_plan& plan, const matmul_problem<T>& problem) {
  matmul_problem<T> p = problem;
  if constexpr (std::is_same_v<T, float>) {
    if (plan.pack_b) p = with_packed_b(space, p);
  }
  for (index_t first = 0; first < p.batch; first += matmul_grid_limit) {
    const index_t batch = min(p.batch - first, matmul_grid_limit);
    matmul_arguments<T> arguments = bind(p, first);
    if (plan.pack_b) arguments.b_columns = aligned_row<T>(p.n);
    if (plan.split_k_slices > 1) {
      run_split_k(space, plan, arguments, batch);
    } else {
      run_candidate(space, plan, arguments, batch);
    }
  }
}

template void run_plan(const cuda&, const fma_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const fma_plan&, const matmul_problem<double>&);

}  // namespace tandem::cuda_impl
