// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/tools/comparison/recording.hpp>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Records of what the operations of a run wrote, kept in memory or in a file until another run is
/// compared with it.
namespace tandem::detail {

using element_bytes = std::vector<unsigned char>;

/// The content of one output after an operation.
struct change {
  element_format format;
  element_bytes bytes;
};

/// Arrays are numbered from 0 in the order of creation; results and other host memory have negative
/// numbers.
using changes = std::map<int, change>;
inline constexpr int first_result = -1;
inline constexpr int first_host_output = -1001;

/// "array 3", "result" or "host memory 0".
std::string output_name(int number);

/// An operation of a run.
struct record {
  std::string label;  ///< name and sizes; empty for writes between operations
  double milliseconds = 0;
  changes written;
};

/// Appends a record to a stream, in this machine's format.
void put_record(std::ostream& out, const record& what);

/// Reads the next record, or none at the end of the stream.
std::optional<record> get_record(std::istream& in);

/// The two runs of a comparison. New arrays hold other values in each, so that reads before the
/// first write differ.
enum class run : int { a = 0, b = 1 };

/// Returns the memory of `count` new elements.
element_bytes unwritten(run which, index_t count, const element_format& format);

/// How the elements of two runs differ.
struct difference {
  index_t differing = 0;
  index_t first = -1;
  std::string value_a;
  std::string value_b;
  std::uint64_t ulp = 0;
};

/// Compares the bits of elements. All NaNs are equal, and an element that neither run has written
/// equals itself.
difference find_difference(const element_bytes& a, const element_bytes& b,
                           const element_format& format);

}  // namespace tandem::detail
