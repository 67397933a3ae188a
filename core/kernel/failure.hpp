// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <string>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

namespace tandem::host {

/// Throws what a kernel did wrong. The checked runtime reports it first, as it does what it finds
/// itself, and adds the kernel, the lane and the line; elsewhere the operation adds what it knows
/// (core/kernel/place.hpp).
///
/// kind  one or two words for tools: "out of range", "nested"
template <class Error>
[[noreturn]] void fail_in_kernel([[maybe_unused]] const char* kind, const std::string& what,
                                 [[maybe_unused]] const char* hint) {
#if TANDEM_CHECKED > 1
  throw Error(checked::failure(kind, what, hint));
#else
  throw Error(what);
#endif
}

}  // namespace tandem::host
