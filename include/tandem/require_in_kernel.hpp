// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/kernel/link_guard.hpp>
#include <tandem/core/kernel/target.hpp>

#include <string>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

/// Lets users state requirements in kernels. Not part of <tandem/tandem.hpp>, because every GPU
/// source file that includes this header gets a pointer on every device. Kernels that state none
/// are not affected.
namespace tandem {

namespace host {

template <class Value>
[[noreturn]] void fail_requirement(const char* text, Value value, const char* file, int line) {
  std::string place = std::string(file) + ":" + detail::text(line);
#if TANDEM_CHECKED > 1
  const std::string what = std::string(text) + " (value " + detail::text(value) + ")";
  place += checked::failure("requirement", what, "the kernel states what it needs of its data")
               .substr(what.size());
#endif
  throw requirement_error(text, detail::text(value), place);
}

}  // namespace host

#ifdef TANDEM_DEVICE_PASS
namespace detail {
[[maybe_unused]] static const bool watches_requirements =
    device::watch_requirements(&device::requirement_slot<void>);
}
#endif

/// Checks a requirement inside a kernel and throws requirement_error if it does not hold. On a CPU
/// the operation throws and ends as with any exception. On a GPU the next fence() of a stream of
/// that device throws, with the first failure of the file's kernels; the failing thread ends, other
/// threads continue, and device and stream remain usable.
///
/// @param holds       whether the requirement is met
/// @param text        names the requirement, "no text" if null; a GPU's message has its first 127
///                    characters
/// @param value       a number for the message
/// @param file, line  position of the call; leave them out
/// A lane that has failed takes no part in collectives of its team, which then have no defined
/// result.
template <class Value>
  requires std::is_arithmetic_v<Value>
TANDEM_FUNCTION void require_in_kernel(bool holds, const char* text, Value value,
                                       const char* file = __builtin_FILE(),
                                       int line = __builtin_LINE()) {
  if (!holds)
    detail::target::fail_requirement(text != nullptr ? text : "no text", value, file, line);
}

}  // namespace tandem
