// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tandem {

/// Base of all exceptions that tandem throws. The message names the operation, the operands and the
/// numbers that disagree.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shapes, sizes or ranges that do not fit each other or their type: `matmul: columns of a
/// (64) != rows of b (32)`.
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

/// A device or its driver refused a call: the message has the call, the label and the launch shape.
class device_error : public error {
 public:
  using error::error;
};

/// A file that cannot be opened, read or written, or whose elements are not those that a program
/// expects. The message has the operation, the file, and the numbers that disagree.
class file_error : public error {
 public:
  using error::error;
};

/// An operation that a recorded graph cannot contain: the host waits for its result, or it accesses
/// ordinary host memory. The recording ends.
class recording_error : public error {
 public:
  using error::error;
};

/// A file's compilation, or a thread's mode, prevents backends from giving the same bits. The
/// message names the flag to remove, and TANDEM_AGREEMENT=0, which waives the guarantee.
class agreement_error : public error {
 public:
  using error::error;
};

/// A kernel broke a rule of parallel code in a build that links tandem::checked
/// (docs/debugging.md): for example, two lanes accessed one element, or a lane read an unwritten
/// one. Every checked build throws it for a phase inside a phase. The message names the kernel, the
/// element, both lanes and their lines.
class kernel_error : public error {
 public:
  using error::error;
};

/// A kernel's requirement does not hold (<tandem/require_in_kernel.hpp>). The message begins with
/// "require_in_kernel: TEXT (value V) at FILE:LINE". It then names the kernel and the index on a
/// CPU; on a GPU, the block, the thread and the last kernel of the stream that found it.
class requirement_error : public error {
 public:
  requirement_error(std::string text, const std::string& value, const std::string& place);

  /// The requirement, the value, and the position after "at", as in the message.
  const std::string& text() const noexcept { return text_; }
  const std::string& value() const noexcept { return value_; }
  const std::string& place() const noexcept { return place_; }

 private:
  std::string text_;
  std::string value_;
  std::string place_;
};

/// There is no such device, or no device at all.
class no_device_error : public device_error {
 public:
  using device_error::device_error;
};

/// Memory ran out. Nothing was allocated; earlier allocations stay valid, and the operation's
/// outputs are unchanged. The exception stores its message inline, so that throwing it needs no
/// heap memory.
class out_of_memory_error : public error {
 public:
  /// @param where  the operation; the message keeps its first 96 characters
  /// @param asked  bytes requested
  /// @param free   bytes that were free at that moment, if the system tells
  /// @param limit  the limit of the address space (`ulimit -v`), if that is what bounded them;
  ///               otherwise 0
  out_of_memory_error(std::string_view where, std::size_t asked, std::size_t free,
                      std::size_t limit = 0);

  const char* what() const noexcept override { return message_; }
  std::size_t asked() const noexcept { return asked_; }
  std::size_t free() const noexcept { return free_; }
  std::size_t limit() const noexcept { return limit_; }

 private:
  std::size_t asked_;
  std::size_t free_;
  std::size_t limit_;
  char message_[256];
};

namespace detail {

/// Formats a number for messages.
template <class Number>
std::string text(Number value) {
  return std::to_string(value);
}

/// Text or a number that message() concatenates. Refers to the text. Floating point has the nine
/// digits that distinguish floats.
class message_part {
 public:
  // NOLINTBEGIN(google-explicit-constructor): written as a list at the error.
  message_part(const char* text) : kind_(kind::text), value_{.text = text} {}
  message_part(const std::string& text) : message_part(text.c_str()) {}
  message_part(double number) : kind_(kind::real), value_{.real = number} {}
  template <std::signed_integral Number>
  message_part(Number number) : kind_(kind::integer), value_{.integer = number} {}
  template <std::unsigned_integral Number>
  message_part(Number number) : kind_(kind::natural), value_{.natural = number} {}
  // NOLINTEND(google-explicit-constructor)

  void append_to(std::string& message) const;

 private:
  enum class kind : unsigned char { text, integer, natural, real };
  union value {
    const char* text;
    long long integer;
    unsigned long long natural;
    double real;
  };

  kind kind_;
  value value_;
};

/// Concatenates the parts. In files of users that construct errors, this compiles in a fraction of
/// the time of string concatenation.
std::string message(std::initializer_list<message_part> parts);

/// Throws extent_error "operation: left (l) relation right (r)", for example "matmul: columns of a
/// (64) != rows of b (32)".
[[noreturn]] void fail_extents(const char* operation, const char* left, long long left_value,
                               const char* relation, const char* right, long long right_value);

/// What to do about a negative number of elements, for the end of a message.
inline constexpr const char* negative_size_hint =
    ": did a product of ints overflow? compute it in tandem::index_t";

/// Throws extent_error "operation: what (value) < smallest size (0)", with that hint.
[[noreturn]] void fail_negative(const char* operation, const char* what, long long value);

/// Throws argument_error "operation: what".
[[noreturn]] void fail_argument(const char* operation, const char* what);

/// Throws extent_error unless both numbers are equal.
inline void require_equal(const char* operation, const char* left, long long left_value,
                          const char* right, long long right_value) {
  if (left_value != right_value)
    fail_extents(operation, left, left_value, "!=", right, right_value);
}

/// Throws argument_error "operation: what" unless `holds`.
inline void require(bool holds, const char* operation, const char* what) {
  if (!holds) fail_argument(operation, what);
}

/// Rethrows `cause` with the name of the operation that the user called.
[[noreturn]] void fail_memory(const char* operation, const out_of_memory_error& cause);

/// Throws the exception that is being handled again, as the error of the operation that the user
/// called: an out_of_memory_error, and a device_error that does not name it, get its name, and
/// errors begin with "label (operation): " if the space has a label (may be null). A
/// requirement_error whose place names no operation gets the name as well if the kernels run
/// `on_host`: those of a device report to a later operation.
[[noreturn]] void fail_operation(const char* operation, const char* label, bool on_host);

}  // namespace detail
}  // namespace tandem
