// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/recording.hpp>
#include <tandem/core/extents.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tandem {

/// An operation that ran on both sides of a comparison.
struct compared_operation {
  std::string label;          ///< name and sizes, "matmul 512 x 512 x 512 x 1"
  bool agrees = true;         ///< whether every bit that it wrote is equal
  std::string output;         ///< of the first difference: "array 3", "result", "host memory 1"
  index_t first = -1;         ///< index of the first element that differs, in memory order
  std::string value_a;        ///< that element on either side
  std::string value_b;        ///< likewise
  index_t differing = 0;      ///< elements that differ, in all outputs
  std::uint64_t ulp = 0;      ///< largest distance of two numbers, or 2^64 - 1: only one is NaN
  double milliseconds_a = 0;  ///< from a space without work to a space without work
  double milliseconds_b = 0;  ///< likewise
};

/// What tandem::compare found.
struct comparison {
  std::string name_a;
  std::string name_b;
  std::vector<compared_operation> operations;  ///< in the order of the sequence
  std::string mismatch;  ///< why the comparison ended early; empty where it did not

  /// Whether both sides ran the same operations and wrote the same bits.
  bool agrees() const;

  /// The report, one line per operation, for a person.
  std::string text() const;
};

namespace detail {

/// Two runs of a sequence on this thread: what the first one writes is kept, and what the second
/// one writes is compared with it.
class comparer {
 public:
  comparer();
  comparer(const comparer&) = delete;
  comparer& operator=(const comparer&) = delete;
  ~comparer();

  /// Begins a run; the second call begins the second one.
  void begin(const space_access& space);
  /// Ends a run, whose space has no work any more.
  void end(const space_access& space);
  const comparison& report() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace detail

}  // namespace tandem
