// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/driver.hpp>

#include <tandem/backends/openmp/matmul/methods.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/problem_transforms.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/backends/openmp/matmul/team_barrier.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// `count` elements of the calling thread's scratch.
template <class T>
T* panels(index_t count) {
  return static_cast<T*>(own_scratch.panels.at_least(static_cast<std::size_t>(count) * sizeof(T)));
}

/// Calls f(team) on `threads` threads, or on fewer where the runtime provides no more. f must not
/// throw: the other threads would wait forever for the one that left.
template <class Function>
void run_team(int threads, const Function& f) {
  index_t next = 0;
  run_parallel(threads, [&](int rank, int size) {
    matmul_team team(rank, size, &next);
    f(team);
  });
}

/// Runs matmul_kernel::naive: the threads share the rows of c, element by element.
template <class T, class In>
void run_naive(int threads, const matmul_problem<T, In>& problem,
               const matmul_kernels_for<T, In>& kernels) {
  using sum_type = detail::matmul_sum_t<T>;
  const int useful = useful_threads(threads, problem);
  auto* const rows = rounds_results<T> ? panels<sum_type>(useful * problem.n) : nullptr;
  run_team(useful, [&](matmul_team& team) {
    team.for_each(problem.batch * problem.m, [&](index_t row) {
      const matmul_problem<T, In> p = detail::batch_slice(problem, row / problem.m, 1);
      const index_t i = row % problem.m;
      matmul_row<sum_type, In> r{.n = p.n,
                                 .k = p.k,
                                 .chunk = matmul_chunk,
                                 .a = p.a + i * p.a_row,
                                 .a_column = p.a_column,
                                 .b = p.b,
                                 .b_row = p.b_row,
                                 .b_column = p.b_column};
      if constexpr (rounds_results<T>) {
        r.c = rows + team.rank() * p.n;
        r.c_column = 1;
        kernels.multiply_row(r);
        round_block(p, {i, 1, 0, p.n, 0, p.k}, r.c);
      } else {
        r.c = p.c + i * p.c_row;
        r.c_column = p.c_column;
        r.alpha = p.alpha;
        r.beta = p.beta;
        kernels.multiply_row(r);
        apply_epilogue(p, {i, 1, 0, p.n, 0, p.k});
      }
    });
  });
}

