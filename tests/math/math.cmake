# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The functions of <tandem/core/math.hpp> against MPFR: a sample of every function as a test, and by
# hand every float, which takes minutes per function.
find_path(TANDEM_MPFR_INCLUDE mpfr.h)
find_library(TANDEM_MPFR_LIBRARY mpfr)
find_library(TANDEM_GMP_LIBRARY gmp)
mark_as_advanced(TANDEM_MPFR_INCLUDE TANDEM_MPFR_LIBRARY TANDEM_GMP_LIBRARY)

# A program that calls MPFR, and a test that runs it on few inputs.
function(tandem_add_mpfr_program target source)
  if(TANDEM_MPFR_INCLUDE AND TANDEM_MPFR_LIBRARY AND TANDEM_GMP_LIBRARY
     AND NOT CMAKE_CROSSCOMPILING)
    add_executable(${target} ${source})
    tandem_configure_tests(${target} ${host_space})
    target_include_directories(${target} SYSTEM PRIVATE "${TANDEM_MPFR_INCLUDE}")
    target_link_libraries(${target} PRIVATE "${TANDEM_MPFR_LIBRARY}" "${TANDEM_GMP_LIBRARY}")
    add_test(NAME ${target} COMMAND ${target} ${ARGN})
  else()
    add_test(NAME ${target} COMMAND sh -c "echo there is no MPFR here; exit 77")
  endif()
  set_tests_properties(${target} PROPERTIES LABELS check TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()
tandem_add_mpfr_program(tandem_math_exhaustive math/exhaustive.cpp --exact --stride
                        100003)
tandem_add_mpfr_program(tandem_math_sampled math/sampled.cpp --pairs 100000 --doubles 20000)

# Loops over functions of angles once more for instruction sets for which g++ vectorises them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  foreach(level 3 4)
    set(target tandem_angles_v${level})
    add_executable(${target} algorithms/angles_test.cpp support/main.cpp)
    tandem_configure_tests(${target} ${host_space})
    tandem_set_test_backends(${target} ${host_backends})
    target_compile_options(${target} PRIVATE -march=x86-64-v${level})
  endforeach()
  set(runs_where "grep -qw $0 /proc/cpuinfo || exit 77; exec \"$@\"")
  add_test(NAME tandem_angles_v3 COMMAND sh -c "${runs_where}" avx2
                                         $<TARGET_FILE:tandem_angles_v3>)
  add_test(NAME tandem_angles_v4 COMMAND sh -c "${runs_where}" avx512vl
                                         $<TARGET_FILE:tandem_angles_v4>)
  set_tests_properties(tandem_angles_v3 tandem_angles_v4 PROPERTIES LABELS doctest TIMEOUT 300
                                                                    SKIP_RETURN_CODE 77)
endif()

# Words for batteries of tests of random numbers; built on demand.
add_executable(tandem_random_words EXCLUDE_FROM_ALL math/random_words.cpp)
tandem_configure_tests(tandem_random_words ${host_space})

# The hashes of all floats, on the default space of each backend; built on demand.
foreach(backend IN LISTS TANDEM_BACKENDS)
  set(source math/function_hashes.cpp)
  if(DEFINED tandem_${backend}_language)
    tandem_wrap_sources(source ${backend} "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  endif()
  add_executable(tandem_function_hashes_${backend} EXCLUDE_FROM_ALL ${source})
  tandem_configure_tests(tandem_function_hashes_${backend} ${backend})
  if(DEFINED tandem_${backend}_language)
    set_target_properties(
      tandem_function_hashes_${backend} PROPERTIES ${tandem_${backend}_language}_ARCHITECTURES
                                                   "${TANDEM_TEST_ARCHITECTURES}")
  endif()
endforeach()

execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import mpmath" RESULT_VARIABLE no_mpmath
                OUTPUT_QUIET ERROR_QUIET)
if(no_mpmath EQUAL 0)
  add_test(NAME check_polynomials
           COMMAND Python3::Interpreter
                   "${PROJECT_SOURCE_DIR}/core/math/generate_polynomials.py" --check)
  set_tests_properties(check_polynomials PROPERTIES LABELS check TIMEOUT 300)
endif()
