// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/bf16/bf16.hpp>
#include <tandem/backends/openmp/matmul/problem_transforms.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/core/math.hpp>

namespace tandem {
namespace {

/// Whether operands of bf16 are widened to floats whatever the CPU has: with few rows or columns of
/// c reading them takes all of the time, and whether pairs may be used is known only when all are
/// packed.
template <class T>
bool is_bandwidth_bound(const matmul_problem<T, bf16>& p) {
  constexpr index_t fewest = 4;
  constexpr index_t few = 16;
  constexpr double far_elements = 0x1p22;
  const index_t least = tandem::min(p.m, p.n);
  const auto most = static_cast<double>(tandem::max(p.m, p.n)) * static_cast<double>(p.k);
  return least <= fewest || (least <= few && most > far_elements);
}

/// Pairs of bf16 per thread in one slice of a batch: half a MiB, which stays in a core's L2.
constexpr index_t part_pairs = index_t{1} << 17;

template <class T, class In>
void multiply_widened(int threads, const matmul_problem<T, In>& p) {
  openmp_impl::run_matmul(threads, p,
                          openmp_impl::best_kernels<openmp_impl::matmul_kernels<float, In>>());
}

/// Calls f(slice) for slices of a batch, of at least one entry, whose packed operands stay in the
/// caches. Where the entries share an operand, which every slice packs again, slices are as large
/// as the scratch that a thread keeps.
template <class T, class Function>
void for_batch_slices(int threads, const matmul_problem<T, bf16>& p, const Function& f) {
  if (p.batch == 0 || p.m == 0 || p.n == 0) return;
  const bool shares = p.a_batch == 0 || p.b_batch == 0;
  constexpr auto kept_pairs =
      static_cast<index_t>(openmp_impl::scratch_buffer::kept_bytes / sizeof(float));
  const index_t most = shares ? kept_pairs : threads * part_pairs;
  const index_t each = p.m * p.k + p.k * p.n;
  const index_t together = tandem::max<index_t>(2 * most / tandem::max<index_t>(each, 1), 1);
  for (index_t entry = 0; entry < p.batch; entry += together)
    f(detail::batch_slice(p, entry, tandem::min(together, p.batch - entry)));
}

template <class T>
void multiply_bf16(int threads, const matmul_problem<T, bf16>& problem) {
  const openmp_impl::bf16_kernels* const kernels = openmp_impl::fast_bf16_kernels();
  if (kernels == nullptr || is_bandwidth_bound(problem)) return multiply_widened(threads, problem);
  for_batch_slices(threads, problem, [&](const matmul_problem<T, bf16>& p) {
    if (!openmp_impl::run_bf16_matmul(threads, p, *kernels)) multiply_widened(threads, p);
  });
}

}  // namespace

void dispatch_matmul(const openmp& space, const matmul_problem<float, half>& problem) {
  multiply_widened(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<float, bf16>& problem) {
  multiply_bf16(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<half, half>& problem) {
  multiply_widened(space.threads(), problem);
}

void dispatch_matmul(const openmp& space, const matmul_problem<bf16, bf16>& problem) {
  multiply_bf16(space.threads(), problem);
}

}  // namespace tandem
