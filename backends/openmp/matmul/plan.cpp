// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/plan.hpp>

#include <unistd.h>

#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// The parts of the scratch are multiples of this, to stay aligned for vectors.
constexpr index_t aligned_elements = 64;

/// Returns the bytes of a core's L2, or half a MiB if the system does not report them.
index_t own_l2_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return index_t{1} << 19;
}

/// Whether rows * columns * size <= limit, computed without overflow.
bool fits(index_t rows, index_t columns, index_t size, double limit) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(size) <=
         limit;
}

/// Sizes that the functions below share.
struct sizes {
  sizes(const matmul_form& form, int of_team, index_t most_totals)
      : p(form),
        threads(of_team),
        totals_elements(most_totals),
        element(p.element_bytes),
        terms(tandem::min(p.k, p.chunk)),
        chunks(ceil_div(p.k, p.chunk)),
        row_tiles(ceil_div<index_t>(p.m, p.tile_rows)),
        panels(ceil_div<index_t>(p.n, p.tile_columns)),
        panel_bytes(tandem::max<index_t>(terms, 1) * p.tile_columns * element),
        cache(static_cast<double>(own_l2_bytes())) {}

  const matmul_form& p;
  int threads;
  index_t totals_elements;
  index_t element;  ///< bytes of a sum
  index_t terms;
  index_t chunks;
  index_t row_tiles;
  index_t panels;
  index_t panel_bytes;
  double cache;
};

/// Returns the panels of a group: as many as a core's L2 holds, but fewer if the threads would
/// otherwise find too few work items.
index_t group_panels(const sizes& s) {
  const double cached = s.cache * matmul_policy::cached_share / static_cast<double>(s.panel_bytes);
  index_t groups = ceil_div(s.panels, tandem::max<index_t>(static_cast<index_t>(cached), 1));
  if (s.threads > 1) {
    const index_t wanted = ceil_div(s.threads * matmul_policy::units, s.row_tiles);
    groups = tandem::min(tandem::max(groups, wanted), s.panels);
  }
  return ceil_div(s.panels, groups);
}

/// Whether c can be written with non-temporal stores: it is large and written once, its whole
/// vectors are aligned, and no epilogue reads it again.
bool can_write_nontemporal(const sizes& s) {
  return !s.p.rounds_results && s.p.aligns_c && s.chunks <= 1 && !s.p.has_beta &&
         s.p.c_column == 1 && !s.p.has_epilogue &&
         !fits(s.p.m * s.p.batch, s.p.n, s.element,
               static_cast<double>(matmul_policy::nontemporal_bytes));
}

/// Whether b, read in place, stays in a core's caches from one row of tiles to the next.
bool stays_cached(const sizes& s) {
  // With several threads, waiting for shared panels would cost more.
  const bool crowded = s.threads == 1 && s.terms >= matmul_policy::crowded_terms &&
                       s.p.b_row * s.element % matmul_policy::crowded_bytes == 0;
  // The gaps between the rows of a slice of columns count, too.
  const index_t row = tandem::max(s.p.n, s.p.b_row);
  return !crowded && fits(s.terms, row, s.element, s.cache * matmul_policy::direct_share);
}

/// Whether b is packed, because the kernels could not read it or would read it more slowly.
bool packs_b(const sizes& s) {
  if (!s.p.multiplies_unpacked) return true;
  if (s.p.b_column != 1 && s.p.n > 1) return true;
  // One row for all terms would look like a packed b to the kernels.
  if (s.p.b_row == 0 && s.terms > 1) return true;
  return s.p.m * s.element > matmul_policy::direct_bytes && !stays_cached(s);
}

/// Whether rows of a are packed before the kernels read them.
bool packs_a(const sizes& s) {
  return !s.p.multiplies_unpacked || (s.p.a_column != 1 && s.terms > 1);
}

/// Plans the scratch for packed rows of a.
void plan_lines(const sizes& s, matmul_plan& plan) {
  plan.packed_rows = tandem::min<index_t>(2 * s.p.tile_rows, s.p.m);
  // Not a power of two, which would map all rows to the same sets of a cache.
  plan.line = round_up(s.terms, aligned_elements) + 16;
  plan.a_elements = round_up(plan.packed_rows * plan.line, aligned_elements);
}

/// Whether the skinny method pays: one thread, few rows of c, and a row-major b that exceeds a
/// core's L2 or would have to be packed to be widened.
bool is_skinny(const sizes& s) {
  return s.threads == 1 && s.p.m <= matmul_policy::skinny_rows && s.p.b_column == 1 &&
         s.p.b_row != 0 && s.p.k > matmul_policy::skinny_terms &&
         (!s.p.multiplies_unpacked || !fits(s.terms, s.p.n, s.element, s.cache));
}

/// Whether totals are kept outside c between chunks, because c's old value is needed or it has
/// another type.
bool keeps_totals(const sizes& s) { return s.chunks > 1 && (s.p.has_beta || s.p.rounds_results); }

