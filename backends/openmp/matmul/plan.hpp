// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/backends/openmp/matmul/policy.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// How one product is computed. All methods give the same bits.
enum class matmul_method : unsigned char {
  direct,   ///< one thread reads a and b in place, in one chunk
  skinny,   ///< one thread reads b in place, a few terms of all columns at a time
  blocked,  ///< chunk after chunk; the threads share the tiles of c
  split_k   ///< threads share the chunks of a long k as well
};

/// The method for one entry of a batch, and the scratch that it needs, in elements.
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

/// Returns the plan for one entry of `problem` and a team of `threads`, which keeps at most about
/// `totals_elements` elements of totals outside c.
template <class T, class In>
matmul_plan plan_matmul(const matmul_problem<T, In>& problem,
                        const matmul_kernels_for<T, In>& kernels, int threads,
                        index_t totals_elements = matmul_policy::totals_elements);

}  // namespace tandem::openmp_impl
