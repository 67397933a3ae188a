# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The linker sends the calls of the CUDA test binary through the wrappers of counted_calls.cpp.
target_sources(tandem_tests_cuda PRIVATE "${CMAKE_CURRENT_LIST_DIR}/counted_calls.cpp")
target_link_libraries(tandem_tests_cuda PRIVATE CUDA::cudart_static)
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/counted_calls.cpp" wrapped
     REGEX "^TANDEM_TEST_(COUNT|MEMORY)")
list(TRANSFORM wrapped REPLACE "^TANDEM_TEST_(COUNT|MEMORY)\\([a-z.]+, ([A-Za-z0-9_]+),.*"
                               "LINKER:--wrap=\\2")
target_link_options(tandem_tests_cuda PRIVATE ${wrapped} LINKER:--wrap=pthread_mutex_lock)
