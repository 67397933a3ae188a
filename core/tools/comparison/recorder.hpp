// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/tools/comparison/comparison.hpp>
#include <tandem/core/tools/comparison/run_records.hpp>
#include <tandem/core/tools/profiling/profiling.hpp>

namespace tandem::detail {

/// One run of a thread's operations: it writes records of them, or compares them with another run's
/// records.
class recorder {
 public:
  /// Run a writes `records`; run b reads them and puts its findings into `report`.
  recorder(run which, std::iostream& records, comparison& report)
      : which_(which), records_(records), report_(report) {}

  /// Fills a new array with the values of unwritten(), and watches it.
  void add_array(void* data, index_t count, const element_format& format,
                 const space_access& space);
  void remove_array(const void* data) { arrays_.erase(const_cast<void*>(data)); }
  /// Outputs and results of the running operation; those of nested operations belong to them.
  void add_output(const noted_output& output);
  void add_result(const void* value, const element_format& format);

  void begin(const operation& what);
  void end(const operation& what);

  /// Reads the arrays a last time and reports whether the other run continues.
  void finish(const space_access& space);

  /// Called when memory for the records has run out: the comparison is incomplete.
  void spoil() { is_spoilt_ = true; }
  bool is_spoilt() const { return is_spoilt_; }
  /// Bytes of the arrays that are watched now, at least one.
  std::size_t watched_bytes() const;

 private:
  struct known_array {
    int number;
    index_t count;
    element_format format;
    bool is_on_device;
    element_bytes last;  ///< its content at the last reading
  };

  bool lies_in_array(const void* data) const;
  /// Reads the arrays and returns those whose memory has changed.
  changes array_changes(const space_access& space);
  /// Adds the elements of other memory that the operation has written.
  void add_host_outputs(changes& written) const;
  /// Writes a record, or compares it with the other run's.
  void keep(const record& what);
  /// Compares everything that either run has written.
  void compare(const record& a, const record& b);
  void compare_output(int number, const change* a, const change* b, compared_operation& result);
  /// Returns the current content of the array with this number.
  change held_by(int number) const;

  const run which_;
  std::iostream& records_;
  comparison& report_;
  std::map<void*, known_array> arrays_;
  changes last_of_a_;            ///< content of the arrays in the first run
  std::optional<record> other_;  ///< read but not yet compared
  std::vector<noted_output> outputs_;
  changes results_;
  int next_array_ = 0;
  int depth_ = 0;  ///< running operations
  double begin_ = 0;
  bool is_spoilt_ = false;
};

}  // namespace tandem::detail
