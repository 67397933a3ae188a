# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The functions of <tandem/core/math.hpp> against MPFR, for every float. Built on demand: it runs
# for minutes per function.
find_path(TANDEM_MPFR_INCLUDE mpfr.h)
find_library(TANDEM_MPFR_LIBRARY mpfr)
find_library(TANDEM_GMP_LIBRARY gmp)
mark_as_advanced(TANDEM_MPFR_INCLUDE TANDEM_MPFR_LIBRARY TANDEM_GMP_LIBRARY)
if(TANDEM_MPFR_INCLUDE AND TANDEM_MPFR_LIBRARY AND TANDEM_GMP_LIBRARY)
  add_executable(tandem_math_exhaustive EXCLUDE_FROM_ALL math/exhaustive.cpp)
  tandem_configure_tests(tandem_math_exhaustive ${host_space})
  target_include_directories(tandem_math_exhaustive SYSTEM PRIVATE "${TANDEM_MPFR_INCLUDE}")
  target_link_libraries(tandem_math_exhaustive PRIVATE "${TANDEM_MPFR_LIBRARY}"
                                                       "${TANDEM_GMP_LIBRARY}")
endif()

execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import mpmath" RESULT_VARIABLE no_mpmath
                OUTPUT_QUIET ERROR_QUIET)
if(no_mpmath EQUAL 0)
  add_test(NAME check_polynomials
           COMMAND Python3::Interpreter
                   "${PROJECT_SOURCE_DIR}/core/math/generate_polynomials.py" --check)
  set_tests_properties(check_polynomials PROPERTIES LABELS check TIMEOUT 300)
endif()
