# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tandem::checked makes the target that links it a debugger of kernels (docs/debugging.md): its
# loops and teams of the host run on one thread, and the compiler reports every access to a runtime
# of tandem's own in place of ThreadSanitizer's. The option is one for compilers alone: a linker
# that saw it would add the sanitizer's runtime as well. Linux only: it reads ELF files for lines.

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

file(GLOB tandem_checked_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/checked/*.cpp")
add_library(tandem_checked STATIC ${tandem_checked_sources})
add_library(tandem::checked ALIAS tandem_checked)
set_target_properties(tandem_checked PROPERTIES EXPORT_NAME checked)
target_link_libraries(tandem_checked PUBLIC tandem_core)
target_compile_definitions(tandem_checked PUBLIC TANDEM_CHECKED=2)
target_compile_options(
  tandem_checked INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-fsanitize=thread;-g>")
tandem_enable_warnings(tandem_checked)
tandem_set_own_flags(tandem_checked)
target_compile_options(tandem_checked PRIVATE -O2)

if(TANDEM_CHECKED STREQUAL "races")
  target_link_libraries(tandem INTERFACE tandem_checked)
endif()
