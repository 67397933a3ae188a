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
tandem_add_profiled(
  missing_tool "/nowhere/tool.so"
  "tandem: KOKKOS_TOOLS_LIBS=/nowhere/tool.so is ignored: /nowhere/tool.so: cannot open")
add_library(tandem_no_tool MODULE profiling/no_tool.cpp)
tandem_enable_warnings(tandem_no_tool)
tandem_add_profiled(no_tool "$<TARGET_FILE:tandem_no_tool>"
                    "tandem_no_tool.so is ignored: the library is no tool: it has none of the")

# Ranges of NVTX, which the CUDA backend makes of every operation, also without a GPU.
if("cuda" IN_LIST TANDEM_BACKENDS)
  add_library(tandem_nvtx_tool MODULE profiling/nvtx_tool.cpp)
  target_link_libraries(tandem_nvtx_tool PRIVATE CUDA::nvtx3)
  tandem_enable_warnings(tandem_nvtx_tool)
  add_executable(tandem_nvtx_program profiling/nvtx_program.cpp)
  tandem_configure_tests(tandem_nvtx_program serial)
  add_test(NAME profiling.nvtx COMMAND tandem_nvtx_program)
  set_tests_properties(
    profiling.nvtx
    PROPERTIES LABELS check ENVIRONMENT
               "NVTX_INJECTION64_PATH=$<TARGET_FILE:tandem_nvtx_tool>" PASS_REGULAR_EXPRESSION
               "^push parallel_for, pop, push dot, pop, push sort, pop, \n?$")
endif()

# A line per operation.
add_test(NAME profiling.trace COMMAND tandem_profiled)
set_tests_properties(
  profiling.trace
  PROPERTIES
    LABELS check ENVIRONMENT "TANDEM_TRACE=1" PASS_REGULAR_EXPRESSION
    "^tandem: serial: parallel_for 100: [0-9.]+ ms\n\
tandem: serial: parallel_for 1: [0-9.]+ ms\n\
tandem: serial: dot 100: [0-9.]+ ms\n\
tandem: serial: transform 100: [0-9.]+ ms\n\
tandem: serial: parallel_scan 100: [0-9.]+ ms\n\
tandem: serial: sort 100: [0-9.]+ ms\n\
tandem: serial: copy 100: [0-9.]+ ms\n$")

add_test(NAME profiling.trace_unknown COMMAND tandem_profiled)
set_tests_properties(
  profiling.trace_unknown
  PROPERTIES LABELS check ENVIRONMENT "TANDEM_TRACE=yes" PASS_REGULAR_EXPRESSION
             "^tandem: TANDEM_TRACE=yes is ignored: there are 0, off, 1, on\n$")

# On every backend of the build.
foreach(backend IN LISTS TANDEM_BACKENDS)
  add_executable(tandem_traced_${backend} profiling/traced.cpp)
  tandem_configure_tests(tandem_traced_${backend} ${backend})
  add_test(NAME profiling.trace_${backend} COMMAND tandem_traced_${backend})
  set_tests_properties(
    profiling.trace_${backend}
    PROPERTIES
      LABELS check ENVIRONMENT "TANDEM_TRACE=1" SKIP_RETURN_CODE 77 PASS_REGULAR_EXPRESSION
      "tandem: ${backend}: matmul 8 x 4 x 16 x 1: [0-9.]+ ms\n\
tandem: ${backend}: sort 100: [0-9.]+ ms\n\
tandem: ${backend}: copy 100: [0-9.]+ ms\n\
tandem: ${backend}: clear 100: [0-9.]+ ms\n")
endforeach()

# What it costs where there is none. A bound on time holds for code as it is shipped, on a machine.
add_executable(tandem_profiling_cost profiling/cost.cpp)
tandem_optimise_sources(SOURCES profiling/cost.cpp)
tandem_configure_tests(tandem_profiling_cost serial)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING AND NOT TANDEM_CHECKED
   AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  add_test(NAME profiling.cost COMMAND tandem_profiling_cost)
  set_tests_properties(profiling.cost PROPERTIES LABELS check TIMEOUT 60 RUN_SERIAL TRUE)
endif()

# Two runs of a program, compared through a file.
add_executable(tandem_compared profiling/compared.cpp)
tandem_configure_tests(tandem_compared serial)
set(records "${CMAKE_CURRENT_BINARY_DIR}/compared.records")

function(tandem_add_compared name setting output)
  add_test(NAME profiling.compare_${name} COMMAND tandem_compared ${ARGN})
  set_tests_properties(profiling.compare_${name} PROPERTIES LABELS check ENVIRONMENT
                                                            "TANDEM_COMPARE=${setting}")
  if(output)
    set_tests_properties(profiling.compare_${name} PROPERTIES PASS_REGULAR_EXPRESSION "${output}"
                                                              FIXTURES_REQUIRED compared_records)
  else()
    set_tests_properties(profiling.compare_${name} PROPERTIES FIXTURES_SETUP compared_records)
  endif()
endfunction()

tandem_add_compared(write "write:${records}" "")
tandem_add_compared(equal "check:${records}"
                    "records and this run: 4 of 4 operations agree to the last bit")
tandem_add_compared(planted "check:${records}"
                    "3 of 4 operations.*DIFFERS transform 100000.*array 1: .* at most 1 ulp"
                    planted)
tandem_add_compared(unknown "1" "TANDEM_COMPARE=1 is ignored: there are write:FILE, check:FILE")
