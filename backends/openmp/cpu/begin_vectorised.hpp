// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No #pragma once: this is included before each group of functions that contain loops over users'
// functions, and end_vectorised.hpp after it.
//
// g++ vectorises loops of unknown length only at -O3, so these functions request it whenever users
// compile with optimisation. `omp simd` would request it too, but terminates the program if a
// function throws. From g++ 13 on, jump threading creates conditions that prevent vectorisation.
// Not every function can be vectorised. clang then warns in the function into which the loop was
// inlined: one of these, which are never inlined themselves.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__OPTIMIZE__) && !defined(TANDEM_DEVICE_PASS)
#pragma GCC push_options
#pragma GCC optimize("O3", "no-thread-jumps")
#endif
