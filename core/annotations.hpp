// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The project's macros, as a plain C++ compiler sees them. A backend whose compiler needs function
/// attributes defines its macros first (the generated <tandem/settings.hpp> includes them before
/// this file).
///
/// TANDEM_FUNCTION     marks a function that may run inside a kernel on any backend
/// TANDEM_LAMBDA       replaces a lambda's capture list: captures by value, may run on any backend
/// TANDEM_DEVICE_PASS  1 while code is being compiled for a device; the backend that defines it
///                     also provides namespace tandem::device (see docs/adding-a-backend.md). 0
///                     while the same compiler reads host code, whose pragmas it may refuse;
///                     otherwise not defined
/// TANDEM_CHECKED      0, 1 for bounds checks on every element access, or 2 for the checked
///                     runtime, which 1 also selects if the compiler reports accesses
///                     (-fsanitize=thread). Set once for a build in <tandem/settings.hpp>
///                     (docs/debugging.md)
/// TANDEM_AGREEMENT    0 or 1: whether a file relies on bitwise reproducibility and refuses flags
///                     that change bits; the build sets the default (docs/numerics.md)

#ifndef TANDEM_FUNCTION
#define TANDEM_FUNCTION
#endif

// By default g++ does not inline functions of more than about 200 instructions, and it does not
// vectorise loops around calls. clang has other limits, and warns about an attribute here before
// C++23.
#ifndef TANDEM_LAMBDA
#if defined(__GNUC__) && !defined(__clang__)
#define TANDEM_LAMBDA [=] [[gnu::always_inline]]
#else
#define TANDEM_LAMBDA [=]
#endif
#endif
