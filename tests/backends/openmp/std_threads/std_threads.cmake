# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A backend on std::thread that uses openmp's kernels: the tests of what it does on its own threads,
# and its speed beside openmp's.

set(std_threads "${CMAKE_CURRENT_SOURCE_DIR}/backends/openmp/std_threads")
add_executable(tandem_tests_std_threads ${harness} algorithms/matmul_test.cpp
                                        algorithms/parallel_for_test.cpp
                                        algorithms/parallel_reduce_test.cpp)
target_include_directories(tandem_tests_std_threads PRIVATE "${std_threads}")
tandem_configure_tests(tandem_tests_std_threads openmp)
foreach(threads 1 3)
  add_test(NAME tandem_tests_std_threads.threads=${threads} COMMAND tandem_tests_std_threads)
  set_tests_properties(tandem_tests_std_threads.threads=${threads}
                       PROPERTIES LABELS doctest TIMEOUT 1800 ENVIRONMENT
                                  "TANDEM_TEST_THREADS=${threads}")
endforeach()

# Built where it is asked for: times on a machine that does other work say little.
add_executable(tandem_std_threads_speed EXCLUDE_FROM_ALL "${std_threads}/speed.cpp")
tandem_configure_tests(tandem_std_threads_speed openmp)
