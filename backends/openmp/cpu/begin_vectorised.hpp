// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No #pragma once: included before each group of functions that contain loops over users'
// functions, and end_vectorised.hpp after it.
//
// g++ vectorises loops of unknown length from -O3 on, so these functions ask for that wherever
// users compile with optimisation; `omp simd` would ask for it too, but ends the program where a
// function throws. From g++ 13 on, threaded jumps make of conditions what it does not vectorise.
// Not every function can be vectorised. clang warns about it in the function into which the loop
// was inlined: one of these, which are never inlined themselves.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__OPTIMIZE__) && !defined(TANDEM_DEVICE_PASS)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-thread-jumps")
#endif
