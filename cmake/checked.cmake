# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tandem::checked makes the target that links it a debugger of kernels (docs/debugging.md): its
# loops and teams of the host run on one thread, and the compiler reports every access to a runtime
# of tandem's own in place of ThreadSanitizer's. The option is one for compilers alone: a linker
# that saw it would add the sanitizer's runtime as well. Linux only: it reads ELF files for lines.
# TANDEM_CHECKED=ON is that for every target that links tandem::tandem, and TANDEM_CHECKED_ALL says
# whether it is. Without such a runtime only bounds are checked.

set(TANDEM_CHECKED_ALL OFF)
if(TANDEM_CHECKED AND NOT TANDEM_CHECKED STREQUAL "bounds")
  if(NOT TANDEM_CHECKED MATCHES "^([Oo][Nn]|[Tt][Rr][Uu][Ee]|[Yy][Ee][Ss]|1)$")
    message(FATAL_ERROR "tandem: TANDEM_CHECKED is OFF, ON or bounds, not ${TANDEM_CHECKED}")
  endif()
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$"
     OR CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    message(WARNING "tandem: TANDEM_CHECKED=ON checks bounds alone here: races need Linux, g++ or "
                    "clang, and no other sanitizer. TANDEM_CHECKED=bounds says so")
  else()
    set(TANDEM_CHECKED_ALL ON)
  endif()
endif()

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

file(GLOB tandem_checked_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/tools/checked/*.cpp")
add_library(tandem_checked STATIC ${tandem_checked_sources})
add_library(tandem::checked ALIAS tandem_checked)
set_target_properties(tandem_checked PROPERTIES EXPORT_NAME checked)
target_link_libraries(tandem_checked PUBLIC tandem_core)
target_compile_definitions(tandem_checked PUBLIC TANDEM_CHECKED=2)
# clang says nothing of a read that a write to the same place follows, unless it is asked to; and of
# its DWARF 5 binutils 2.40 does not find what was inlined at a call.
set(tandem_clang_reads "SHELL:-mllvm -tsan-instrument-read-before-write")
target_compile_options(
  tandem_checked
  INTERFACE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-fsanitize=thread;-U_FORTIFY_SOURCE>"
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-g>"
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-gdwarf-4;${tandem_clang_reads}>")
tandem_enable_warnings(tandem_checked)
tandem_set_own_flags(tandem_checked)
# Every access is a call, whose few instructions lie in as few lines of the cache as they can.
target_compile_options(tandem_checked PRIVATE -O2 -falign-functions=64)

if(TANDEM_CHECKED_ALL)
  target_link_libraries(tandem INTERFACE tandem_checked)
endif()
