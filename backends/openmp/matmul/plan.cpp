// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul/plan.hpp>

#include <cstdint>

#include <unistd.h>

#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {
namespace {

/// Elements of a cache line and more, so that the parts of the scratch stay aligned for vectors.
constexpr index_t aligned_elements = 64;

/// Bytes of a core's own cache, or half a MiB where the system does not say.
index_t own_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return bytes;
#endif
  return index_t{1} << 19;
}

/// Whether rows * columns * size <= limit, without overflow.
bool fits(index_t rows, index_t columns, index_t size, double limit) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(size) <=
         limit;
}

/// Sizes that the parts of a plan share.
template <class T, class In>
struct sizes {
  sizes(const matmul_problem<T, In>& problem, const matmul_kernels_for<T, In>& kernels, int of_team)
      : p(problem), threads(of_team) {
    terms = tandem::min(p.k, kernels.chunk);
    chunks = ceil_div(p.k, kernels.chunk);
    row_tiles = ceil_div<index_t>(p.m, kernels.rows);
    panels = ceil_div<index_t>(p.n, kernels.columns);
    panel_bytes = tandem::max<index_t>(terms, 1) * kernels.columns * element;
    cache = static_cast<double>(own_cache_bytes());
  }

  const matmul_problem<T, In>& p;
  int threads;
  index_t terms;
  index_t chunks;
  index_t row_tiles;
  index_t panels;
  index_t panel_bytes;
  double cache;
  static constexpr index_t element = sizeof(detail::matmul_sum_t<T>);
};

/// Panels of a group: as many as a core's cache holds, and fewer where threads would find too few
/// tasks.
template <class T, class In>
index_t group_panels(const sizes<T, In>& s) {
  const double cached = s.cache * matmul_policy::cached_share / static_cast<double>(s.panel_bytes);
  index_t groups = ceil_div(s.panels, tandem::max<index_t>(static_cast<index_t>(cached), 1));
  if (s.threads > 1) {
    const index_t wanted = ceil_div(s.threads * matmul_policy::units, s.row_tiles);
    groups = tandem::min(tandem::max(groups, wanted), s.panels);
  }
  return ceil_div(s.panels, groups);
}

/// Whether rows of c can be written past the caches: it is large, written once, whole vectors of it
/// are aligned, and no epilogue looks at it again.
template <class T, class In>
bool can_stream(const sizes<T, In>& s) {
  constexpr index_t line = 64;
  const bool aligned = reinterpret_cast<std::uintptr_t>(s.p.c) % std::uintptr_t{line} == 0 &&
                       s.p.c_row * s.element % line == 0;
  const bool entries_aligned = s.p.batch <= 1 || s.p.c_batch * s.element % line == 0;
  return !rounds_results<T> && aligned && entries_aligned && s.chunks <= 1 && s.p.beta == 0 &&
         s.p.c_column == 1 && !detail::epilogue_of(s.p).has_epilogue() &&
         !fits(s.p.m * s.p.batch, s.p.n, s.element,
               static_cast<double>(matmul_policy::stream_bytes));
}

/// Whether b as it lies stays in a core's caches from one row of tiles to the next.
template <class T, class In>
bool stays_cached(const sizes<T, In>& s) {
  // Threads would have to wait for each other's panels, which costs more.
  const bool crowded = s.threads == 1 && s.terms >= matmul_policy::crowded_terms &&
                       s.p.b_row * s.element % matmul_policy::crowded_bytes == 0;
  // Of a slice of columns the gaps count as well.
  const index_t row = tandem::max(s.p.n, s.p.b_row);
  return !crowded && fits(s.terms, row, s.element, s.cache * matmul_policy::direct_share);
}

/// Whether b is packed: where the kernels could not read it, and where they would be slower.
template <class T, class In>
bool packs_b(const sizes<T, In>& s) {
  if (!multiplies_as_is<T, In>) return true;
  if (s.p.b_column != 1 && s.p.n > 1) return true;
  // One row for all terms would look like a packed b to the kernels.
  if (s.p.b_row == 0 && s.terms > 1) return true;
  return s.p.m * s.element > matmul_policy::direct_bytes && !stays_cached(s);
}

/// Whether rows of a are copied before the kernels read them.
template <class T, class In>
bool packs_a(const sizes<T, In>& s) {
  return !multiplies_as_is<T, In> || (s.p.a_column != 1 && s.terms > 1);
}

/// The scratch for rows of a that the kernels could not read.
template <class T, class In>
void plan_lines(const sizes<T, In>& s, int rows, matmul_plan& plan) {
  plan.packed_rows = tandem::min<index_t>(2 * rows, s.p.m);
  // Not a power of two, which would put all rows into the same sets of a cache.
  plan.line = round_up(s.terms, aligned_elements) + 16;
  plan.a_elements = round_up(plan.packed_rows * plan.line, aligned_elements);
}

/// Whether one thread should read b in pieces: c has few rows, and b, which lies in rows, is more
/// than a core's cache holds or would have to be packed to become floats.
template <class T, class In>
bool comes_in_pieces(const sizes<T, In>& s) {
  return s.threads == 1 && s.p.m <= matmul_policy::piece_rows && s.p.b_column == 1 &&
         s.p.b_row != 0 && s.p.k > matmul_policy::piece_terms &&
         (!multiplies_as_is<T, In> || !fits(s.terms, s.p.n, s.element, s.cache));
}

