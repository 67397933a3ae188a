// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/plan.hpp>

#include <cstdio>

#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Returns the multiply-adds of one entry of the batch.
double work_of(const matmul_form& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

/// Whether threads should each compute whole entries of the batch instead of sharing every entry.
bool is_batch_parallel(int threads, const matmul_form& p) {
  const double per_thread = work_of(p) / threads;
  if (per_thread < static_cast<double>(matmul_policy::thread_work)) return p.batch > 1;
  return p.batch >= 2 * threads && per_thread < static_cast<double>(matmul_policy::entry_work);
}

/// Partitions c by columns if it has few rows: b is read once and reused little, so moving packed
/// panels from the packing core to the multiplying cores would dominate the time.
matmul_partition partition_columns(int threads, const matmul_form& p) {
  const index_t columns = ceil_div<index_t>(p.n, p.tile_columns);
  const index_t each = p.multiplies_unpacked ? matmul_policy::slices : matmul_policy::wide_slices;
  if (p.m > matmul_policy::slice_rows || columns < 2 * threads) return {};
  return {p.m, ceil_div(columns, threads * each) * p.tile_columns};
}

/// Partitions a small product of 16-bit operands into one tile of c per thread: each thread packs
/// what its own tile needs, without waiting for panels or fetching them from other caches. The
/// shape minimises the cost of packing and multiplying; packing an element counts as four
/// multiply-adds.
matmul_partition partition_tiles(int threads, const matmul_form& p) {
  matmul_partition best;
  const double most = static_cast<double>(matmul_policy::tile_work) * threads;
  if (p.multiplies_unpacked || work_of(p) > most) return best;
  index_t least = 0;
  for (int across = 1; across <= threads; ++across) {
    const index_t rows = round_up<index_t>(ceil_div<index_t>(p.m, across), p.tile_rows);
    const index_t columns = round_up<index_t>(ceil_div<index_t>(p.n, threads / across), p.lanes);
    const index_t cost = rows * columns + 4 * (rows + columns);
    if (least == 0 || cost < least) {
      least = cost;
      best = {rows, columns};
    }
  }
  return best;
}

matmul_partition partition_result(int threads, const matmul_form& p) {
  if (threads == 1 || p.batch > 1) return {};
  const matmul_partition slices = partition_columns(threads, p);
  return slices.rows > 0 ? slices : partition_tiles(threads, p);
}

const char* name_of(matmul_method method) {
  switch (method) {
    case matmul_method::small:
      return "small";
    case matmul_method::direct:
      return "direct";
    case matmul_method::skinny:
      return "skinny";
    case matmul_method::blocked:
      return "blocked";
    case matmul_method::split_k:
      return "split-K";
  }
  return "";
}

const char* name_of(matmul_sharing sharing) {
  switch (sharing) {
    case matmul_sharing::team:
      return "panels";
    case matmul_sharing::entries:
      return "entries";
    case matmul_sharing::blocks:
      return "blocks of c";
  }
  return "";
}

}  // namespace

int useful_threads(int threads, index_t batch, index_t m, index_t n, index_t k) {
  const double entry = static_cast<double>(m) * static_cast<double>(n) *
                       static_cast<double>(tandem::max<index_t>(k, 1));
  const double work =
      static_cast<double>(batch) * (entry + static_cast<double>(matmul_policy::entry_overhead));
  const double useful = 1 + work / static_cast<double>(matmul_policy::thread_work);
  return useful < threads ? static_cast<int>(useful) : threads;
}

matmul_schedule schedule_matmul(const matmul_form& form, int threads, index_t totals_elements) {
  matmul_schedule schedule;
  schedule.threads = useful_threads(threads, form.batch, form.m, form.n, form.k);
  schedule.partition = partition_result(schedule.threads, form);
  if (schedule.partition.rows > 0) {
    schedule.sharing = matmul_sharing::blocks;
    matmul_form block = form;
    block.m = tandem::min(schedule.partition.rows, form.m);
    block.n = tandem::min(schedule.partition.columns, form.n);
    schedule.plan = plan_matmul(block, 1, totals_elements);
    return schedule;
  }
  const bool by_entries = is_batch_parallel(schedule.threads, form);
  schedule.sharing = by_entries ? matmul_sharing::entries : matmul_sharing::team;
  schedule.plan = plan_matmul(form, by_entries ? 1 : schedule.threads, totals_elements);
  return schedule;
}

void explain(const matmul_schedule& schedule, const char* instruction_set, index_t batch, index_t m,
             index_t n, index_t k) {
  if (!tandem::detail::explains_plans()) return;
  const auto print = [](index_t value) { return static_cast<long long>(value); };
  std::fprintf(stderr, "tandem: %s %s for %lld of m %lld, n %lld, k %lld: %d threads share %s\n",
               instruction_set, name_of(schedule.plan.method), print(batch), print(m), print(n),
               print(k), schedule.threads, name_of(schedule.sharing));
}

}  // namespace tandem::openmp_impl
