# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The zoo: kernels with planted bugs and correct ones, in a program of its own, whose files are
# compiled for the checked runtime. It stands in for a sanitizer's runtime, so there is no second.

if(TARGET tandem_checked AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  file(GLOB checked_tests CONFIGURE_DEPENDS checked/*_test.cpp)
  add_executable(tandem_tests_checked support/main.cpp ${checked_tests})
  tandem_configure_tests(tandem_tests_checked ${host_space})
  target_link_libraries(tandem_tests_checked PRIVATE tandem::checked)
  target_compile_definitions(tandem_tests_checked
                             PRIVATE "TANDEM_ZOO=\"${CMAKE_CURRENT_SOURCE_DIR}/checked\"")
  # Line numbers are compared, and each file holds many kernels.
  target_compile_options(tandem_tests_checked PRIVATE -O1)
  add_test(NAME checked COMMAND tandem_tests_checked)
  set_tests_properties(checked PROPERTIES LABELS doctest)
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
  # What a checked run costs, with room for machines that do other things at the time.
  foreach(kind plain checked)
    add_executable(tandem_speed_${kind} checked/speed.cpp)
    target_link_libraries(tandem_speed_${kind} PRIVATE tandem::tandem tandem::default_${host_space})
    target_compile_options(tandem_speed_${kind} PRIVATE -O2)
  endforeach()
  target_link_libraries(tandem_speed_checked PRIVATE tandem::checked)
  add_test(NAME checked.speed
           COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/checked/speed.py"
                   $<TARGET_FILE:tandem_speed_plain> $<TARGET_FILE:tandem_speed_checked> --most 25)
  set_tests_properties(checked.speed PROPERTIES LABELS tools)
  # The recipe of docs/debugging.md.
  find_program(TANDEM_GDB gdb)
  if(TANDEM_GDB)
    add_test(
      NAME checked.gdb
      COMMAND "${TANDEM_GDB}" -batch -ex "break tandem::checked::report" -ex run -ex "backtrace 4"
              --args $<TARGET_FILE:tandem_tests_checked> "--test-case=*missing barriers*")
    set_tests_properties(checked.gdb PROPERTIES LABELS tools PASS_REGULAR_EXPRESSION
                                                "lane=[0-9].*teams_test.cpp:[0-9]")
  endif()
endif()
