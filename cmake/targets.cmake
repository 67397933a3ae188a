# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tandem_core carries the include path, the flags that the agreement of bits rests on, and what
# every program has once whatever its backends; one target a backend carries its code, and tandem
# (tandem::tandem) is all of them together.

include(GNUInstallDirs)

set(TANDEM_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")

# ISO C++ for tandem's own files; users choose for theirs.
set(CMAKE_CXX_EXTENSIONS OFF)

file(GLOB_RECURSE tandem_core_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/*.cpp")
# The checked runtime is a separate library (checked.cmake).
list(FILTER tandem_core_sources EXCLUDE REGEX "/core/tools/checked/")
# Functions whose arguments are vectors are compiled for the set that has them, also by compilers
# that take the ABI of a whole file from its flags (decision 0014).
set(tandem_large_angles "${PROJECT_SOURCE_DIR}/core/math/large_angles")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set_property(SOURCE "${tandem_large_angles}_avx2.cpp" PROPERTY COMPILE_OPTIONS -mavx2)
  set_property(SOURCE "${tandem_large_angles}_avx512.cpp" PROPERTY COMPILE_OPTIONS -mavx512f)
endif()
set(tandem_library_kind STATIC)
if(BUILD_SHARED_LIBS)
  set(tandem_library_kind SHARED)
endif()

# A library of the product. Every symbol is exported, whatever the enclosing project decides for its
# own. Before 1.0 a minor release may change the interface, so its number is part of the soname.
function(tandem_add_library name kind)
  add_library(${name} ${kind} ${ARGN})
  set_target_properties(
    ${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET default
                       VISIBILITY_INLINES_HIDDEN OFF VERSION ${PROJECT_VERSION}
                       SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  tandem_enable_warnings(${name})
  # Threads may have small stacks; a call of the library takes 64 KiB at most.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O[23]"
     AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(release_of_host $<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>)
    target_compile_options(${name} PRIVATE "$<${release_of_host}:-Wframe-larger-than=36000>")
  endif()
endfunction()

tandem_add_library(tandem_core ${tandem_library_kind} ${tandem_core_sources})
add_library(tandem::core ALIAS tandem_core)
set_target_properties(
  tandem_core PROPERTIES EXPORT_NAME core TANDEM_VERSION ${PROJECT_VERSION} TANDEM_PLACE
                         "${PROJECT_SOURCE_DIR}" EXPORT_PROPERTIES TANDEM_VERSION)
target_compile_features(tandem_core PUBLIC cxx_std_20)
target_include_directories(
  tandem_core PUBLIC "$<BUILD_INTERFACE:${TANDEM_INCLUDE_DIR}>"
                        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

# Profilers are loaded while a program runs, if at all (core/tools/profiling/profiling.cpp).
target_link_libraries(tandem_core PUBLIC ${CMAKE_DL_LIBS})

# No compiler may fuse a product into a sum on its own, since each would do so elsewhere. The other
# two do not change values and are what lets sqrt and selects vectorise. Never -march here: a
# library must not decide on which machines its users' programs run.
set(TANDEM_HOST_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(TANDEM_CUDA_FLAGS --fmad=false -prec-div=true -prec-sqrt=true -ftz=false)
# Tandem's own files are compiled with them whatever users decide for theirs, and after any
# -ffast-math of the build.
set(tandem_own_host_flags -fno-fast-math -fno-associative-math -fno-reciprocal-math -fsigned-zeros
                          -fno-finite-math-only ${TANDEM_HOST_FLAGS})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(PREPEND tandem_own_host_flags -fno-unsafe-math-optimizations)  # one that clang warns of
endif()

# Whether the target that is compiled relies on the same bits (decision 0022): its property
# TANDEM_AGREEMENT, else what the build says.
set(tandem_decision "$<TARGET_PROPERTY:TANDEM_AGREEMENT>")
if(TANDEM_AGREEMENT)
  set(tandem_agrees "$<OR:$<STREQUAL:${tandem_decision},>,$<BOOL:${tandem_decision}>>")
else()
  set(tandem_agrees "$<BOOL:${tandem_decision}>")
endif()
set(tandem_host_language "$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>")
target_compile_options(
  tandem_core INTERFACE "$<$<AND:${tandem_agrees},${tandem_host_language}>:${TANDEM_HOST_FLAGS}>")
target_compile_definitions(
  tandem_core
  PUBLIC
    "$<$<NOT:$<STREQUAL:${tandem_decision},>>:TANDEM_AGREEMENT=$<BOOL:${tandem_decision}>>")

# Compiles `target`, a part of the library, with the flags that its results rest on. It needs no
# check of them, and links with objects of every level of checks.
function(tandem_set_own_flags target)
  set_target_properties(${target} PROPERTIES TANDEM_AGREEMENT OFF)
  target_compile_definitions(${target} PRIVATE TANDEM_LIBRARY)
  list(JOIN tandem_own_host_flags "," host_flags)
  target_compile_options(
    ${target} PRIVATE "$<${tandem_host_language}:${tandem_own_host_flags}>"
                      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:${TANDEM_CUDA_FLAGS}>"
                      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=${host_flags}>")
endfunction()

tandem_set_own_flags(tandem_core)

add_library(tandem INTERFACE)
add_library(tandem::tandem ALIAS tandem)
target_link_libraries(tandem INTERFACE tandem_core)

# Sets `variable` to a file that does not compile unless backend `name` keeps its contract. It is
# part of the backend's library, so that files of users need not check it again.
function(tandem_backend_check variable name extension)
  set(unit "${PROJECT_BINARY_DIR}/backend_checks/${name}.${extension}")
  file(CONFIGURE OUTPUT "${unit}" @ONLY
       CONTENT "#include <tandem/config.hpp>

#include <tandem/backends/@name@/@name@.hpp>
#include <tandem/core/contract/backend_concept.hpp>

static_assert(tandem::backend<tandem::@name@>);
")
  set(${variable} "${unit}" PARENT_SCOPE)
endfunction()

# Defines the library tandem_NAME (tandem::NAME) from the sources in backends/NAME, shared if
# BUILD_SHARED_LIBS asks for that and STATIC does not rule it out. EXTENSIONS names those of sources
# beside cpp: with cu, files in .cu are compiled and ones in .cuh installed; the first one is that
# of files with loops. EXCLUDE takes regular expressions of file names that this machine cannot
# compile.
macro(tandem_add_backend name)
  cmake_parse_arguments(tandem_backend "STATIC" "" "EXTENSIONS;EXCLUDE" ${ARGN})
  set(tandem_${name}_headers ${tandem_backend_EXTENSIONS})
  list(TRANSFORM tandem_${name}_headers APPEND "h")
  set(tandem_${name}_sources cpp ${tandem_backend_EXTENSIONS})
  list(TRANSFORM tandem_${name}_sources PREPEND "${PROJECT_SOURCE_DIR}/backends/${name}/*.")
  file(GLOB_RECURSE tandem_${name}_sources CONFIGURE_DEPENDS ${tandem_${name}_sources})
  foreach(pattern IN LISTS tandem_backend_EXCLUDE)
    list(FILTER tandem_${name}_sources EXCLUDE REGEX "${pattern}")
  endforeach()
  list(APPEND tandem_backend_EXTENSIONS cpp)
  list(GET tandem_backend_EXTENSIONS 0 tandem_backend_extension)
  tandem_backend_check(tandem_backend_unit ${name} ${tandem_backend_extension})
  set(tandem_${name}_kind ${tandem_library_kind})
  if(tandem_backend_STATIC)
    set(tandem_${name}_kind STATIC)
  endif()
  tandem_add_library(tandem_${name} ${tandem_${name}_kind} ${tandem_${name}_sources}
                     "${tandem_backend_unit}")
  target_link_libraries(tandem_${name} PUBLIC tandem_core)
  tandem_set_own_flags(tandem_${name})
  add_library(tandem::${name} ALIAS tandem_${name})
  set_target_properties(tandem_${name} PROPERTIES EXPORT_NAME ${name})
endmacro()

# Puts the backends together, and says on the targets what tandem_add_sources has to know. For each
# there is tandem::default_NAME as well: what links it sees NAME as tandem::default_space, and CMake
# refuses a target that is asked for two.
function(tandem_link_backends)
  set_target_properties(tandem PROPERTIES TANDEM_BACKENDS "${TANDEM_BACKENDS}")
  foreach(backend IN LISTS TANDEM_BACKENDS)
    target_link_libraries(tandem INTERFACE tandem_${backend})
    set(language CXX)
    set(extension cpp)
    if(DEFINED tandem_${backend}_language)
      set(language ${tandem_${backend}_language})
      set(extension ${tandem_${backend}_extension})
    endif()
    set_target_properties(
      tandem_${backend} PROPERTIES TANDEM_LANGUAGE ${language} TANDEM_EXTENSION ${extension}
                                   EXPORT_PROPERTIES "TANDEM_LANGUAGE;TANDEM_EXTENSION")

    add_library(tandem_default_${backend} INTERFACE)
    add_library(tandem::default_${backend} ALIAS tandem_default_${backend})
    target_compile_definitions(tandem_default_${backend} INTERFACE TANDEM_DEFAULT_SPACE=${backend})
    set_target_properties(
      tandem_default_${backend}
      PROPERTIES EXPORT_NAME default_${backend} INTERFACE_TANDEM_DEFAULT_SPACE ${backend}
                 COMPATIBLE_INTERFACE_STRING TANDEM_DEFAULT_SPACE)
  endforeach()
endfunction()