/// Plans the skinny method.
void plan_skinny(const sizes& s, matmul_plan& plan) {
  const index_t columns = s.p.tile_columns;
  plan.method = matmul_method::skinny;
  plan.packs_b = false;
  plan.packed_rows = 0;
  plan.line = matmul_policy::skinny_terms;
  plan.a_elements = round_up(s.p.m * plan.line, aligned_elements);
  const double panel = static_cast<double>(s.p.m * columns * s.element);
  const double cached = s.cache * matmul_policy::chains_share / panel;
  const index_t most = tandem::max<index_t>(static_cast<index_t>(cached), 1);
  plan.group = ceil_div(s.panels, ceil_div(s.panels, most)) * columns;
  plan.b_elements = round_up(s.p.m * plan.group, aligned_elements);
  if (s.p.rounds_results) plan.c_elements = plan.b_elements;
  if (keeps_totals(s)) plan.totals_elements = plan.b_elements;
}

/// Returns how many groups of columns are packed at once. For a team, or if rows of a are packed
/// for all of them, that is what the shared cache holds.
index_t groups_at_once(const sizes& s, const matmul_plan& plan) {
  const index_t groups = ceil_div(s.p.n, plan.group);
  if (!plan.packs_b) return groups;
  if (s.threads == 1 && !plan.shares_rows) return 1;
  const index_t bytes = plan.group / s.p.tile_columns * s.panel_bytes;
  const index_t most = tandem::max<index_t>(matmul_policy::shared_bytes / bytes, 2);
  return ceil_div(groups, ceil_div(groups, most));
}

/// Plans the blocked method.
void plan_blocks(const sizes& s, matmul_plan& plan) {
  plan.shares_rows = plan.packed_rows > 0 && s.p.n > plan.group;
  plan.groups = groups_at_once(s, plan);
  plan.block_rows = s.p.m;
  if (keeps_totals(s)) {
    const index_t width = tandem::min(plan.groups * plan.group, s.p.n);
    const index_t most = tandem::max<index_t>(s.totals_elements / width, 64);
    plan.block_rows = tandem::min(most, s.p.m);
    plan.totals_elements = round_up(plan.block_rows * width, aligned_elements);
  }
  if (plan.shares_rows) {
    const index_t most = tandem::max<index_t>(matmul_policy::rows_elements / plan.line, 64);
    plan.block_rows = tandem::min(most, plan.block_rows);
    plan.rows_elements = round_up(plan.block_rows * plan.line, aligned_elements);
    plan.a_elements = 0;
  }
  if (plan.packs_b)
    plan.b_elements = round_up(plan.groups * plan.group * s.terms, aligned_elements);
  if (s.p.rounds_results)
    plan.c_elements = matmul_policy::finished_units * s.p.tile_rows * plan.group;
}

/// Plans split-K.
void plan_split_k(const sizes& s, matmul_plan& plan) {
  plan.method = matmul_method::split_k;
  const index_t width = s.panels * plan.group;
  plan.groups = ceil_div(s.p.n, plan.group);
  plan.block_rows = s.p.m;
  const index_t most =
      tandem::max<index_t>(s.totals_elements / tandem::max<index_t>(s.p.m * s.p.n, 1), 2);
  plan.chunks = tandem::min(s.chunks, most);
  plan.totals_elements = round_up((plan.chunks + 1) * s.p.m * s.p.n, aligned_elements);
  if (plan.packs_b) plan.b_elements = round_up(width * s.terms, aligned_elements);
}

}  // namespace

matmul_plan plan_matmul(const matmul_form& form, int threads, index_t totals_elements) {
  const sizes s(form, threads, totals_elements);
  matmul_plan plan;
  const double elements = static_cast<double>(form.m) * static_cast<double>(s.terms + form.n) +
                          static_cast<double>(s.terms) * static_cast<double>(form.n);
  plan.exceeds_l2 = elements * static_cast<double>(s.element) > s.cache;
  plan.packs_b = packs_b(s);
  if (packs_a(s)) plan_lines(s, plan);
  plan.nontemporal = can_write_nontemporal(s);
  if (form.multiplies_partially && is_skinny(s)) {
    plan_skinny(s, plan);
    return plan;
  }
  const bool works_in_place = form.multiplies_unpacked && !form.rounds_results;
  if (works_in_place && threads == 1 && s.chunks <= 1 && !plan.packs_b && plan.packed_rows == 0) {
    plan.method = matmul_method::direct;
    return plan;
  }
  plan.group = group_panels(s) * form.tile_columns;
  plan.rows_outermost = !fits(form.m, s.terms, s.element, s.cache / 4);
  if (s.chunks > 1 && threads > 1 && s.row_tiles * s.panels < 4 * threads) {
    plan_split_k(s, plan);
  } else {
    plan_blocks(s, plan);
  }
  return plan;
}

}  // namespace tandem::openmp_impl
