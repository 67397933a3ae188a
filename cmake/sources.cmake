# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every project that uses tandem gets, installed or not: tandem_add_sources, and a word on
# builds that nobody asked to be optimised.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT tandem_FIND_QUIETLY)
  message(STATUS "tandem: no build type is set, so loops are compiled without optimisation; "
                 "-DCMAKE_BUILD_TYPE=Release sets one")
endif()

# tandem_add_sources(TARGET FILE...): compiles each file once for every backend, with the compiler
# that the backend's loops need. In each of these objects tandem::build_space is that backend's
# space, so that a template instantiated for it is there for all of them when they are linked:
#
#   template <class Space>
#   void scale(const Space& space, ...) { tandem::parallel_for(space, ...); }
#   template void scale(const tandem::build_space&, ...);
#
# The files take their options from TARGET. A backend whose language the project has not enabled is
# left out, of tandem::any_space in TARGET as well. docs/guide/one-source.md says what such a file
# may hold.
function(tandem_add_sources target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  get_target_property(backends tandem::tandem TANDEM_BACKENDS)
  list(REMOVE_DUPLICATES backends)
  foreach(backend IN LISTS backends)
    get_target_property(language tandem::${backend} TANDEM_LANGUAGE)
    get_target_property(extension tandem::${backend} TANDEM_EXTENSION)
    if(NOT language IN_LIST languages)
      string(TOUPPER ${backend} upper_backend)
      target_compile_definitions(${target} PRIVATE TANDEM_ANY_SPACE_WITHOUT_${upper_backend})
      message(STATUS "tandem: ${target} is built without ${backend}, whose loops need "
                     "enable_language(${language})")
      continue()
    endif()
    foreach(source IN LISTS ARGN)
      tandem_write_source_for(unit "${source}" ${target} ${backend} ${extension})
      target_sources(${target} PRIVATE "${unit}")
    endforeach()
  endforeach()
endfunction()

# Sets `variable` to a generated file that compiles `source` for `backend`. One object per backend
# takes files of different names, since CMake compiles a file once per target.
function(tandem_write_source_for variable source target backend extension)
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  cmake_path(RELATIVE_PATH source OUTPUT_VARIABLE name)
  string(REPLACE "../" "__/" name "${name}")
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/tandem_sources/${target}/${name}.${backend}.${extension}")
  file(CONFIGURE OUTPUT "${unit}" @ONLY
       CONTENT "#define TANDEM_BUILD_SPACE @backend@\n#include \"@source@\"\n")
  # The source may be generated, too.
  set_source_files_properties("${unit}" PROPERTIES OBJECT_DEPENDS "${source}"
                                                   SKIP_UNITY_BUILD_INCLUSION ON)
  set(${variable} "${unit}" PARENT_SCOPE)
endfunction()
