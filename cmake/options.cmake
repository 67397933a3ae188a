# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a user may set. A project that takes tandem in by add_subdirectory or FetchContent gets the
# library alone; a checkout of tandem gets its tests, benchmarks and examples as well.

option(TANDEM_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TANDEM_PERF "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TANDEM_EXAMPLES "Build the examples, which are tests" ${TANDEM_TESTS})
option(TANDEM_INSTALL "Write install rules" ${PROJECT_IS_TOP_LEVEL})
option(TANDEM_AGREEMENT "Promise the same bits on every backend, and export the flags for it" ON)
option(TANDEM_WERROR "Treat warnings in tandem's own files as errors" OFF)
set(TANDEM_CHECKED OFF
    CACHE STRING "Check kernels: OFF, ON (races and bounds) or bounds alone (docs/debugging.md)")
set_property(CACHE TANDEM_CHECKED PROPERTY STRINGS OFF bounds ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
if(PROJECT_IS_TOP_LEVEL)
  # The compile-fail and header tests take their command lines from it.
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
