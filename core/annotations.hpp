// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The project's macros, as a plain C++ compiler sees them. A backend whose compiler needs
/// attributes on functions defines its own first (the generated <tandem/settings.hpp> includes it
/// before this file).
///
/// TANDEM_FUNCTION     in front of a function that may run inside a kernel on any backend
/// TANDEM_LAMBDA       in place of a lambda's capture list: captures by value, may run on any
///                     backend
/// TANDEM_DEVICE_PASS  1 while code is being compiled for a device that is not the host; the
///                     backend that defines it also provides namespace tandem::device (see
///                     docs/adding-a-backend.md). 0 while the same compiler reads code for the
///                     host, whose own pragmas it may refuse; else not defined
/// TANDEM_CHECKED      0, 1 for bounds checks on every element access, or 2 for the checked
///                     runtime, which 1 also means where the compiler reports accesses
///                     (-fsanitize=thread). Set once for a build in <tandem/settings.hpp>
///                     (docs/debugging.md)
/// TANDEM_AGREEMENT    0 or 1: whether a file relies on the same bits on every backend, and refuses
///                     flags that change them; by default what the build says (docs/numerics.md)

#ifndef TANDEM_FUNCTION
#define TANDEM_FUNCTION
#endif

// g++ inlines no function of more than some 200 instructions by itself, and vectorises no loop
// around a call. clang has other limits, and warns of an attribute here before C++23.
#ifndef TANDEM_LAMBDA
#if defined(__GNUC__) && !defined(__clang__)
#define TANDEM_LAMBDA [=] [[gnu::always_inline]]
#else
#define TANDEM_LAMBDA [=]
#endif
#endif
