// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tandem {

/// Base of everything that tandem throws. The message names the operation, the operands and the
/// numbers that disagree.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shapes, sizes or ranges that do not fit each other or their type: `matmul: columns of a (64) !=
/// rows of b (32)`.
class extent_error : public error {
 public:
  using error::error;
};

/// A value that an operation cannot take: an empty interval, a null pointer, host memory for a
/// device, a block too large.
class argument_error : public error {
 public:
  using error::error;
};

/// A device or its driver refused: the message holds the call, the label and the launch shape.
class device_error : public error {
 public:
  using error::error;
};

/// An operation that a recorded graph cannot hold: one whose result the host waits for, or one that
/// reads or writes ordinary memory of the host. The recording ends.
class recording_error : public error {
 public:
  using error::error;
};

/// There is no such device, or no device at all.
class no_device_error : public device_error {
 public:
  using device_error::device_error;
};

/// Memory ran out. Nothing was allocated; what was allocated before stays valid.
class out_of_memory_error : public error {
 public:
  /// @param asked  bytes that were asked for
  /// @param free   bytes that were free at that moment, as far as the system tells
  out_of_memory_error(const std::string& where, std::size_t asked, std::size_t free)
      : error(where + ": out of memory: asked for " + std::to_string(asked) + " bytes, " +
              std::to_string(free) + " bytes free"),
        asked_(asked),
        free_(free) {}

  std::size_t asked() const noexcept { return asked_; }
  std::size_t free() const noexcept { return free_; }

 private:
  std::size_t asked_;
  std::size_t free_;
};

namespace detail {

/// Text of a number, as messages print it.
template <class Number>
std::string text(Number value) {
  return std::to_string(value);
}

/// Throws extent_error "operation: left (l) relation right (r)", for example "matmul: columns of a
/// (64) != rows of b (32)".
[[noreturn]] inline void fail_extents(const char* operation, const char* left, long long left_value,
                                      const char* relation, const char* right,
                                      long long right_value) {
  throw extent_error(std::string(operation) + ": " + left + " (" + text(left_value) + ") " +
                     relation + " " + right + " (" + text(right_value) + ")");
}

/// Throws extent_error unless both numbers are equal.
inline void require_equal(const char* operation, const char* left, long long left_value,
                          const char* right, long long right_value) {
  if (left_value != right_value)
    fail_extents(operation, left, left_value, "!=", right, right_value);
}

/// Throws argument_error "operation: what" unless `holds`.
inline void require(bool holds, const char* operation, const char* what) {
  if (!holds) throw argument_error(std::string(operation) + ": " + what);
}

}  // namespace detail
}  // namespace tandem
