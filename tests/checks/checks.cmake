# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is tested without being run: headers alone, uses that must not compile, the rules that the
# source keeps. Their sources are targets only so that the build writes down how to compile them.

# A CTest entry that runs tests/checks/NAME.py with the other arguments.
function(tandem_add_check name)
  add_test(NAME ${name} COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/checks/${name}.py"
                                ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS check TIMEOUT 900)
endfunction()

# A file for each of `headers` (relative to the repository, or generated) that includes it twice,
# and an object library of these files that only the checks compile.
function(tandem_add_header_check target extension)
  set(units)
  foreach(header IN LISTS ARGN)
    string(REPLACE "/" "__" name "${header}")
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${extension}")
    file(CONFIGURE OUTPUT "${unit}" @ONLY
         CONTENT "#include <tandem/@header@>\n#include <tandem/@header@>\n")
    list(APPEND units "${unit}")
  endforeach()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${units})
  target_link_libraries(${target} PRIVATE tandem::tandem)
  tandem_enable_warnings(${target})
endfunction()

set(patterns core/*.hpp algorithms/*.hpp distributed/*.hpp)
# The headers inside a backend are included by its own files, which are compiled anyway.
if(TANDEM_TEST_TIER STREQUAL "wide")
  list(TRANSFORM TANDEM_BACKENDS REPLACE "(.+)" "backends/\\1/*.hpp" OUTPUT_VARIABLE inner_patterns)
  list(APPEND patterns ${inner_patterns})
endif()
list(TRANSFORM patterns PREPEND "${PROJECT_SOURCE_DIR}/")
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${patterns})
foreach(backend IN LISTS TANDEM_BACKENDS)
  list(APPEND headers backends/${backend}/${backend}.hpp)
endforeach()
list(REMOVE_DUPLICATES headers)
list(FILTER headers EXCLUDE REGEX "/end_vectorised\\.hpp$") # the second of a pair
tandem_add_header_check(tandem_headers cpp ${headers} config.hpp default_space.hpp distributed.hpp
                        dlpack.hpp print.hpp require_in_kernel.hpp settings.hpp tandem.hpp
                        version.hpp)
set(compile_fail_files compile_fail/*.cpp)
add_library(tandem_macros OBJECT EXCLUDE_FROM_ALL macros/before_tandem.cpp macros/min_and_max.cpp)
target_link_libraries(tandem_macros PRIVATE tandem::tandem)
tandem_enable_warnings(tandem_macros)

foreach(backend IN LISTS TANDEM_BACKENDS)
  if(DEFINED tandem_${backend}_language)
    set(extension ${tandem_${backend}_extension})
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
         "${PROJECT_SOURCE_DIR}/backends/${backend}/*.${extension}h")
    # Device code takes seconds a header, and the files of the library include each of them.
    if(NOT TANDEM_TEST_TIER STREQUAL "wide")
      set(headers)
    endif()
    tandem_add_header_check(tandem_headers_${backend} ${extension} ${headers} tandem.hpp)
    set_target_properties(
      tandem_headers_${backend} PROPERTIES ${tandem_${backend}_language}_ARCHITECTURES
                                           "${TANDEM_TEST_ARCHITECTURES}")
    list(APPEND compile_fail_files compile_fail/*.${extension})
  endif()
endforeach()
tandem_add_check(check_headers --build "${PROJECT_BINARY_DIR}")

file(GLOB compile_fail_sources CONFIGURE_DEPENDS ${compile_fail_files})
add_library(tandem_compile_fail OBJECT EXCLUDE_FROM_ALL ${compile_fail_sources})
tandem_configure_tests(tandem_compile_fail ${host_space})
if(DEFINED TANDEM_TEST_ARCHITECTURES)
  set_target_properties(tandem_compile_fail
                        PROPERTIES CUDA_ARCHITECTURES "${TANDEM_TEST_ARCHITECTURES}")
endif()
tandem_add_check(check_compile_fail --build "${PROJECT_BINARY_DIR}")

set(other_compilers)
if(NOT CMAKE_CROSSCOMPILING)
  set(other_compilers --compilers g++ clang++)
endif()
set(more_warnings)
if(TANDEM_TEST_TIER STREQUAL "wide")
  set(more_warnings --all ${other_compilers})
endif()
tandem_add_check(check_warnings --build "${PROJECT_BINARY_DIR}" ${more_warnings})

set(agreement_options)
if("cuda" IN_LIST TANDEM_BACKENDS)
  set(agreement_options --nvcc "${CMAKE_CUDA_COMPILER}")
  list(GET TANDEM_TEST_ARCHITECTURES 0 architecture)
  if(architecture MATCHES "^[0-9]+[a-z]?$")
    list(APPEND agreement_options --architecture "sm_${architecture}")
  else()
    list(APPEND agreement_options --architecture native)
  endif()
endif()
tandem_add_check(check_agreement --build "${PROJECT_BINARY_DIR}" ${agreement_options})
if(TANDEM_EXAMPLES AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CROSSCOMPILING)
  tandem_add_check(check_one_source --build "${PROJECT_BINARY_DIR}")
endif()

# packaging.check_functions does so for objects of the host.
if("cuda" IN_LIST TANDEM_BACKENDS)
  tandem_add_check(check_platform_functions --build "${PROJECT_BINARY_DIR}" --nvcc
                   "${CMAKE_CUDA_COMPILER}")
endif()

if("openmp" IN_LIST TANDEM_BACKENDS AND CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
  add_library(tandem_vectorised OBJECT EXCLUDE_FROM_ALL vectorised/index_types.cpp)
  tandem_configure_tests(tandem_vectorised ${host_space})
  tandem_add_check(check_vectorised --build "${PROJECT_BINARY_DIR}" --compiler
                   "${CMAKE_CXX_COMPILER_ID}")
endif()

if(NOT CMAKE_CROSSCOMPILING)
  tandem_add_check(check_dlpack --compiler "${CMAKE_CXX_COMPILER}" --include
                   "${TANDEM_INCLUDE_DIR}")
  set(without ${TANDEM_BACKENDS})
  list(REMOVE_ITEM without serial)
  tandem_add_check(check_cxx23 --include "${TANDEM_INCLUDE_DIR}" --without ${without})
  tandem_add_check(check_npy --tests "$<TARGET_FILE:tandem_tests_host>")
  set_tests_properties(check_dlpack check_cxx23 check_npy PROPERTIES SKIP_RETURN_CODE 77)
endif()
tandem_add_check(check_layers)
tandem_add_check(check_planted_includes)
tandem_add_check(check_install)
tandem_add_check(check_readme)
tandem_add_check(check_figures)

# Programs of the documentation run if the host's compiler alone can link them.
set(snippet_options --library "$<TARGET_FILE:tandem_core>")
foreach(backend IN LISTS TANDEM_BACKENDS)
  get_target_property(type tandem_${backend} TYPE)
  if(DEFINED tandem_${backend}_language OR CMAKE_CROSSCOMPILING OR BUILD_SHARED_LIBS)
    set(snippet_options)
    break()
  elseif(type STREQUAL "STATIC_LIBRARY")
    list(PREPEND snippet_options --library "$<TARGET_FILE:tandem_${backend}>")
  endif()
endforeach()
tandem_add_check(check_snippets --build "${PROJECT_BINARY_DIR}" ${snippet_options})
tandem_add_check(check_docstrings)
tandem_add_check(check_prose)
tandem_add_check(check_search)
set_tests_properties(check_search PROPERTIES SKIP_RETURN_CODE 77)
tandem_add_check(check_isa_symbols --build "${PROJECT_BINARY_DIR}" --nm "${CMAKE_NM}")
tandem_add_check(check_counts)
tandem_add_check(check_targets)
tandem_add_check(check_examples)
tandem_add_check(check_report)
add_test(NAME check_report_page
         COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/checks/check_report.py" --page)
set_tests_properties(check_report_page PROPERTIES LABELS check TIMEOUT 300 SKIP_RETURN_CODE 77)
tandem_add_check(check_python_peers)
set_tests_properties(check_python_peers PROPERTIES SKIP_RETURN_CODE 77)

# The faults of tests/mutation: every source has tests that exist.
add_test(NAME check_mutation COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/mutation/run"
                                     --list --count 1)
set_tests_properties(check_mutation PROPERTIES LABELS check TIMEOUT 300)

add_test(NAME check_floors
         COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/docs/draw_floors.py" --check)
set_tests_properties(check_floors PROPERTIES LABELS check TIMEOUT 60)
# Generated sources are what their generators make.
add_test(NAME check_generated
         COMMAND Python3::Interpreter
                 "${PROJECT_SOURCE_DIR}/backends/cuda/ptx/generate_wgmma.py" --check)
set_tests_properties(check_generated PROPERTIES LABELS check TIMEOUT 60)
