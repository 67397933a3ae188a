# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The file that calls every operation is compiled for cuda-gdb, as users may compile theirs, instead
# of with the tests' flags (nvcc does not combine -Ofc with -G).
if(NOT TANDEM_TEST_PTX)
  set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/cuda/labels_test.cu"
                              PROPERTIES COMPILE_OPTIONS -G)
endif()