/// Whether sums wait for the next chunk beside c: what c holds is needed, or is of another type.
template <class T, class In>
bool keeps_totals(const sizes<T, In>& s) {
  return s.chunks > 1 && (s.p.beta != 0 || rounds_results<T>);
}

/// The scratch of a product that is computed in pieces.
template <class T, class In>
void plan_pieces(const sizes<T, In>& s, index_t columns, matmul_plan& plan) {
  plan.method = matmul_method::pieces;
  plan.packs_b = false;
  plan.packed_rows = 0;
  plan.line = matmul_policy::piece_terms;
  plan.a_elements = round_up(s.p.m * plan.line, aligned_elements);
  const double panel = static_cast<double>(s.p.m * columns * s.element);
  const double cached = s.cache * matmul_policy::chains_share / panel;
  const index_t most = tandem::max<index_t>(static_cast<index_t>(cached), 1);
  plan.group = ceil_div(s.panels, ceil_div(s.panels, most)) * columns;
  plan.b_elements = round_up(s.p.m * plan.group, aligned_elements);
  if (rounds_results<T>) plan.c_elements = plan.b_elements;
  if (keeps_totals(s)) plan.totals_elements = plan.b_elements;
}

/// The groups of columns that are packed at once: of a team's, what a cache holds that threads
/// share, and so where rows of a are packed for all of them.
template <class T, class In>
index_t groups_at_once(const sizes<T, In>& s, index_t columns, const matmul_plan& plan) {
  const index_t groups = ceil_div(s.p.n, plan.group);
  if (!plan.packs_b) return groups;
  if (s.threads == 1 && !plan.shares_rows) return 1;
  const index_t bytes = plan.group / columns * s.panel_bytes;
  const index_t most = tandem::max<index_t>(matmul_policy::shared_bytes / bytes, 2);
  return ceil_div(groups, ceil_div(groups, most));
}

/// The scratch of a product that is computed in blocks.
template <class T, class In>
void plan_blocks(const sizes<T, In>& s, const matmul_kernels_for<T, In>& kernels,
                 matmul_plan& plan) {
  plan.shares_rows = plan.packed_rows > 0 && s.p.n > plan.group;
  plan.groups = groups_at_once(s, kernels.columns, plan);
  plan.block_rows = s.p.m;
  if (keeps_totals(s)) {
    const index_t width = tandem::min(plan.groups * plan.group, s.p.n);
    const index_t most = tandem::max<index_t>(matmul_policy::totals_elements / width, 64);
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
  if (rounds_results<T>)
    plan.c_elements = matmul_policy::finished_units * kernels.rows * plan.group;
}

/// The scratch of a product whose chunks run at once.
template <class T, class In>
void plan_split(const sizes<T, In>& s, matmul_plan& plan) {
  plan.method = matmul_method::split;
  const index_t width = s.panels * plan.group;
  plan.groups = ceil_div(s.p.n, plan.group);
  plan.block_rows = s.p.m;
  const index_t most = tandem::max<index_t>(
      matmul_policy::totals_elements / tandem::max<index_t>(s.p.m * s.p.n, 1), 2);
  plan.chunks = tandem::min(s.chunks, most);
  plan.totals_elements = round_up((plan.chunks + 1) * s.p.m * s.p.n, aligned_elements);
  if (plan.packs_b) plan.b_elements = round_up(width * s.terms, aligned_elements);
}

}  // namespace

template <class T, class In>
matmul_plan plan_matmul(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels,
                        int threads) {
  const sizes<T, In> s(p, kernels, threads);
  matmul_plan plan;
  const double elements = static_cast<double>(p.m) * static_cast<double>(s.terms + p.n) +
                          static_cast<double>(s.terms) * static_cast<double>(p.n);
  plan.far = elements * static_cast<double>(s.element) > s.cache;
  plan.packs_b = packs_b(s);
  if (packs_a(s)) plan_lines(s, kernels.rows, plan);
  plan.streams = can_stream(s);
  if (kernels.multiply_piece != nullptr && comes_in_pieces(s)) {
    plan_pieces(s, kernels.columns, plan);
    return plan;
  }
  if (is_as_is<T, In> && threads == 1 && s.chunks <= 1 && !plan.packs_b && plan.packed_rows == 0) {
    plan.method = matmul_method::direct;
    return plan;
  }
  plan.group = group_panels(s) * kernels.columns;
  plan.rows_outside = !fits(p.m, s.terms, s.element, s.cache / 4);
  if (s.chunks > 1 && threads > 1 && s.row_tiles * s.panels < 4 * threads) {
    plan_split(s, plan);
  } else {
    plan_blocks(s, kernels, plan);
  }
  return plan;
}

template matmul_plan plan_matmul(const matmul_problem<float>&, const matmul_kernels<float>&, int);
template matmul_plan plan_matmul(const matmul_problem<double>&, const matmul_kernels<double>&, int);
template matmul_plan plan_matmul(const matmul_problem<std::int32_t>&,
                                 const matmul_kernels<std::int32_t>&, int);
template matmul_plan plan_matmul(const matmul_problem<float, bf16>&, const widening_kernels&, int);
template matmul_plan plan_matmul(const matmul_problem<float, half>&, const widening_kernels&, int);
template matmul_plan plan_matmul(const matmul_problem<bf16>&, const widening_kernels&, int);
template matmul_plan plan_matmul(const matmul_problem<half>&, const widening_kernels&, int);
template matmul_plan plan_matmul(const matmul_problem<bf16, float>&, const matmul_kernels<float>&,
                                 int);

}  // namespace tandem::openmp_impl
