# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which backends this build holds (TANDEM_BACKENDS) and which one tandem::default_space is
# (TANDEM_BACKEND). A backend is a folder of backends/ that holds NAME.hpp and NAME.cmake.

# A compiler that is installed but not on PATH is what NVIDIA's packages leave behind.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(TANDEM_NVCC nvcc PATHS "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
  mark_as_advanced(TANDEM_NVCC)
  if(TANDEM_NVCC)
    set(CMAKE_CUDA_COMPILER "${TANDEM_NVCC}")
  endif()
endif()

# Inside another project the list must not change with what happens to be installed: there CUDA
# counts only if the project has enabled the language itself.
get_property(tandem_enabled_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(tandem_default_backends serial openmp)
if("CUDA" IN_LIST tandem_enabled_languages)
  list(APPEND tandem_default_backends cuda)
elseif(PROJECT_IS_TOP_LEVEL AND (CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX}))
  list(APPEND tandem_default_backends cuda)
endif()

set(TANDEM_BACKENDS "${tandem_default_backends}" CACHE STRING "Backends to build, a list")
set(TANDEM_BACKEND "openmp" CACHE STRING "The backend behind tandem::default_space")

foreach(backend IN LISTS TANDEM_BACKENDS)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/backends/${backend}/${backend}.cmake")
    message(FATAL_ERROR "tandem: TANDEM_BACKENDS names '${backend}', "
                        "but there is no backends/${backend}/${backend}.cmake")
  endif()
endforeach()
if(NOT TANDEM_BACKEND IN_LIST TANDEM_BACKENDS)
  message(FATAL_ERROR "tandem: TANDEM_BACKEND is '${TANDEM_BACKEND}', "
                      "which is not one of TANDEM_BACKENDS (${TANDEM_BACKENDS})")
endif()
