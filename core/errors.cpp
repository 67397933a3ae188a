// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>

#include <cstdio>
#include <utility>

namespace tandem {

requirement_error::requirement_error(std::string text, const std::string& value,
                                     const std::string& place)
    : error("require_in_kernel: " + text + " (value " + value + ") at " + place),
      text_(std::move(text)),
      value_(value),
      place_(place) {}

out_of_memory_error::out_of_memory_error(std::string_view where, std::size_t asked,
                                         std::size_t free)
    : error(""), asked_(asked), free_(free) {
  const auto length = static_cast<int>(where.size() < 96 ? where.size() : 96);
  std::snprintf(message_, sizeof message_,
                "%.*s: out of memory: asked for %zu bytes, %zu bytes free", length, where.data(),
                asked, free);
}

namespace detail {

void message_part::append_to(std::string& message) const {
  char digits[32];
  switch (kind_) {
    case kind::text:
      message += value_.text;
      return;
    case kind::integer:
      message += std::to_string(value_.integer);
      return;
    case kind::natural:
      message += std::to_string(value_.natural);
      return;
    case kind::real:
      std::snprintf(digits, sizeof digits, "%.9g", value_.real);
      message += digits;
      return;
  }
}

std::string message(std::initializer_list<message_part> parts) {
  std::string all;
  for (const message_part& part : parts) part.append_to(all);
  return all;
}

void fail_extents(const char* operation, const char* left, long long left_value,
                  const char* relation, const char* right, long long right_value) {
  throw extent_error(message({operation, ": ", left, " (", left_value, ") ", relation, " ", right,
                              " (", right_value, ")"}));
}

void fail_argument(const char* operation, const char* what) {
  throw argument_error(message({operation, ": ", what}));
}

void fail_memory(const char* operation, const out_of_memory_error& cause) {
  throw out_of_memory_error(operation, cause.asked(), cause.free());
}

void fail_operation(const char* operation) {
  try {
    throw;
  } catch (const out_of_memory_error& e) {
    fail_memory(operation, e);
  }
}

}  // namespace detail
}  // namespace tandem
