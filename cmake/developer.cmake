# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What tandem's own targets use and users never see.

set(TANDEM_WARNINGS -Wall -Wextra -Wconversion -Wsign-conversion)
# g++ 12 sees overlap in std::operator+(const char*, std::string&&) that is none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(TANDEM_NO_FALSE_WARNINGS -Wno-restrict)
endif()

# Gives `target` the project's warnings, privately: they are no part of its interface.
function(tandem_enable_warnings target)
  set(host_warnings ${TANDEM_WARNINGS} ${TANDEM_NO_FALSE_WARNINGS})
  # nvcc's own front end checks device code; the host compiler then sees generated code, in which
  # conversions are not the author's.
  set(cuda_warnings -Wall -Wextra ${TANDEM_NO_FALSE_WARNINGS})
  list(JOIN cuda_warnings "," cuda_warnings)
  set(cuda_warnings -Xcompiler=${cuda_warnings})
  if(TANDEM_WERROR)
    list(APPEND host_warnings -Werror)
    list(APPEND cuda_warnings -Werror=all-warnings)
  endif()
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host_warnings}>"
                      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:${cuda_warnings}>")
  # Tests compare both sides in one file.
  target_compile_definitions(${target} PRIVATE TANDEM_ALLOW_HOST_LOOPS_IN_NVCC)
endfunction()

# Makes `target` see `backend` as tandem::default_space, whatever the build's own default is, so
# that one build tests and shows both sides.
function(tandem_use_default_space target backend)
  target_link_libraries(${target} PRIVATE tandem::default_${backend})
endfunction()

# The default space of targets that g++ or clang compiles: the build's if that compiler can run its
# loops, otherwise the first backend whose loops it can run.
function(tandem_host_default_space variable)
  if(NOT DEFINED tandem_${TANDEM_BACKEND}_language)
    set(${variable} ${TANDEM_BACKEND} PARENT_SCOPE)
    return()
  endif()
  foreach(backend openmp ${TANDEM_BACKENDS})
    if(backend IN_LIST TANDEM_BACKENDS AND NOT DEFINED tandem_${backend}_language)
      set(${variable} ${backend} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
