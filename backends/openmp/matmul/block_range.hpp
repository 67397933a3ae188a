// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// Rows `row` <= i < `row` + `rows` of c and some of its columns, for some terms of k.
struct matmul_part {
  index_t row;
  index_t rows;
  index_t column;
  index_t columns;
  index_t term;
  index_t terms;
};

}  // namespace tandem::openmp_impl
