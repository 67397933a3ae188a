// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <string>
#include <vector>

namespace perf {

/// Operations: z = x + scale * y, z = x, z += 1.
enum class loop { triad, copy, increment };

/// Layout of the elements in memory: a line; every second element of a line; a line that begins one
/// element past an aligned address; a contiguous plane; a plane with gaps between its rows.
enum class form { line, strided, misaligned, plane, pitched };

/// Position of element (j, i) of a view: offset + j * pitch + i * step.
struct placement {
  index_t rows = 1;
  index_t columns = 0;
  index_t offset = 0;
  index_t pitch = 0;
  index_t step = 1;

  TANDEM_FUNCTION index_t size() const { return rows * columns; }
  /// Elements of memory that hold the view and the gaps between its elements.
  TANDEM_FUNCTION index_t span() const {
    return offset + (rows - 1) * pitch + (columns - 1) * step + 1;
  }
};

struct loop_case {
  loop operation;
  form shape;
  index_t rows;
  index_t columns;

  placement place() const;
};

/// Cases of the GPU's targets: lines of all sizes and, unless `lines_only`, the other forms of
/// some.
std::vector<loop_case> loop_cases(bool lines_only);

/// The problem of a case. Its reference is that no element is wrong, which the device counts
/// itself, since arrays of 8 GB are too large to check on the host.
problem loop_problem(const loop_case& asked, const std::string& type, std::size_t element_bytes);

}  // namespace perf
