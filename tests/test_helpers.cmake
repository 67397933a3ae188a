# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Includes, flags and the default space of a test binary.
function(tandem_configure_tests target default_space)
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
  # Sanitizers see of serial what the cases compare with. Cases of its own would compile as long.
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

# A CTest entry for each of the folders, which runs the cases of the files in it. The counts that
# the binary prints are added up by count_results.py.
function(tandem_add_test_groups target)
  foreach(group IN LISTS ARGN)
    add_test(NAME ${target}.${group} COMMAND ${target} "--source-file=*tests/${group}/*")
    set_tests_properties(${target}.${group} PROPERTIES LABELS doctest TIMEOUT 1800)
  endforeach()
endfunction()

# The openmp cases of a folder again with fewer and more threads than the default of 3, and the kept
# hashes with others; not under sanitizers, which look at accesses that are the same for each count.
function(tandem_add_thread_counts target group)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR NOT "openmp" IN_LIST TANDEM_BACKENDS)
    return()
  endif()
  foreach(threads 1 2 8 16 64)
    set(name ${target}.${group}.threads=${threads})
    set(cases "*on_openmp*")
    if(NOT threads MATCHES "^(1|8)$")
      set(cases "*golden*on_openmp*")
    endif()
    add_test(NAME ${name} COMMAND ${target} "--source-file=*tests/${group}/*"
                                            "--test-case=${cases}")
    set_tests_properties(${name} PROPERTIES LABELS doctest TIMEOUT 1800
                                            ENVIRONMENT "TANDEM_TEST_THREADS=${threads}")
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
