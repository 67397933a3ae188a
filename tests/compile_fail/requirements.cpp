// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tandem's requirements on a compiler: one line if one is not met.
#include <tandem/tandem.hpp>

int correct_use() { return tandem::version_major; }

#if CASE == 1
// expect: tandem needs C\+\+20: compile with -std=c\+\+20
// flags: -std=c++17
#endif

#if CASE == 2
// expect: tandem reports errors by exceptions: compile without -fno-exceptions
// flags: -fno-exceptions
#endif

#if CASE == 3
// expect: tandem needs (g\+\+ 12|clang 14) or later
// flags: -U__GNUC__ -D__GNUC__=11 -U__clang_major__ -D__clang_major__=13
#endif

#if CASE == 4
// expect: tandem needs CUDA 12.0 or later
// flags: -D__CUDACC_VER_MAJOR__=11 -include tandem/backends/cuda/annotations.hpp
#endif
