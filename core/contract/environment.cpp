// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/contract/environment.hpp>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>

namespace tandem::detail {
namespace {

/// Variables that have been reported. The library reads fewer than these.
constexpr int most_variables = 32;
constinit const char* reported[most_variables] = {};
constinit std::mutex reported_mutex;

/// Returns whether this is the first call for the variable.
bool is_first_report(const char* variable) noexcept {
  const std::lock_guard lock(reported_mutex);
  for (const char*& name : reported) {
    if (name != nullptr && std::strcmp(name, variable) == 0) return false;
    if (name == nullptr) {
      name = variable;
      return true;
    }
  }
  return false;
}

/// Returns the variable's value, or nullptr if it is not set or empty.
const char* value_of(const char* variable) noexcept {
  const char* const value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

}  // namespace

void ignore_setting(const char* variable, const char* value, const char* why) noexcept {
  if (is_first_report(variable))
    std::fprintf(stderr, "tandem: %s=%s is ignored: %s\n", variable, value, why);
}

int word_in_environment(const char* variable,
                        std::initializer_list<std::string_view> words) noexcept {
  const char* const value = value_of(variable);
  if (value == nullptr) return -1;
  int n = 0;
  for (const std::string_view word : words) {
    if (word == value) return n;
    ++n;
  }
  char list[128] = "there are";  // memory may be what the process lacks
  std::size_t length = std::strlen(list);
  for (const std::string_view word : words) {
    const char* const separator = word.data() == words.begin()->data() ? "" : ",";
    const int added = std::snprintf(list + length, sizeof list - length, "%s %.*s", separator,
                                    static_cast<int>(word.size()), word.data());
    if (added < 0 || length + static_cast<std::size_t>(added) >= sizeof list) break;
    length += static_cast<std::size_t>(added);
  }
  ignore_setting(variable, value, list);
  return -1;
}

bool flag_in_environment(const char* variable) noexcept {
  const int word = word_in_environment(variable, {"0", "off", "1", "on"});
  return word >= 2;
}

std::optional<std::uint64_t> number_in_environment(const char* variable) noexcept {
  const char* const value = value_of(variable);
  if (value == nullptr) return {};
  const char* const end = value + std::strlen(value);
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(value, end, number);
  if (error == std::errc() && rest == end) return number;
  ignore_setting(variable, value, "there are the numbers from 0 to 2^64 - 1");
  return {};
}

}  // namespace tandem::detail
