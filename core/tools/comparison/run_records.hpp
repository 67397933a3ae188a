// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/tools/comparison/recording.hpp>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What the operations of a run wrote, kept in memory or in a file until another run is compared
/// with it.
namespace tandem::detail {

using element_bytes = std::vector<unsigned char>;

/// What an operation left in one of its outputs.
struct change {
  element_format format;
  element_bytes bytes;
};

/// Arrays are numbered from 0 in the order in which they are made, results and other memory of the
/// host downwards.
using changes = std::map<int, change>;
inline constexpr int first_result = -1;
inline constexpr int first_host_output = -1001;

/// "array 3", "result" or "host memory 0".
std::string output_name(int number);

/// An operation of a run.
struct record {
  std::string label;  ///< name and sizes; empty for what was written between operations
  double milliseconds = 0;
  changes written;
};

/// Appends a record to a stream, in the form of this machine.
void put_record(std::ostream& out, const record& what);

/// The next record, or none at the end of the stream.
std::optional<record> get_record(std::istream& in);

/// The two runs of a comparison. New arrays hold other values in each, so that what reads them
/// before it writes them differs.
enum class run : int { a = 0, b = 1 };

/// The memory of `count` new elements.
element_bytes unwritten(run which, index_t count, const element_format& format);

/// How the elements of two runs differ.
struct difference {
  index_t differing = 0;
  index_t first = -1;
  std::string value_a;
  std::string value_b;
  std::uint64_t ulp = 0;
};

/// Compares the bits of elements. Any NaN equals any other, and an element that neither run has
/// written equals itself.
difference find_difference(const element_bytes& a, const element_bytes& b,
                           const element_format& format);

}  // namespace tandem::detail
