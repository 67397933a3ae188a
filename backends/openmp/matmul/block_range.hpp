// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// A block of c and a range of k: rows `row` <= i < `row` + `rows`, and columns and terms likewise.
struct block_range {
  index_t row;
  index_t rows;
  index_t column;
  index_t columns;
  index_t term;
  index_t terms;
};

}  // namespace tandem::openmp_impl
