# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How CMake handles CUDA, for tandem's build and for projects that use tandem.

# CMake 3.25 has no option for CUDA20, and fails if CUDA files inherit C++20 as a requirement
# (CMAKE_CXX_STANDARD_REQUIRED). Later versions set these variables themselves and take precedence.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20" CACHE INTERNAL "")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20" CACHE INTERNAL "")
endif()

# If no architectures are specified, CMake takes nvcc's oldest, which lacks features of later GPUs.
# Instead, builds for the GPUs of this machine or, if there are none, for Hopper, whose PTX covers
# later GPUs; building for every generation takes several times as long. Always reports what was
# chosen.
function(tandem_choose_cuda_architectures)
  set(who "by CMAKE_CUDA_ARCHITECTURES")
  get_property(help CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
  if("$ENV{CUDAARCHS}" STREQUAL "" AND help STREQUAL "CUDA architectures"
     AND CMAKE_CUDA_ARCHITECTURES STREQUAL "$CACHE{CMAKE_CUDA_ARCHITECTURES}"
     AND CMAKE_CUDA_ARCHITECTURES MATCHES "^(52|75)$")
    set(who "the GPUs of this machine; CMAKE_CUDA_ARCHITECTURES chooses others")
    set(chosen ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
    if(NOT chosen)
      set(who "there is no GPU here; CMAKE_CUDA_ARCHITECTURES chooses others")
      set(chosen 90)
    endif()
    set(CMAKE_CUDA_ARCHITECTURES "${chosen}" CACHE STRING "Chosen by tandem" FORCE)
  endif()
  if(NOT tandem_FIND_QUIETLY)
    list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
    message(STATUS "tandem: CUDA architectures ${architectures} (${who})")
  endif()
endfunction()

get_property(tandem_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CUDA" IN_LIST tandem_languages)
  tandem_choose_cuda_architectures()
endif()
