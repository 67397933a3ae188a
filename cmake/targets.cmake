# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tandem_core carries the include path and the flags that the agreement of bits rests on, one target
# a backend carries its code, and tandem (tandem::tandem) is all of them together.

include(GNUInstallDirs)

set(TANDEM_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")

# ISO C++ for tandem's own files; users choose for theirs.
set(CMAKE_CXX_EXTENSIONS OFF)

add_library(tandem_core INTERFACE)
add_library(tandem::core ALIAS tandem_core)
set_target_properties(tandem_core PROPERTIES EXPORT_NAME core)
target_compile_features(tandem_core INTERFACE cxx_std_20)
target_include_directories(
  tandem_core INTERFACE "$<BUILD_INTERFACE:${TANDEM_INCLUDE_DIR}>"
                        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# No compiler may fuse a product into a sum on its own, since each would do so elsewhere. The other
# two do not change values and are what lets sqrt and selects vectorise. Never -march here: a
# library must not decide on which machines its users' programs run.
set(TANDEM_HOST_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)
target_compile_options(
  tandem_core INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:${TANDEM_HOST_FLAGS}>")

add_library(tandem INTERFACE)
add_library(tandem::tandem ALIAS tandem)
target_link_libraries(tandem INTERFACE tandem_core)

# Defines tandem_NAME (tandem::NAME) from the sources in backends/NAME: a static library, or an
# interface where the backend is headers alone. EXCLUDE takes regular expressions of file names that
# this machine cannot compile.
macro(tandem_add_backend name)
  cmake_parse_arguments(tandem_backend "" "" "EXCLUDE" ${ARGN})
  file(GLOB_RECURSE tandem_${name}_sources CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/backends/${name}/*.cpp" "${PROJECT_SOURCE_DIR}/backends/${name}/*.cu")
  foreach(pattern IN LISTS tandem_backend_EXCLUDE)
    list(FILTER tandem_${name}_sources EXCLUDE REGEX "${pattern}")
  endforeach()
  if(tandem_${name}_sources)
    add_library(tandem_${name} STATIC ${tandem_${name}_sources})
    set_target_properties(tandem_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(tandem_${name} PUBLIC tandem_core)
    tandem_enable_warnings(tandem_${name})
    set(tandem_${name}_scope PUBLIC)
  else()
    add_library(tandem_${name} INTERFACE)
    target_link_libraries(tandem_${name} INTERFACE tandem_core)
    set(tandem_${name}_scope INTERFACE)
  endif()
  add_library(tandem::${name} ALIAS tandem_${name})
  set_target_properties(tandem_${name} PROPERTIES EXPORT_NAME ${name})
endmacro()

function(tandem_link_backends)
  foreach(backend IN LISTS TANDEM_BACKENDS)
    target_link_libraries(tandem INTERFACE tandem_${backend})
  endforeach()
endfunction()
