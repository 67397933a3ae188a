// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/contenders.hpp>

#include <string>
#include <vector>

namespace perf {

/// z = x + scale * y, z = x, z += 1.
enum class loop { triad, copy, increment };

/// How the elements lie in memory: a line; every second element of one; a line that begins one
/// element past an aligned address; a plane without gaps; a plane whose rows have a gap between
/// them.
enum class form { line, strided, misaligned, plane, pitched };

/// Where element (j, i) of a view lies: offset + j * pitch + i * step.
struct placement {
  tandem::index_t rows = 1;
  tandem::index_t columns = 0;
  tandem::index_t offset = 0;
  tandem::index_t pitch = 0;
  tandem::index_t step = 1;

  TANDEM_FUNCTION tandem::index_t size() const { return rows * columns; }
  /// Elements of memory that hold the view and the gaps between its elements.
  TANDEM_FUNCTION tandem::index_t span() const {
    return offset + (rows - 1) * pitch + (columns - 1) * step + 1;
  }
};

struct loop_case {
  loop operation;
  form shape;
  tandem::index_t rows;
  tandem::index_t columns;

  placement place() const;
};

/// Every case of the table of bars: lines in all sizes, the other forms in some. Those of f64 are
/// lines only.
std::vector<loop_case> loop_cases(bool lines_only);

/// The reference of each is that no element is wrong, which the device finds out by itself: arrays
/// of 8 GB are not checked on the host.
problem loop_problem(const loop_case& asked, const std::string& type, std::size_t element_bytes);

}  // namespace perf
