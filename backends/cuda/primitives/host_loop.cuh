// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// What nvcc says of the lambdas of loops: a warning of loops over the CPU in a file that it
/// compiles, because it wraps a lambda for both sides in an object that the host calls through a
/// pointer, index by index; and an error where a GPU is given a lambda of the host.
/// Source: CUDA C++ Programming Guide, "Extended Lambda Restrictions".
namespace tandem::device {

/// Deprecated, so that the compiler warns, and once: a file has one instance of it.
/// TANDEM_ALLOW_HOST_LOOPS_IN_NVCC, defined on the command line, silences it.
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

/// Returns true; warns where `Function`, the body of a loop on the host, is such a lambda.
template <class Function>
consteval bool check_host_loop() {
  return check_host_loops<__nv_is_extended_host_device_lambda_closure_type(Function)>();
}

/// Whether `Function` is a lambda that was written without TANDEM_LAMBDA or __device__, by the name
/// that nvcc's own front end gives a closure's type; no other compiler has such a name.
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

/// Returns true unless `Function` is such a lambda, which is an error.
template <class Function>
consteval bool check_device_function() {
  static_assert(!is_host_lambda<Function>(),
                "tandem: a GPU cannot run this lambda: write TANDEM_LAMBDA(int i) { .. } for "
                "[=](int i) { .. }, or name a function object whose call operator is a "
                "TANDEM_FUNCTION");
  return !is_host_lambda<Function>();
}

}  // namespace tandem::device

// g++ hides warnings of headers that it has found by -isystem, as those of an installation are. A
// line marker without the flag of a system header shows this one; ccache looks for no file in angle
// brackets.
# 40 "<tandem/backends/cuda/primitives/host_loop.cuh>"
template <bool Wrapped>
consteval bool tandem::device::check_host_loops() {
  if constexpr (Wrapped) return host_loop<Wrapped>::check();
  return true;
}
