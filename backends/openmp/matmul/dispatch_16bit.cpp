// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/bf16/pair_product.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/core/math.hpp>

namespace tandem {
namespace {

/// Whether operands of bf16 are widened to floats whatever the CPU has: with few rows or columns of
/// c reading them takes all of the time, and packing reads all of them before a product of pairs
/// can begin.
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

/// Entries of a batch that are multiplied together, at least one: their packed operands stay in the
/// caches. Where the entries share an operand, which every slice packs again, slices are as large
/// as the scratch that a thread keeps.
template <class T>
index_t slice_entries(int threads, const matmul_problem<T, bf16>& p) {
  const bool shares = p.a_batch == 0 || p.b_batch == 0;
  constexpr auto kept_pairs =
      static_cast<index_t>(openmp_impl::scratch_buffer::kept_bytes / sizeof(float));
  const index_t most = shares ? kept_pairs : threads * part_pairs;
  const index_t each = p.m * p.k + p.k * p.n;
  return tandem::max<index_t>(2 * most / tandem::max<index_t>(each, 1), 1);
}

template <class T>
void multiply_bf16(int threads, const matmul_problem<T, bf16>& problem) {
  using namespace openmp_impl;
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  const bf16_kernels* const kernels = fast_bf16_kernels();
  if (kernels == nullptr || problem.kernel != matmul_kernel::automatic ||
      is_bandwidth_bound(problem))
    return multiply_widened(threads, problem);
  const index_t together = slice_entries(threads, problem);
  const auto slice = [&](index_t entry) {
    return detail::batch_slice(problem, entry, tandem::min(together, problem.batch - entry));
  };
  if (together < problem.batch) {  // the scratch of every slice, before the first is written
    for (const index_t entry : {index_t{0}, (problem.batch - 1) / together * together}) {
      reserve_bf16_matmul(threads, slice(entry), *kernels);
      reserve_matmul(threads, slice(entry), best_kernels<matmul_kernels<float, bf16>>());
    }
  }
  for (index_t entry = 0; entry < problem.batch; entry += together) {
    if (const auto pairs = pack_bf16_pairs(threads, slice(entry), *kernels)) {
      run_oriented(threads, *pairs, kernels->pairs.products);
    } else {
      multiply_widened(threads, slice(entry));
    }
  }
  own_scratch.packed.trim();
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
