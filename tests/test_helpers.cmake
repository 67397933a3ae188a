# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# docs/testing.md says what each tier runs. The cases of the test binaries are the same in all.
set(TANDEM_TEST_TIER quick CACHE STRING "quick, full or wide (docs/testing.md)")
set_property(CACHE TANDEM_TEST_TIER PROPERTY STRINGS quick full wide)

# More than nine tenths of a test file's compile time is optimisation and code generation, and few
# tests are about optimised code. The library is compiled as users get it.
set(TANDEM_TEST_LEVEL tier
    CACHE STRING "Optimisation of the tests' host code: tier, a flag, or empty for the build's")
mark_as_advanced(TANDEM_TEST_LEVEL)
set(test_level ${TANDEM_TEST_LEVEL})
if(test_level STREQUAL "tier")
  set(test_level -O0)
  if(TANDEM_TEST_TIER STREQUAL "wide")
    set(test_level "")
  endif()
endif()

# Compiles test files at the level of the build, or at `LEVEL`, whatever that of the others is.
# Sanitizers see more in code that is not optimised.
function(tandem_optimise_sources)
  cmake_parse_arguments(PARSE_ARGV 0 optimise "" "LEVEL" "SOURCES")
  if(test_level AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    if(NOT optimise_LEVEL)
      string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
      string(REGEX MATCHALL "-O[0-3sg]" optimise_LEVEL "${CMAKE_CXX_FLAGS_${configuration}}")
    endif()
    set_property(SOURCE ${optimise_SOURCES} APPEND PROPERTY COMPILE_OPTIONS ${optimise_LEVEL})
    set_property(SOURCE ${optimise_SOURCES} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Parses `header` once for all C++ sources of a target: a second for each of them. Not in the wide
# tier, in which every file has to name the headers that it needs, nor with a compiler cache, which
# takes this for a reason to compile.
function(tandem_precompile target header)
  if(NOT TANDEM_TEST_TIER STREQUAL "wide" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endif()
endfunction()

# Includes, flags and the default space of a test binary.
function(tandem_configure_tests target default_space)
  # With so little inlining g++ takes empty reducers for uninitialised.
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${test_level}>"
                      "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>")
  target_link_libraries(${target} PRIVATE tandem::tandem)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_include_directories(${target} SYSTEM PRIVATE "${DOCTEST_INCLUDE_DIR}")
  tandem_use_default_space(${target} ${default_space})
  tandem_enable_warnings(${target})
endfunction()

# Names the backends that the cases of `target` run on, for tests/support/backends.hpp: a tag for
# each of them, and another name for the fastest, which is that of the default space.
function(tandem_set_test_backends target)
  list(GET ARGN -1 fastest)
  if(host_space IN_LIST ARGN)
    set(fastest ${host_space})
  endif()
  set(lines "// Written by tests/test_helpers.cmake.\n#pragma once\n\nnamespace tandem::test {\n\n")
  set(tags)
  foreach(backend IN LISTS ARGN)
    string(APPEND lines "struct on_${backend} : tag<${backend}> {};\n")
    list(APPEND tags "tandem::test::on_${backend}")
  endforeach()
  # Sanitizers see of serial what the cases compare with. Its cases would take as long to compile.
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(tags tandem::test::on_${fastest})
  endif()
  list(JOIN tags ", " tags)
  string(APPEND lines "using on_fastest = on_${fastest};\nusing host_space = ${host_space};\n"
                      "\n}  // namespace tandem::test\n\n#define TANDEM_TEST_BACKENDS ${tags}\n")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/backends_of/${target}")
  file(CONFIGURE OUTPUT "${folder}/test_backends.hpp" CONTENT "${lines}" @ONLY)
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# CTest entries BINARY.NAME.1, BINARY.NAME.2 .. that run the cases of test files: one for every
# eight files, or `LENGTH`, so that a machine of many cores does not wait for one of them. Each
# takes two processors: beside another one on a machine of two, short loops of three threads take
# up to 200 times as long. The counts that the binary prints are added up by count_results.py.
function(tandem_add_test_group name)
  cmake_parse_arguments(PARSE_ARGV 1 group "" "CASES;ENVIRONMENT;LENGTH" "FILES")
  if(NOT group_LENGTH)
    set(group_LENGTH 8)
  endif()
  string(REGEX REPLACE "\\..*" "" target "${name}")
  list(LENGTH group_FILES files)
  math(EXPR parts "(${files} + ${group_LENGTH} - 1) / ${group_LENGTH}")
  set(part 0)
  foreach(file IN LISTS group_FILES)
    math(EXPR part "${part} % ${parts} + 1")
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    list(APPEND filters_${part} "*${file}")
  endforeach()
  while(parts GREATER 0)
    list(JOIN filters_${parts} "," filters)
    set(cases)
    if(group_CASES)
      set(cases "--test-case=${group_CASES}")
    endif()
    add_test(NAME ${name}.${parts} COMMAND ${target} "--source-file=${filters}" ${cases})
    set_tests_properties(${name}.${parts} PROPERTIES LABELS doctest TIMEOUT 1800 PROCESSORS 2
                                                     ENVIRONMENT "${group_ENVIRONMENT}")
    math(EXPR parts "${parts} - 1")
  endwhile()
endfunction()

# The openmp cases of files again with more threads than the default of 3; the kept hashes with
# other counts as well, and in the wide tier all cases with one thread. Not under sanitizers, which
# look at accesses that are the same for each count.
function(tandem_add_thread_counts name)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR NOT "openmp" IN_LIST TANDEM_BACKENDS)
    return()
  endif()
  set(counts 8)
  set(golden_counts 1 2 16 64)
  if(TANDEM_TEST_TIER STREQUAL "wide")
    set(counts 1 8)
    set(golden_counts 2 16 64)
  endif()
  if(NOT TANDEM_TEST_TIER STREQUAL "quick")
    set(golden ${ARGN})
    list(FILTER golden INCLUDE REGEX "golden|fill_random")
    foreach(threads IN LISTS golden_counts)
      tandem_add_test_group(${name}.threads=${threads} FILES ${golden} CASES "*golden*on_openmp*"
                            ENVIRONMENT TANDEM_TEST_THREADS=${threads})
    endforeach()
  endif()
  foreach(threads IN LISTS counts)
    tandem_add_test_group(${name}.threads=${threads} FILES ${ARGN} CASES "*on_openmp*"
                          ENVIRONMENT TANDEM_TEST_THREADS=${threads})
  endforeach()
endfunction()

# Sets `variable` to files that `backend`'s own compiler builds, one for each of the files given.
function(tandem_wrap_sources variable backend)
  set(wrapped)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${backend}/${name}.${tandem_${backend}_extension}")
    file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"@source@\"\n" @ONLY)
    list(APPEND wrapped "${wrapper}")
  endforeach()
  set(${variable} ${wrapped} PARENT_SCOPE)
