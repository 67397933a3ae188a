// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/kernel/target.hpp>

#include <string>
#include <type_traits>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

/// A user's own requirements in kernels. Not part of <tandem/tandem.hpp>, since each file of a
/// GPU's kernels that includes this gets a pointer on every device. Kernels without requirements
/// are the same with it.
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

/// Requires something of a kernel's data: throws requirement_error at the operation on a CPU, where
/// the operation ends as by any exception, and on a GPU at the next fence() of a stream of that
/// device, with the first failure of the file's kernels. There the thread that fails ends, others
/// go on, and device and stream remain usable.
///
/// @param holds       whether the requirement is met
/// @param text        names the requirement; a GPU's message has its first 127 characters
/// @param value       a number for the message
/// @param file, line  where the call is: left out
/// A lane that has failed takes no part in collectives of its team, which then have no defined
/// result.
template <class Value>
  requires std::is_arithmetic_v<Value>
TANDEM_FUNCTION void require_in_kernel(bool holds, const char* text, Value value,
                                       const char* file = __builtin_FILE(),
                                       int line = __builtin_LINE()) {
  if (!holds) detail::target::fail_requirement(text, value, file, line);
}

}  // namespace tandem
