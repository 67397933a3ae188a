// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

/// The only place that distinguishes device code from host code. Functions that the two provide
/// differently are in tandem::host (here, next to the facility that uses them) and in
/// tandem::device (the backend that defines TANDEM_DEVICE_PASS), with the same names and
/// signatures; `target` is the one for which the compiler's current pass generates code.
namespace tandem {

namespace host {}

namespace detail {

#if defined(TANDEM_DEVICE_PASS) && TANDEM_DEVICE_PASS
namespace target = device;
inline constexpr bool on_device = true;
#else
namespace target = host;
inline constexpr bool on_device = false;
#endif

/// Lets a device's compiler report in one line that its devices cannot run `Function`.
template <class Function>
consteval bool check_device_function() {
#ifdef TANDEM_DEVICE_PASS
  return device::check_device_function<Function>();
#else
  return true;
#endif
}

/// Lets a device's compiler warn about `Function` in a loop that it compiles for the host.
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
