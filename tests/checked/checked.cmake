# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The bug corpus: kernels with planted bugs and correct ones, in a separate program, whose files are
# compiled for the checked runtime. It stands in for a sanitizer's runtime, so there is no second.

if(TARGET tandem_checked AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  file(GLOB checked_tests CONFIGURE_DEPENDS checked/*_test.cpp)
  add_executable(tandem_tests_checked support/main.cpp ${checked_tests})
  tandem_configure_tests(tandem_tests_checked ${host_space})
  target_link_libraries(tandem_tests_checked PRIVATE tandem::checked)
  target_compile_definitions(tandem_tests_checked
                             PRIVATE "TANDEM_ZOO=\"${CMAKE_CURRENT_SOURCE_DIR}/checked\"")
  # Line numbers are compared, and each file holds many kernels. One with an instance of everything
  # takes less time in all if it is not optimised.
  target_compile_options(tandem_tests_checked PRIVATE -O1)
  set_property(SOURCE checked/functions_test.cpp APPEND PROPERTY COMPILE_OPTIONS -O0)
  tandem_add_test_group(tandem_tests_checked.zoo FILES ${checked_tests} LENGTH 2)
  add_test(NAME checked.reverse COMMAND tandem_tests_checked)
  set_tests_properties(
    checked.reverse PROPERTIES LABELS doctest ENVIRONMENT
                               "TANDEM_CHECKED_ORDER=reverse;TANDEM_CHECKED_REPORT=quiet")
  add_test(NAME checked.json COMMAND tandem_tests_checked "--test-case=*reduction that write*")
  set_tests_properties(
    checked.json
    PROPERTIES
      LABELS tools ENVIRONMENT TANDEM_CHECKED_REPORT=json PASS_REGULAR_EXPRESSION
      "\"kind\": \"race\", \"benign\": false, \"operation\": \"parallel_reduce\"")
  add_test(NAME checked.json_summary COMMAND tandem_tests_checked
                                             "--test-case=*reduction that write*")
  set_tests_properties(
    checked.json_summary
    PROPERTIES LABELS tools ENVIRONMENT "TANDEM_CHECKED_REPORT=json;TANDEM_CHECKED_SEED=7"
               PASS_REGULAR_EXPRESSION
               "\"summary\", \"operations\": 3, \"findings\": [1-9][0-9]*, .*\"seed\": 7}")
  # Several orders in one run: the same output, and one that depends on the run (it has times).
  add_test(NAME checked.orders COMMAND tandem_tests_checked "--test-case=correct reductions*")
  set_tests_properties(
    checked.orders PROPERTIES LABELS tools ENVIRONMENT TANDEM_CHECKED_ORDERS=3
                              PASS_REGULAR_EXPRESSION "3 orders from seed 1 on: 0 of them")
  add_test(NAME checked.orders_differ COMMAND tandem_speed_checked histogram)
  set_tests_properties(
    checked.orders_differ PROPERTIES LABELS tools ENVIRONMENT TANDEM_CHECKED_ORDERS=2
                                     PASS_REGULAR_EXPRESSION "2 orders from seed 1 on: 1 of them")
  # Settings that nothing knows are reported, and once although each order is a process.
  function(tandem_add_unknown_checked name value what)
    add_test(NAME checked.unknown${name} COMMAND tandem_tests_checked
                                                 "--test-case=correct loops: atomics alone*")
    set(environment "TANDEM_CHECKED${name}=${value}" ${ARGN})
    set_tests_properties(
      checked.unknown${name}
      PROPERTIES LABELS tools ENVIRONMENT "${environment}"
                 PASS_REGULAR_EXPRESSION
                 "tandem: TANDEM_CHECKED${name}=${value} is ignored: there are ${what}\n"
                 FAIL_REGULAR_EXPRESSION "is ignored.*is ignored")
  endfunction()
  tandem_add_unknown_checked(_SEED abc "the numbers from 0 to 2.64 - 1")
  tandem_add_unknown_checked(_ORDERS abc "the numbers from 0 to 2.64 - 1")
  tandem_add_unknown_checked(_ORDER backwards "forward, reverse" TANDEM_CHECKED_ORDERS=3)
  tandem_add_unknown_checked(_REPORT xml "json, quiet")
  # What a checked run costs: up to 30 times as long, on machines whose cores others share.
  foreach(kind plain checked)
    add_executable(tandem_speed_${kind} checked/speed.cpp)
    target_link_libraries(tandem_speed_${kind} PRIVATE tandem::tandem tandem::default_${host_space})
    target_compile_options(tandem_speed_${kind} PRIVATE -O2)
  endforeach()
  target_link_libraries(tandem_speed_checked PRIVATE tandem::checked)
  add_test(NAME checked.speed
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/checked/speed.py"
                   $<TARGET_FILE:tandem_speed_plain> $<TARGET_FILE:tandem_speed_checked> --most 50)
  set_tests_properties(checked.speed PROPERTIES LABELS tools RUN_SERIAL TRUE)
  # What throws at once is reported as what is found: as JSON, and in the summary.
  function(tandem_add_reported name cases report output)
    add_test(NAME checked.${name} COMMAND tandem_tests_checked "--test-case=${cases}")
    set_tests_properties(
      checked.${name} PROPERTIES LABELS tools ENVIRONMENT "TANDEM_CHECKED_REPORT=${report}"
                                 PASS_REGULAR_EXPRESSION "${output}" FAIL_REGULAR_EXPRESSION
                                 "FAILURE!")
  endfunction()
  tandem_add_reported(
    json_extent "*last tile alone*" json
    "\"out of range\", .*view 'x': index 12[0-9] of .*team 3, lane .*atomics_test.cpp:[0-9]")
  tandem_add_reported(json_nested "*nesting that a GPU refuses*" json
                      "\"nested\", .*\"element\": \"team: for_each_lane inside a phase")
  tandem_add_reported(counts_failures "*nesting that a GPU refuses*" text
                      "hint: .*checked [0-9]+ operations: 4 findings, 0 benign")
  tandem_add_reported(
    benign "correct loops: atomics alone*" text
    "tandem: benign race: .* in parallel_for .*hint: all of them write this value")
  # No kernel without a bug is reported.
  tandem_add_reported(no_findings "correct*" text
                      "checked [1-9][0-9]+ operations: 0 findings, [1-9][0-9]* benign")
  # Owners count without atomics in a process of one thread, which this one is.
  tandem_add_reported(owners "correct host state: owners*" text
                      "checked [1-9][0-9]* operations: 0 findings, 0 benign")
  # The recipes of docs/debugging.md; line 11 of stepped.cpp is a lane's.
  add_executable(tandem_stepped_checked checked/stepped.cpp)
  tandem_configure_tests(tandem_stepped_checked ${host_space})
  target_link_libraries(tandem_stepped_checked PRIVATE tandem::checked)
  target_compile_options(tandem_stepped_checked PRIVATE -O0)
  add_test(NAME checked.printf COMMAND tandem_stepped_checked)
  set_tests_properties(checked.printf PROPERTIES LABELS tools PASS_REGULAR_EXPRESSION
                                                 "lane 31 of team [01]: 62\n.*lane ")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The C++ runtime is part of the program and has no second definition of its functions.
    add_executable(tandem_static_runtime_checked checked/stepped.cpp)
    tandem_configure_tests(tandem_static_runtime_checked ${host_space})
    target_link_libraries(tandem_static_runtime_checked PRIVATE tandem::checked)
    target_compile_options(tandem_static_runtime_checked PRIVATE -O0)
    target_link_options(tandem_static_runtime_checked PRIVATE -static-libstdc++)
    add_test(NAME checked.static_runtime COMMAND tandem_static_runtime_checked)
    set_tests_properties(checked.static_runtime PROPERTIES LABELS tools)
  endif()
  find_program(TANDEM_GDB gdb)
  if(TANDEM_GDB)
    add_test(
      NAME checked.gdb
      COMMAND "${TANDEM_GDB}" -batch -ex "break tandem::checked::report" -ex run -ex "backtrace 6"
              --args $<TARGET_FILE:tandem_tests_checked> "--test-case=*missing barriers*")
    set_tests_properties(checked.gdb PROPERTIES LABELS tools PASS_REGULAR_EXPRESSION
                                                "lane=[0-9].*teams_test.cpp:[0-9]")
    add_test(
      NAME checked.gdb_lane
      COMMAND "${TANDEM_GDB}" -batch -ex "break stepped.cpp:11 if lane == 7" -ex run -ex next -ex
              "print lane" -ex "print twice" -ex "continue" -ex "print lane" --args
              $<TARGET_FILE:tandem_stepped_checked>)
    set_tests_properties(checked.gdb_lane PROPERTIES LABELS tools PASS_REGULAR_EXPRESSION
                                                     "= 7\n.* = 14\n.* = 7\n")
  endif()
  # Numba's simulator beside it, where Python has Numba.
  add_test(NAME checked.numba
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/checked/numba_simulator.py"
                   $<TARGET_FILE:tandem_speed_checked> --least 100)
  set_tests_properties(checked.numba PROPERTIES LABELS tools SKIP_RETURN_CODE 77 TIMEOUT 600)
  # TANDEM_CHECKED as compile lines have it, with static libraries.
  if(NOT BUILD_SHARED_LIBS)
    add_test(NAME checked.levels
             COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/checked/levels.py" --build
                     "${PROJECT_BINARY_DIR}" --compiler "${CMAKE_CXX_COMPILER}")
    set_tests_properties(checked.levels PROPERTIES LABELS tools TIMEOUT 600)
  endif()
endif()

# The zoo on a GPU, which zoo_on_gpu.py runs; not of `all`, since no test needs it.
if("cuda" IN_LIST TANDEM_BACKENDS)
  add_executable(tandem_zoo_cuda EXCLUDE_FROM_ALL checked/zoo.cu)
  set_target_properties(tandem_zoo_cuda PROPERTIES CUDA_ARCHITECTURES
                                                   "${TANDEM_TEST_ARCHITECTURES}")
  tandem_configure_tests(tandem_zoo_cuda cuda)
  target_compile_options(tandem_zoo_cuda PRIVATE -lineinfo)
  # What a checked build says of a fault on a GPU, and printf from its lanes.
  add_executable(tandem_faults_checked checked/faults.cu)
  set_target_properties(tandem_faults_checked PROPERTIES CUDA_ARCHITECTURES
                                                         "${TANDEM_TEST_ARCHITECTURES}")
  tandem_configure_tests(tandem_faults_checked cuda)
  target_compile_definitions(tandem_faults_checked PRIVATE TANDEM_CHECKED=1)
  function(tandem_add_fault name output)
    add_test(NAME checked.gpu_${name} COMMAND tandem_faults_checked ${name})
    set_tests_properties(checked.gpu_${name} PROPERTIES LABELS tools SKIP_RETURN_CODE 77
                                                        PASS_REGULAR_EXPRESSION "${output}")
  endfunction()
  tandem_add_fault(
    memory "view 'weights': its elements lie in the memory of the host, .*after parallel_for")
  tandem_add_fault(
    index "view 'weights': index 32 of dimension 0 is outside its extent 32 .*thread 31, 0, 0")
  tandem_add_fault(unnamed "view of 32 elements at 0x[0-9a-f]+: index 32 of dimension 0")
  tandem_add_fault(
    rows "index 16 of dimension 0 is outside the rows that are here, 0 to below 16 .*member [02]")
  tandem_add_fault(phase "team: for_each_lane inside a phase: the team calls it, not a lane")
  tandem_add_fault(printf "lane 31 of a team")
endif()
