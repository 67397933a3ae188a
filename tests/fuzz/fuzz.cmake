# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random cases of every operation against oracles: tandem_fuzz for the host's backends, and
# tandem_fuzz_BACKEND with the same files built by that backend's own compiler. CTest runs half
# a minute of the first with a fixed seed in the full tier, but not under sanitizers, where it takes
# as long to compile as the tests; tests/run --fuzz MINUTES builds and runs both.

set(boundaries "${CMAKE_CURRENT_BINARY_DIR}/generated/fuzz/boundaries.hpp")
file(GLOB_RECURSE policies CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/backends/*/policy.hpp")
add_custom_command(
  OUTPUT "${boundaries}"
  COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/collect_boundaries.py"
          "${boundaries}"
  DEPENDS fuzz/collect_boundaries.py "${PROJECT_SOURCE_DIR}/core/contract/reduction_shape.hpp"
          ${policies}
  VERBATIM)

# -O1 has 3.5 times the cases per second for twice the time to compile. The library keeps its own.
set(TANDEM_FUZZ_LEVEL -O0 CACHE STRING "Optimisation of the fuzzer's several hundred operations")
mark_as_advanced(TANDEM_FUZZ_LEVEL)

set(fuzz_frame fuzz/main.cpp fuzz/draw.cpp "${boundaries}")
file(GLOB fuzz_families CONFIGURE_DEPENDS fuzz/*.cpp)
list(FILTER fuzz_families EXCLUDE REGEX "/(main|draw)\\.cpp$")

# A campaign; 77 says that there is no device.
function(tandem_add_fuzz target default_space)
  add_executable(${target} EXCLUDE_FROM_ALL ${fuzz_frame} ${ARGN})
  tandem_configure_tests(${target} ${default_space})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
  tandem_precompile(${target} <tandem/tandem.hpp>)
  # With so little inlining g++ takes empty reducers for uninitialised.
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${TANDEM_FUZZ_LEVEL}>"
                      "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>")
endfunction()

tandem_add_fuzz(tandem_fuzz ${host_space} ${fuzz_families})
if(NOT TANDEM_TEST_TIER STREQUAL "quick" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set_target_properties(tandem_fuzz PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_test(NAME tandem_fuzz COMMAND tandem_fuzz --minutes 0.5 --seed 1)
  set_tests_properties(tandem_fuzz PROPERTIES LABELS fuzz TIMEOUT 900)
endif()
foreach(backend IN LISTS TANDEM_BACKENDS)
  if(DEFINED tandem_${backend}_language)
    tandem_wrap_sources(wrapped_families ${backend} ${fuzz_families})
    tandem_add_fuzz(tandem_fuzz_${backend} ${backend} ${wrapped_families})
    set_target_properties(
      tandem_fuzz_${backend} PROPERTIES ${tandem_${backend}_language}_ARCHITECTURES
                                        "${TANDEM_TEST_ARCHITECTURES}")
    string(TOUPPER ${backend} upper_backend)
    target_compile_definitions(tandem_fuzz_${backend} PRIVATE TANDEM_TEST_${upper_backend})
    if(TANDEM_TEST_TIER STREQUAL "wide")
      set_target_properties(tandem_fuzz_${backend} PROPERTIES EXCLUDE_FROM_ALL OFF)
    endif()
  endif()
endforeach()
