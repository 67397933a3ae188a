# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every project that uses tandem gets: tandem_check_functions.

# tandem_check_functions(TARGET [DEVICE] [ALLOW name...]): TARGET does not link while its own object
# files call mathematical functions of the platform (exp, sinf, pow), whose bits differ between CPU
# and GPU; the message names the call, its line where there is debug information, and the function
# of tandem to use (docs/numerics.md, Functions). ALLOW names functions that are meant (log stands
# for logf, too), and parts of the names of object files that may call any, as "main.cpp".
#
# In optimised device code such calls do not show. DEVICE adds the target TARGET_device_functions,
# which nobody else builds: it compiles the .cu files of TARGET once more to PTX with -G and looks
# there. Needs Python 3.
function(tandem_check_functions target)
  cmake_parse_arguments(PARSE_ARGV 1 check "DEVICE" "" "ALLOW")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(script Python3::Interpreter "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_functions.py")
  set(options --nm "${CMAKE_NM}" --objdump "${CMAKE_OBJDUMP}")
  if(check_ALLOW)
    list(APPEND options --allow ${check_ALLOW})
  endif()
  add_custom_command(TARGET ${target} PRE_LINK COMMAND ${script} "$<TARGET_OBJECTS:${target}>"
                                                       ${options} COMMAND_EXPAND_LISTS VERBATIM)
  if(check_DEVICE)
    tandem_add_device_functions(${target})
    add_custom_target(
      ${target}_device_functions
      COMMAND ${script} "$<TARGET_OBJECTS:${target}_ptx>" ${options}
      DEPENDS ${target}_ptx COMMAND_EXPAND_LISTS VERBATIM)
  endif()
endfunction()

# Adds TARGET_ptx: the .cu files of TARGET as PTX without optimisation.
function(tandem_add_device_functions target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  list(FILTER sources INCLUDE REGEX "\\.cu$")
  if(NOT sources)
    message(FATAL_ERROR "tandem_check_functions: ${target} has no .cu files for DEVICE")
  endif()
  set(absolute)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${directory}")
    list(APPEND absolute "${source}")
  endforeach()
  add_library(${target}_ptx OBJECT EXCLUDE_FROM_ALL ${absolute})
  set_target_properties(${target}_ptx PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES
                                                                         "75-virtual")
  target_compile_options(${target}_ptx PRIVATE -G "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
  target_compile_definitions(${target}_ptx
                             PRIVATE "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  target_include_directories(${target}_ptx
                             PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  target_link_libraries(${target}_ptx PRIVATE "$<TARGET_PROPERTY:${target},LINK_LIBRARIES>")
endfunction()
