# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program under a profiler of Kokkos' kind, and under one that is not there.

add_library(tandem_recording_tool MODULE profiling/recording_tool.cpp)
tandem_enable_warnings(tandem_recording_tool)
add_executable(tandem_profiled profiling/program.cpp)
tandem_configure_tests(tandem_profiled serial)

function(tandem_add_profiled name tool output)
  add_test(NAME profiling.${name} COMMAND tandem_profiled)
  set_tests_properties(profiling.${name} PROPERTIES LABELS check ENVIRONMENT
                                                    "KOKKOS_TOOLS_LIBS=${tool}")
  set_tests_properties(profiling.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${output}")
endfunction()

string(CONCAT calls "init 0 20211015, for parallel_for 7, end 7, for parallel_for 8, end 8, "
              "reduce dot 9, end 9, for transform 10, end 10, push sort, pop, push copy, pop, "
              "finalise")
tandem_add_profiled(tool "$<TARGET_FILE:tandem_recording_tool>" "${calls}")
tandem_add_profiled(missing_tool "/nowhere/tool.so" "tandem: KOKKOS_TOOLS_LIBS: /nowhere/tool.so")
