# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kept hashes notice a contraction: one program that keeps the promise, and one that is compiled to
# break it.

tandem_optimise_sources(SOURCES agreement/contraction.cpp)
add_executable(tandem_kept_hash agreement/contraction.cpp)
add_executable(tandem_contracted_hash agreement/contraction.cpp)
set_target_properties(tandem_contracted_hash PROPERTIES TANDEM_AGREEMENT OFF)
foreach(target tandem_kept_hash tandem_contracted_hash)
  tandem_configure_tests(${target} ${host_space})
  add_test(NAME ${target} COMMAND ${target})
  set_tests_properties(${target} PROPERTIES LABELS check SKIP_RETURN_CODE 77)
endforeach()
target_compile_options(tandem_contracted_hash PRIVATE -ffp-contract=fast)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(tandem_contracted_hash PRIVATE -mfma)
endif()
set_tests_properties(tandem_contracted_hash PROPERTIES PASS_REGULAR_EXPRESSION "is not the kept")
