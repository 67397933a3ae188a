// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/tools/comparison/recording.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

/// An operation that ran on both sides of a comparison.
struct compared_operation {
  std::string label;          ///< name and sizes: "matmul 512 x 512 x 512 x 1"
  bool agrees = true;         ///< whether every bit that it wrote is equal
  std::string output;         ///< of the first difference: "array 3", "result", "host memory 1"
  index_t first = -1;         ///< index of the first element that differs, in memory order
  std::string value_a;        ///< that element on either side
  std::string value_b;        ///< likewise
  index_t differing = 0;      ///< number of elements that differ, in all outputs
  std::uint64_t ulp = 0;      ///< largest distance of two numbers, or 2^64 - 1: only one is NaN
  double milliseconds_a = 0;  ///< from a space without work to a space without work
  double milliseconds_b = 0;  ///< likewise
};

/// The result of tandem::compare.
struct comparison {
  std::string name_a;
  std::string name_b;
  std::vector<compared_operation> operations;  ///< in the order of the sequence
  std::string mismatch;  ///< why the comparison ended early; empty if it did not

  /// Whether both sides ran the same operations and wrote the same bits.
  bool agrees() const;

  /// Returns the report as text, one line per operation.
  std::string text() const;
};

namespace detail {

/// A type-erased sequence with its space.
struct bound_sequence {
  space_access space;
  const void* context;
  /// Runs the sequence and waits for the space.
  void (*run)(const void* context);
};

/// Runs both on this thread: records what the first one writes and compares the second one's writes
/// with it.
comparison compare_runs(const bound_sequence& a, const bound_sequence& b);

}  // namespace detail

}  // namespace tandem
