// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/bf16/pair_product.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/core/math.hpp>

#include <optional>

namespace tandem {
namespace openmp_impl {
namespace {

template <class T, class In>
void run_best(int threads, const matmul_problem<T, In>& problem) {
  run_matmul(threads, problem, best_kernels<matmul_kernels_for<T, In>>());
}

/// Whether to widen operands of bf16 to floats even if the CPU multiplies pairs. If c has few rows
/// or columns, reading the operands dominates, and packing reads all of them before a product of
/// pairs can begin.
template <class T>
bool is_bandwidth_bound(const matmul_problem<T, bf16>& p) {
  constexpr index_t fewest = 4;
  constexpr index_t few = 16;
  constexpr double far_elements = 0x1p22;
  const index_t least = tandem::min(p.m, p.n);
  const auto most = static_cast<double>(tandem::max(p.m, p.n)) * static_cast<double>(p.k);
  return least <= fewest || (least <= few && most > far_elements);
}

/// Pairs of bf16 per thread in one slice of a batch: half a MiB, which fits a core's L2.
constexpr index_t part_pairs = index_t{1} << 17;

/// Returns how many entries of a batch to multiply together, at least one, so that their packed
/// operands stay in the caches. If the entries share an operand, every slice packs it again, so
/// slices are as large as the scratch that a thread keeps.
template <class T>
index_t slice_entries(int threads, const matmul_problem<T, bf16>& p) {
  const bool shares = p.a_batch == 0 || p.b_batch == 0;
  constexpr auto kept_pairs = static_cast<index_t>(scratch_buffer::kept_bytes / sizeof(float));
  const index_t most = shares ? kept_pairs : threads * part_pairs;
  const index_t each = p.m * p.k + p.k * p.n;
  return tandem::max<index_t>(2 * most / tandem::max<index_t>(each, 1), 1);
}

/// Multiplies a batch by pairs, slice by slice. Reserves the scratch of every slice before it
/// writes the first.
template <class T>
void run_slices(int threads, const matmul_problem<T, bf16>& problem, const bf16_kernels& kernels) {
  const index_t together = tandem::min(slice_entries(threads, problem), problem.batch);
  const index_t left = problem.batch % together;
  bf16_product<T> product(threads, detail::batch_slice(problem, 0, together), kernels);
  if (together < problem.batch) product.plan_widened();
  std::optional<bf16_product<T>> last;
  if (left > 0) {
    last.emplace(threads, detail::batch_slice(problem, problem.batch - left, left), kernels);
    last->plan_widened();
  }
  product.run();
  for (index_t entry = together; entry + together <= problem.batch; entry += together) {
    product.move_to(detail::batch_slice(problem, entry, together));
    product.run();
  }
  if (last) last->run();
  own_scratch.packed.trim();
}

template <class T>
void run_bf16(int threads, const matmul_problem<T, bf16>& problem) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const bf16_kernels* const kernels = fast_bf16_kernels();
  if (kernels == nullptr || problem.kernel != matmul_kernel::automatic ||
      is_bandwidth_bound(problem))
    return run_best(threads, problem);
  run_slices(threads, problem, *kernels);
}

}  // namespace
}  // namespace openmp_impl

void dispatch_matmul(const openmp& space, const matmul_problem<float>& problem) {
  openmp_impl::run_best(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<double>& problem) {
  openmp_impl::run_best(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem) {
  openmp_impl::run_best(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem) {
  openmp_impl::run_bf16(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem) {
  openmp_impl::run_best(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem) {
  openmp_impl::run_bf16(space.threads(), problem);
}

}  // namespace tandem
