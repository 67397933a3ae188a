// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Diagnostics for lambdas of loops under nvcc. A CPU loop in a file that nvcc compiles is a
/// warning: nvcc wraps a host-and-device lambda in an object that the host calls through a pointer
/// for every index. A host lambda passed to a GPU is an error.
/// Source: CUDA C++ Programming Guide, "Extended Lambda Restrictions".
namespace tandem::device {

/// Deprecated, so that the compiler warns; it has one instance per file, so the compiler warns
/// once. TANDEM_ALLOW_HOST_LOOPS_IN_NVCC, defined on the command line, silences the warning.
template <bool Wrapped>
struct host_loop {
#ifndef TANDEM_ALLOW_HOST_LOOPS_IN_NVCC
  [[deprecated(
      "tandem: a loop over the CPU with TANDEM_LAMBDA in a file that nvcc compiles runs at a "
      "fraction of its speed: compile the file once per backend (tandem_add_sources in CMake) or "
      "name a function object; -DTANDEM_ALLOW_HOST_LOOPS_IN_NVCC silences this")]]
#endif
  static consteval bool
  check() {
    return true;
  }
};

template <bool Wrapped>
consteval bool check_host_loops();

/// Returns true; warns if `Function`, the body of a host loop, is such a lambda.
template <class Function>
consteval bool check_host_loop() {
  return check_host_loops<__nv_is_extended_host_device_lambda_closure_type(Function)>();
}

/// Whether `Function` is a lambda written without TANDEM_LAMBDA or __device__. Detected by the name
/// that nvcc's front end gives a closure type; no other compiler uses such a name.
template <class Function>
consteval bool is_host_lambda() {
  if (__nv_is_extended_host_device_lambda_closure_type(Function) ||
      __nv_is_extended_device_lambda_closure_type(Function))
    return false;
  const char* const name = __PRETTY_FUNCTION__;
  for (const char* at = name; *at != '\0'; ++at) {
    const char* wanted = "= lambda [";
    const char* read = at;
    while (*wanted != '\0' && *read == *wanted) {
      ++wanted;
      ++read;
    }
    if (*wanted == '\0') return true;
  }
  return false;
}

/// Returns true; it is an error if `Function` is such a lambda.
template <class Function>
consteval bool check_device_function() {
  static_assert(!is_host_lambda<Function>(),
                "tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA(int i) { .. } for "
                "[=](int i) { .. }, or name a function object whose call operator is a "
                "TANDEM_FUNCTION");
  return !is_host_lambda<Function>();
}

}  // namespace tandem::device

// g++ hides warnings from headers found through -isystem, as installed headers are. A line marker
// without the system-header flag shows this one. ccache does not look for a file in angle brackets.
# 40 "<tandem/backends/cuda/primitives/host_loop.cuh>"
template <bool Wrapped>
consteval bool tandem::device::check_host_loops() {
  if constexpr (Wrapped) return host_loop<Wrapped>::check();
  return true;
}
