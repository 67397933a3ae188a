// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/dispatch.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/kernels.hpp>
#include <tandem/backends/openmp/matmul/packed_terms/packing.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/matmul/tiled.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/math.hpp>

namespace tandem {
namespace openmp_impl {
namespace {

using int8_problem = matmul_problem<std::int32_t, std::int8_t>;
using int8_packing = matmul_packing<std::int32_t, std::int8_t>;

/// Runs matmul_kernel::naive: one element after another, reading a and b in place.
void run_naive(int threads, const int8_problem& p) {
  const detail::element_epilogue<std::int32_t> finish = detail::epilogue_of(p);
  run_parallel(threads, [&](int part, int parts) {
    const share mine = share_of(p.batch * p.m, part, parts);
    for (index_t at = mine.begin; at < mine.end; ++at) {
      const index_t entry = at / p.m;
      const index_t i = at % p.m;
      const std::int8_t* const a = p.a + entry * p.a_batch + i * p.a_row;
      for (index_t j = 0; j < p.n; ++j) {
        const std::int8_t* const b = p.b + entry * p.b_batch + j * p.b_column;
        std::uint32_t total = 0;
        for (index_t l = 0; l < p.k; ++l)
          total += static_cast<std::uint32_t>(a[l * p.a_column] * b[l * p.b_row]);
        std::int32_t& c = p.c[entry * p.c_batch + i * p.c_row + j * p.c_column];
        c = finish(static_cast<std::int32_t>(total), finish.reads_c() ? c : 0, i, j);
      }
    }
  });
}

/// Adds the products of two square tiles to their chains.
void multiply_integers(const matmul_square<std::int32_t>& t) {
  for (index_t i = 0; i < t.rows; ++i) {
    for (index_t l = 0; l < t.terms; ++l) {
      const std::int32_t left = t.a[i * matmul_tile + l];
      for (index_t j = 0; j < t.columns; ++j) {
        std::int32_t& chain = t.chains[i * matmul_tile + j];
        chain = detail::multiply_add(left, t.b[l * matmul_tile + j], chain);
      }
    }
  }
}

}  // namespace

void run_int8_matmul(int threads, const int8_problem& problem, const int8_kernels& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem);
  if (problem.kernel == matmul_kernel::tiled) return run_tiled(threads, problem, multiply_integers);
  // The problem is oriented before it is packed: a and b are packed in different ways.
  const int8_problem p = canonical_orientation(problem, kernels.products.lanes);
  const int8_packing packing(p, kernels);
  const auto bytes = static_cast<std::size_t>(packing.sizes()) * sizeof(std::int32_t);
  auto* const memory = static_cast<std::int32_t*>(own_scratch.packed.at_least(bytes));
  const matmul_problem<std::int32_t> product = packing.product(memory);
  const int most = packing.is_serial() ? 1 : threads;
  const matmul_schedule schedule = schedule_matmul(product, kernels.products, most);
  // Both use the same number of threads: GNU's runtime restarts threads when a team's size changes.
  const int useful = packing.useful_threads(schedule.threads);
  const auto nothing = [](const std::int32_t*, index_t) {};
  run_parallel(useful,
               [&](int part, int parts) { packing.pack(part, parts, memory, nothing, nothing); });
  run_scheduled(schedule, product, kernels.products);
  own_scratch.packed.trim();
}

}  // namespace openmp_impl

void dispatch_matmul(const openmp& space, const openmp_impl::int8_problem& problem) {
  openmp_impl::run_int8_matmul(space.threads(), problem,
                               openmp_impl::best_kernels<openmp_impl::int8_kernels>());
}

}  // namespace tandem