/// Returns the multiply-adds of one entry of the batch.
template <class T, class In>
double work_of(const matmul_problem<T, In>& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

/// Whether threads should each compute whole entries of the batch rather than share every entry.
template <class T, class In>
bool is_batch_parallel(int threads, const matmul_problem<T, In>& p) {
  const double per_thread = work_of(p) / threads;
  if (per_thread < static_cast<double>(matmul_policy::thread_work)) return p.batch > 1;
  return p.batch >= 2 * threads && per_thread < static_cast<double>(matmul_policy::entry_work);
}

/// Whether the product is too small to be worth a plan; the kernels must be able to read and write
/// every matrix in place.
template <class T, class In>
bool is_small(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
  constexpr index_t most = 96;
  return works_in_place<T, In> && p.batch == 1 && p.m <= most && p.n <= most && p.k <= most &&
         p.n >= kernels.lanes && p.a_column == 1 && p.b_column == 1 && p.c_column == 1 &&
         p.b_row != 0;
}

template <class T, class In>
void run_small(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
  if constexpr (works_in_place<T, In>) {
    matmul_block<T> t;
    t.rows = p.m;
    t.columns = p.n;
    t.terms = p.k;
    t.a = p.a;
    t.a_row = p.a_row;
    if (kernels.starts) t.starts = p.a - 1;
    t.starts_row = p.a_row;
    t.b = p.b;
    t.b_row = p.b_row;
    t.c = p.c;
    t.c_row = p.c_row;
    t.c_column = 1;
    t.alpha = p.alpha;
    t.beta = p.beta;
    kernels.multiply(t);
    apply_epilogue(p, {0, p.m, 0, p.n, 0, p.k});
  }
}

/// Size of the blocks of c that threads compute independently; zero where they share panels.
struct matmul_partition {
  index_t rows = 0;
  index_t columns = 0;
};

/// Partitions c by columns where it has few rows: b is read once and reused little, so that moving
/// packed panels from the packing core to the multiplying cores would dominate the time.
template <class T, class In>
matmul_partition partition_columns(int threads, const matmul_problem<T, In>& p,
                                   const matmul_kernels_for<T, In>& kernels) {
  const index_t columns = ceil_div<index_t>(p.n, kernels.columns);
  const index_t each =
      multiplies_unpacked<T, In> ? matmul_policy::slices : matmul_policy::wide_slices;
  if (p.m > matmul_policy::slice_rows || columns < 2 * threads) return {};
  return {p.m, ceil_div(columns, threads * each) * kernels.columns};
}

/// Partitions a small product of 16-bit operands into one tile of c per thread: each thread packs
/// what its own tile needs instead of waiting for panels and fetching them from other caches. The
/// shape minimises the cost of packing and multiplying; packing an element counts as four
/// multiply-adds.
template <class T, class In>
matmul_partition partition_tiles(int threads, const matmul_problem<T, In>& p,
                                 const matmul_kernels_for<T, In>& kernels) {
  matmul_partition best;
  const double most = static_cast<double>(matmul_policy::tile_work) * threads;
  if (multiplies_unpacked<T, In> || work_of(p) > most) return best;
  index_t least = 0;
  for (int across = 1; across <= threads; ++across) {
    const index_t rows = round_up<index_t>(ceil_div<index_t>(p.m, across), kernels.rows);
    const index_t columns =
        round_up<index_t>(ceil_div<index_t>(p.n, threads / across), kernels.lanes);
    const index_t cost = rows * columns + 4 * (rows + columns);
    if (least == 0 || cost < least) {
      least = cost;
      best = {rows, columns};
    }
  }
  return best;
}

template <class T, class In>
matmul_partition partition_result(int threads, const matmul_problem<T, In>& p,
                                  const matmul_kernels_for<T, In>& kernels) {
  if (threads == 1 || p.batch > 1) return {};
  const matmul_partition slices = partition_columns(threads, p, kernels);
  return slices.rows > 0 ? slices : partition_tiles(threads, p, kernels);
}

/// Returns the product of some rows of a and some columns of b.
template <class T, class In>
matmul_problem<T, In> subproblem(matmul_problem<T, In> p, index_t row, index_t column,
                                 const matmul_partition& partition) {
  p.m = tandem::min(partition.rows, p.m - row);
  p.n = tandem::min(partition.columns, p.n - column);
  p.a += row * p.a_row;
  p.b += column * p.b_column;
  p.c += row * p.c_row + column * p.c_column;
  if (p.bias != nullptr) p.bias += row * p.bias_row + column * p.bias_column;
  return p;
}

/// Runs a product whose blocks of c are each computed by one thread.
template <class T, class In>
void run_partitioned(int threads, const matmul_problem<T, In>& p, const matmul_partition& partition,
                     const matmul_kernels_for<T, In>& kernels) {
  const matmul_plan plan = plan_matmul(subproblem(p, 0, 0, partition), kernels, 1);
  const index_t each = plan.elements(1);
  auto* const scratch = panels<detail::matmul_sum_t<T>>(each * threads);
  const index_t across = ceil_div(p.n, partition.columns);
  run_team(threads, [&](matmul_team& team) {
    matmul_team solo;
    team.for_each(ceil_div(p.m, partition.rows) * across, [&](index_t item) {
      multiply(solo,
               subproblem(p, item / across * partition.rows, item % across * partition.columns,
                          partition),
               kernels, plan, scratch + each * team.rank());
    });
  });
}

/// Runs a product in its canonical orientation by a plan.
template <class T, class In>
void run_planned(int threads, const matmul_problem<T, In>& p,
                 const matmul_kernels_for<T, In>& kernels) {
  const int useful = useful_threads(threads, p);
  const matmul_partition partition = partition_result(useful, p, kernels);
  if (partition.rows > 0) return run_partitioned(useful, p, partition, kernels);
  const bool by_entries = is_batch_parallel(useful, p);
  const matmul_plan plan = plan_matmul(p, kernels, by_entries ? 1 : useful);
  const index_t each = plan.elements(by_entries ? 1 : useful);
  auto* const scratch = panels<detail::matmul_sum_t<T>>(each * (by_entries ? useful : 1));
  run_team(useful, [&](matmul_team& team) {
    if (by_entries) {
      auto* const own = scratch + each * team.rank();
      matmul_team solo;
      team.for_each_range(p.batch, [&](index_t begin, index_t end) {
        for (index_t entry = begin; entry < end; ++entry) {
          multiply(solo, detail::batch_slice(p, entry, end - entry), kernels, plan, own);
        }
      });
    } else {
      for (index_t entry = 0; entry < p.batch; ++entry) {
        multiply(team, detail::batch_slice(p, entry, 1), kernels, plan, scratch);
      }
    }
  });
}

}  // namespace

template <class T, class In>
int useful_threads(int threads, const matmul_problem<T, In>& p) {
  const double work = static_cast<double>(p.batch) * static_cast<double>(p.m) *
                      static_cast<double>(p.n) * static_cast<double>(tandem::max<index_t>(p.k, 1));
  const double useful = 1 + work / static_cast<double>(matmul_policy::thread_work);
  return useful < threads ? static_cast<int>(useful) : threads;
}

template <class T, class In>
void run_matmul(int threads, const matmul_problem<T, In>& problem,
                const matmul_kernels_for<T, In>& kernels) {
  if (problem.batch == 0 || problem.m == 0 || problem.n == 0) return;
  if (problem.kernel == matmul_kernel::naive) return run_naive(threads, problem, kernels);
  if (is_small(problem, kernels)) return run_small(problem, kernels);
  run_planned(threads, canonical_orientation(problem, kernels.lanes), kernels);
}

template <class T, class In>
void run_oriented(int threads, const matmul_problem<T, In>& p,
                  const matmul_kernels_for<T, In>& kernels) {
  if (is_small(p, kernels)) return run_small(p, kernels);
  run_planned(threads, p, kernels);
}

template int useful_threads(int, const matmul_problem<float>&);
template int useful_threads(int, const matmul_problem<bf16, float>&);
template int useful_threads(int, const matmul_problem<std::int32_t>&);
template void run_matmul(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_matmul(int, const matmul_problem<double>&, const matmul_kernels<double>&);
template void run_matmul(int, const matmul_problem<float, bf16>&,
                         const matmul_kernels<float, bf16>&);
template void run_matmul(int, const matmul_problem<float, half>&,
                         const matmul_kernels<float, half>&);
template void run_matmul(int, const matmul_problem<bf16>&, const matmul_kernels<float, bf16>&);
template void run_matmul(int, const matmul_problem<half>&, const matmul_kernels<float, half>&);
template void run_oriented(int, const matmul_problem<float>&, const matmul_kernels<float>&);
template void run_oriented(int, const matmul_problem<bf16, float>&, const matmul_kernels<float>&);
template void run_oriented(int, const matmul_problem<std::int32_t>&,
                           const matmul_kernels<std::int32_t>&);

}  // namespace tandem::openmp_impl
