// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

/// The one place that tells a device's code from the host's. Functions that the two provide
/// differently are in tandem::host (here, beside the facility that uses them) and in
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

/// Lets a device's compiler say in one line that its devices cannot run `Function`.
template <class Function>
consteval bool check_device_function() {
#ifdef TANDEM_DEVICE_PASS
  return device::check_device_function<Function>();
#else
  return true;
#endif
}

/// Lets a device's compiler warn of `Function` in a loop that it compiles for the host.
template <class Function>
consteval bool check_host_loop() {
#if defined(TANDEM_DEVICE_PASS) && !TANDEM_DEVICE_PASS
  return device::check_host_loop<Function>();
#else
  return true;
#endif
}

}  // namespace detail
}  // namespace tandem
