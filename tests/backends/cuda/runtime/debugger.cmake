# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The file that calls every operation is compiled for cuda-gdb, as users may compile theirs, unless
# the tests choose another way (-Ofc, which nvcc does not combine with -G).
if(NOT TANDEM_TEST_CUDA_FLAGS)
  set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/cuda/labels_test.cu"
                              PROPERTIES COMPILE_OPTIONS -G)
endif()
