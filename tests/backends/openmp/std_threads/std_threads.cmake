# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The speed of a backend on std::thread that uses openmp's kernels. Built where it is asked for:
# times on a machine that does other work say little.

add_executable(tandem_std_threads_speed EXCLUDE_FROM_ALL backends/openmp/std_threads/speed.cpp)
tandem_configure_tests(tandem_std_threads_speed openmp)
