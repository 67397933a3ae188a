// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

/// The one place that tells a device's code from the host's. Functions that the two provide
/// differently stand in tandem::host (here, beside the facility that uses them) and in
/// tandem::device (the backend that defines TANDEM_DEVICE_PASS), under the same names and
/// signatures; `target` is whichever the current pass of the compiler generates code for.
namespace tandem {

namespace host {}

namespace detail {

#if TANDEM_DEVICE_PASS
namespace target = device;
inline constexpr bool on_device = true;
#else
namespace target = host;
inline constexpr bool on_device = false;
#endif

}  // namespace detail
}  // namespace tandem