endfunction()

# The algorithm tests once more, and the backend's own, by the compiler of a backend that needs one.
# TANDEM_TEST_PTX compiles their device code to PTX and nothing else, for machines that have no
# device to run it: no host code, no assembler, nothing to link.
option(TANDEM_TEST_PTX "Compile the device code of tests to PTX alone" OFF)
function(tandem_add_device_tests backend)
  set(language ${tandem_${backend}_language})
  set(target tandem_tests_${backend})
  tandem_wrap_sources(wrapped_tests ${backend} ${algorithm_tests})
  file(GLOB_RECURSE backend_tests CONFIGURE_DEPENDS
       backends/${backend}/*_test.${tandem_${backend}_extension})
  if(TANDEM_TEST_PTX)
    add_library(${target} OBJECT ${wrapped_tests} ${backend_tests})
    set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON
                                               ${language}_ARCHITECTURES 90-virtual)
    add_test(NAME ${target}
             COMMAND Python3::Interpreter
                     "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/checks/count_skipped.py"
                     ${algorithm_tests} ${backend_tests})
    set_tests_properties(${target} PROPERTIES LABELS doctest)
  else()
    add_executable(${target} ${harness} ${wrapped_tests} ${backend_tests})
    include(backends/${backend}/runtime/calls.cmake OPTIONAL)
    set_target_properties(${target} PROPERTIES ${language}_ARCHITECTURES
                                               "${TANDEM_TEST_ARCHITECTURES}")
    tandem_add_test_group(${target}.algorithms FILES ${algorithm_tests})
    tandem_add_test_group(${target}.backends FILES ${backend_tests} LENGTH 4)
  endif()
  set_property(SOURCE ${wrapped_tests} ${backend_tests} APPEND
               PROPERTY COMPILE_OPTIONS ${TANDEM_TEST_CUDA_FLAGS})
  include(backends/${backend}/runtime/debugger.cmake OPTIONAL)
  tandem_configure_tests(${target} ${backend})
  tandem_set_test_backends(${target} ${backend})
  string(TOUPPER ${backend} upper_backend)
  target_compile_definitions(${target} PRIVATE TANDEM_TEST_${upper_backend})
endfunction()
