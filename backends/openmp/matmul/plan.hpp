// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/policy.hpp>
#include <tandem/backends/openmp/matmul/problem.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

#include <cstdint>

/// Everything that is decided before a product runs, as values. Plans depend on shapes, strides and
/// tiles, not on types or elements, so one plan serves every product of the same form. They change
/// speed and scratch, never a bit.

namespace tandem::openmp_impl {

/// What plans depend on, besides the number of threads.
struct matmul_form {
  index_t batch = 1;
  index_t m = 0;
  index_t n = 0;
  index_t k = 0;
  index_t a_column = 1;
  index_t b_row = 0;
  index_t b_column = 1;
  index_t c_column = 1;
  bool has_beta = false;
  bool has_epilogue = false;
  bool aligns_c = false;  ///< rows and entries of c begin at cache lines

  int tile_rows = 1;                  ///< of the kernels' micro tile
  int tile_columns = 1;               ///< of the kernels' micro tile
  int lanes = 1;                      ///< elements of a vector
  index_t chunk = 1;                  ///< elements of a chunk of k
  bool multiplies_partially = false;  ///< the kernels have multiply_partial
  bool multiplies_unpacked = true;    ///< the kernels can read a and b in place
  bool rounds_results = false;        ///< results are rounded to c's type after the kernels
  index_t element_bytes = 1;          ///< of a sum
};

/// Returns the form of a product in its canonical orientation.
template <class T, class In>
matmul_form form_of(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
  constexpr index_t size = sizeof(detail::matmul_sum_t<T>);
  constexpr index_t line = 64;
  const bool aligns_c = reinterpret_cast<std::uintptr_t>(p.c) % std::uintptr_t{line} == 0 &&
                        p.c_row * size % line == 0 && p.c_batch * size % line == 0;
  return {.batch = p.batch,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .a_column = p.a_column,
          .b_row = p.b_row,
          .b_column = p.b_column,
          .c_column = p.c_column,
          .has_beta = p.beta != 0,
          .has_epilogue = detail::epilogue_of(p).has_epilogue(),
          .aligns_c = aligns_c,
          .tile_rows = kernels.rows,
          .tile_columns = kernels.columns,
          .lanes = kernels.lanes,
          .chunk = kernels.chunk,
          .multiplies_partially = kernels.multiply_partial != nullptr,
          .multiplies_unpacked = multiplies_unpacked<T, In>,
          .rounds_results = rounds_results<T>,
          .element_bytes = size};
}

/// How one product is computed. All methods give the same bits.
enum class matmul_method : unsigned char {
  small,    ///< one call of the kernel on the whole product
  direct,   ///< one thread reads a and b in place, in one chunk
  skinny,   ///< one thread reads b in place, a few terms of all columns at a time
  blocked,  ///< chunk after chunk; the threads share the tiles of c
  split_k   ///< threads share the chunks of a long k as well
};

/// The method for one entry of a batch and the scratch that it needs, in elements.
struct matmul_plan {
  matmul_method method = matmul_method::blocked;
  index_t group = 0;        ///< columns of c whose part of b, or whose chains, stay in a core's L2
  index_t groups = 1;       ///< groups that are packed at once
  index_t block_rows = 0;   ///< rows of c that are computed before the next columns are packed
  index_t packed_rows = 0;  ///< rows of a that a thread copies at a time; 0 if none are copied
  index_t line = 0;         ///< stride of these rows
  bool packs_b = false;
  bool shares_rows = false;     ///< the team packs the rows of a before it multiplies
  bool rows_outermost = false;  ///< the loop over rows of tiles encloses the loop over columns
  bool exceeds_l2 = false;      ///< the operands exceed a core's L2: kernels prefetch
  bool nontemporal = false;     ///< c is written with non-temporal stores
  index_t chunks = 1;           ///< chunks of k in flight together
  index_t a_elements = 0;       ///< per thread
  index_t c_elements = 0;       ///< per thread: results before they are rounded to c's type
  index_t b_elements = 0;       ///< per team: panels or chains; per thread with split-K
  index_t totals_elements = 0;  ///< per team
  index_t rows_elements = 0;    ///< per team: its rows of a

  /// Elements that each thread needs for itself.
  index_t own_elements() const {
    return a_elements + c_elements + (method == matmul_method::split_k ? b_elements : 0);
  }

  /// Elements that a team of `threads` needs.
  index_t elements(int threads) const {
    const index_t panels = method == matmul_method::split_k ? 0 : b_elements;
    return threads * own_elements() + panels + totals_elements + rows_elements;
  }
};

/// Returns the plan for one entry of a batch and a team of `threads`, which keeps at most about
/// `totals_elements` elements of totals outside c.
matmul_plan plan_matmul(const matmul_form& form, int threads,
                        index_t totals_elements = matmul_policy::totals_elements);

/// How the threads share a product.
enum class matmul_sharing : unsigned char {
  team,     ///< all threads compute each entry of the batch together
  entries,  ///< each thread computes whole entries of the batch
  blocks    ///< each thread computes blocks of c for itself, with its own panels
};

/// The plan of a whole call.
struct matmul_schedule {
  int threads = 1;
  matmul_sharing sharing = matmul_sharing::team;
  matmul_partition partition;  ///< if blocks are shared
  matmul_plan plan;            ///< for an entry, or a block of one

  /// Elements of scratch for all threads.
  index_t elements() const {
    return sharing == matmul_sharing::team ? plan.elements(threads) : threads * plan.elements(1);
  }
};

/// Returns how many of `threads` threads have enough work to be worth waking.
int useful_threads(int threads, index_t batch, index_t m, index_t n, index_t k);

template <class T, class In>
int useful_threads(int threads, const matmul_problem<T, In>& p) {
  return useful_threads(threads, p.batch, p.m, p.n, p.k);
}

/// Returns the schedule of a product for at most `threads` threads, with at most about
/// `totals_elements` elements of totals outside c.
matmul_schedule schedule_matmul(const matmul_form& form, int threads,
                                index_t totals_elements = matmul_policy::totals_elements);

/// Whether a product is too small to be worth a plan; the kernels must be able to read and write
/// every matrix in place.
template <class T, class In>
bool is_small(const matmul_problem<T, In>& p, const matmul_kernels_for<T, In>& kernels) {
  constexpr index_t most = 96;
  return works_in_place<T, In> && p.batch == 1 && p.m <= most && p.n <= most && p.k <= most &&
         p.n >= kernels.lanes && p.a_column == 1 && p.b_column == 1 && p.c_column == 1 &&
         p.b_row != 0;
}

template <class T, class In>
matmul_schedule schedule_matmul(const matmul_problem<T, In>& problem,
                                const matmul_kernels_for<T, In>& kernels, int threads,
                                index_t totals_elements = matmul_policy::totals_elements) {
  if (is_small(problem, kernels)) {
    matmul_schedule small;
    small.plan.method = matmul_method::small;
    return small;
  }
  return schedule_matmul(form_of(problem, kernels), threads, totals_elements);
}

/// Prints a schedule to stderr if TANDEM_EXPLAIN=1 is in the environment.
void explain(const matmul_schedule& schedule, const char* instruction_set, index_t batch, index_t m,
             index_t n, index_t k);

}  // namespace tandem::openmp_impl
