// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

/// The settings that the library takes from the environment. A value that it does not know is
/// ignored as if the variable were not set, and reported once:
///
///   tandem: TANDEM_ISA=garbage is ignored: there are baseline, avx2, avx512
///
/// TANDEM_SPACE is a space's name rather than a setting, so an unknown one throws (any_space).
namespace tandem::detail {

/// Prints "tandem: VARIABLE=value is ignored: why" to stderr, once per variable and process.
///
/// @param variable  a string literal
void ignore_setting(const char* variable, const char* value, const char* why) noexcept;

/// Returns the position of the variable's value among `words`; -1 if it is not set, empty or, which
/// is reported, none of them.
int word_in_environment(const char* variable,
                        std::initializer_list<std::string_view> words) noexcept;

/// Returns whether the variable is "1" or "on". Others than these, "0", "off" and "" are reported.
bool flag_in_environment(const char* variable) noexcept;

/// Returns the number, from 0 to 2^64 - 1 in decimal digits, that is the variable's value; nothing
/// if it is not set, empty or, which is reported, something else.
std::optional<std::uint64_t> number_in_environment(const char* variable) noexcept;

}  // namespace tandem::detail
