// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace tandem {

requirement_error::requirement_error(std::string text, const std::string& value,
                                     const std::string& place)
    : error("require_in_kernel: " + text + " (value " + value + ") at " + place),
      text_(std::move(text)),
      value_(value),
      place_(place) {}

out_of_memory_error::out_of_memory_error(std::string_view where, std::size_t asked,
                                         std::size_t free, std::size_t limit)
    : error(""), asked_(asked), free_(free), limit_(limit) {
  const auto length = static_cast<int>(where.size() < 96 ? where.size() : 96);
  const int end = std::snprintf(message_, sizeof message_,
                                "%.*s: out of memory: asked for %zu bytes, %zu bytes free", length,
                                where.data(), asked, free);
  if (limit > 0 && end > 0) {
    std::snprintf(message_ + end, sizeof message_ - static_cast<std::size_t>(end),
                  " of the %zu bytes of address space that ulimit -v allows", limit);
  }
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

void fail_negative(const char* operation, const char* what, long long value) {
  throw extent_error(
      message({operation, ": ", what, " (", value, ") < smallest size (0)", negative_size_hint}));
}

void fail_argument(const char* operation, const char* what) {
  throw argument_error(message({operation, ": ", what}));
}

void fail_memory(const char* operation, const out_of_memory_error& cause) {
  throw out_of_memory_error(operation, cause.asked(), cause.free(), cause.limit());
}

namespace {

/// Throws a copy of `e` that begins with the label, unless it does so already or is of a type that
/// its user has derived.
template <class Error>
void add_label(const Error& e, const std::string& operation, const std::string& label) {
  const std::string_view what = e.what();
  if (typeid(e) != typeid(Error) || what.starts_with(label + " (")) return;
  const std::string name = operation + ": ";
  const std::string_view rest = what.starts_with(name) ? what.substr(name.size()) : what;
  throw Error(label + " (" + operation + "): " + std::string(rest));
}

[[noreturn]] void fail_labelled(const std::string& operation, const std::string& label) {
  try {
    throw;
  } catch (const out_of_memory_error& e) {
    fail_memory((label + " (" + operation + ")").c_str(), e);
  } catch (const requirement_error& e) {
    const std::string place = ", in " + label;
    if (e.place().ends_with(place)) throw;
    throw requirement_error(e.text(), e.value(), e.place() + place);
  } catch (const extent_error& e) {
    add_label(e, operation, label);
    throw;
  } catch (const argument_error& e) {
    add_label(e, operation, label);
    throw;
  } catch (const kernel_error& e) {
    add_label(e, operation, label);
    throw;
  } catch (const recording_error& e) {
    add_label(e, operation, label);
    throw;
  } catch (const device_error& e) {
    add_label(e, operation, label);
    throw;
  }
}

}  // namespace

void fail_operation(const char* operation, const char* label, bool on_host) {
  if (label != nullptr) fail_labelled(operation, label);
  try {
    throw;
  } catch (const out_of_memory_error& e) {
    fail_memory(operation, e);
  } catch (const device_error& e) {
    // Calls that a machine with several devices needs know no operation.
    const bool is_named = std::string_view(e.what()).find(operation) != std::string_view::npos;
    if (is_named || typeid(e) != typeid(device_error)) throw;
    throw device_error(message({operation, ": ", e.what()}));
  } catch (const requirement_error& e) {
    const bool is_named = e.place().find(" in ") != std::string::npos;
    if (!on_host || is_named || typeid(e) != typeid(requirement_error)) throw;
    throw requirement_error(e.text(), e.value(), e.place() + ", in " + operation);
  }
}

}  // namespace detail
}  // namespace tandem
