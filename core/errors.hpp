// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// A file was compiled, or a thread computes, in a way that keeps backends from giving the same
/// bits. The message names the flag to remove, and TANDEM_AGREEMENT=0, which gives the promise up.
class agreement_error : public error {
 public:
  using error::error;
};

/// A kernel broke a rule of parallel code: two lanes touched one element, a lane read what nothing
/// wrote, and so on, in builds that link tandem::checked (docs/debugging.md); or a phase inside a
/// phase in every checked build. The message names the kernel, the element, both lanes and their
/// lines.
class kernel_error : public error {
 public:
  using error::error;
};

/// A kernel required what does not hold (<tandem/require_in_kernel.hpp>). The message begins with
/// "require_in_kernel: TEXT (value V) at FILE:LINE"; then it names the kernel and the index on a
/// CPU, on a GPU the block, the thread and the last kernel of the stream that found it.
class requirement_error : public error {
 public:
  requirement_error(std::string text, const std::string& value, const std::string& place);

  /// What was required, the value, and what follows "at", as they stand in the message.
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

/// Memory ran out. Nothing was allocated; what was allocated before stays valid, and what the
/// operation would have overwritten is unchanged. The exception holds its message in itself, so
/// that throwing it takes no memory from the heap.
class out_of_memory_error : public error {
 public:
  /// @param where  the operation; the message keeps its first 96 characters
  /// @param asked  bytes that were asked for
  /// @param free   bytes that were free at that moment, as far as the system tells
  out_of_memory_error(std::string_view where, std::size_t asked, std::size_t free);

  const char* what() const noexcept override { return message_; }
  std::size_t asked() const noexcept { return asked_; }
  std::size_t free() const noexcept { return free_; }

 private:
  std::size_t asked_;
  std::size_t free_;
  char message_[192];
};

namespace detail {

/// Text of a number, as messages print it.
template <class Number>
std::string text(Number value) {
  return std::to_string(value);
}

/// Text or a number, of which message() makes messages. Refers to the text. Floating point has the
/// nine digits that tell floats apart.
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

/// The parts one after another. Where a user's file makes an error, this compiles in a fraction of
/// the time that sums of strings take.
std::string message(std::initializer_list<message_part> parts);

/// Throws extent_error "operation: left (l) relation right (r)", for example "matmul: columns of a
/// (64) != rows of b (32)".
[[noreturn]] void fail_extents(const char* operation, const char* left, long long left_value,
                               const char* relation, const char* right, long long right_value);

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

/// Throws `cause` again in the name of the operation that the user called.
[[noreturn]] void fail_memory(const char* operation, const out_of_memory_error& cause);

}  // namespace detail
}  // namespace tandem
