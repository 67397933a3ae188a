// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// tandem's requirements on a compiler, checked before anything else is read: config.hpp includes
/// this first, and a backend's annotations.hpp checks its compiler. Compilers continue after #error
/// and bury it under consequential errors; a header that does not exist ends the compilation
/// instead.

#if defined(__clang__) && !defined(__apple_build_version__)
#if __clang_major__ < 14
#error "tandem needs clang 14 or later"
#include <tandem/core/compiler_is_too_old>
#endif
#elif defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ < 12
#error "tandem needs g++ 12 or later"
#include <tandem/core/compiler_is_too_old>
#endif
#endif

#if __cplusplus < 202002L
#error "tandem needs C++20: compile with -std=c++20, or link tandem::tandem in CMake"
#include <tandem/core/standard_is_too_old>
#endif

#if !defined(__cpp_exceptions)
#error "tandem reports errors by exceptions: compile without -fno-exceptions"
#include <tandem/core/exceptions_are_off>
#endif
