# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
find_package(OpenMP REQUIRED COMPONENTS CXX)

# Highway's vectorised sort is used where it is installed (Debian: libhwy-dev). Results do not
# depend on it.
option(TANDEM_HIGHWAY "Sort keys on the CPU with Highway where it is installed" ON)
find_path(TANDEM_HIGHWAY_INCLUDE hwy/contrib/sort/vqsort.h)
find_library(TANDEM_HIGHWAY_SORT_LIBRARY hwy_contrib)
find_library(TANDEM_HIGHWAY_LIBRARY hwy)
mark_as_advanced(TANDEM_HIGHWAY_INCLUDE TANDEM_HIGHWAY_SORT_LIBRARY TANDEM_HIGHWAY_LIBRARY)
set(tandem_openmp_highway)
if(TANDEM_HIGHWAY AND TANDEM_HIGHWAY_INCLUDE AND TANDEM_HIGHWAY_SORT_LIBRARY
   AND TANDEM_HIGHWAY_LIBRARY)
  set(tandem_openmp_highway "${TANDEM_HIGHWAY_SORT_LIBRARY}" "${TANDEM_HIGHWAY_LIBRARY}")
endif()

# Kernels for an instruction set are separate files, selected at run time; only these files are
# compiled with its flags, so that the rest of a program starts on any x86-64.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  tandem_add_backend(openmp)
  foreach(source IN LISTS tandem_openmp_sources)
    if(source MATCHES "[/_]avx512\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v4
                                                      -mprefer-vector-width=512)
    elseif(source MATCHES "[/_]avx512_vnni\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v4 -mavx512vnni
                                                      -mprefer-vector-width=512)
    elseif(source MATCHES "[/_]avx512_amx\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v4 -mamx-tile
                                                      -mamx-int8 -mprefer-vector-width=512)
    elseif(source MATCHES "[/_]avx512_bf16\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v4 -mavx512bf16
                                                      -mprefer-vector-width=512)
    elseif(source MATCHES "[/_]avx2\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v3)
    elseif(source MATCHES "[/_]avx_vnni\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -march=x86-64-v3 -mavxvnni)
    endif()
    # The speed of a micro-kernel's loop depends on where in a fetch block it begins, which is
    # chance without this.
    if(source MATCHES "/matmul/.*avx[a-z0-9_]*\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -falign-loops=32)
    endif()
  endforeach()
else()
  tandem_add_backend(openmp EXCLUDE "[/_]avx[a-z0-9_]*\\.cpp$")
endif()
if(tandem_openmp_highway)
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/backends/openmp/sort/vectorised.cpp"
               APPEND PROPERTY COMPILE_DEFINITIONS TANDEM_HAS_HIGHWAY)
  target_link_libraries(tandem_openmp PRIVATE ${tandem_openmp_highway})
  target_include_directories(tandem_openmp SYSTEM PRIVATE "${TANDEM_HIGHWAY_INCLUDE}")
endif()

target_link_libraries(tandem_openmp PUBLIC OpenMP::OpenMP_CXX)
# OpenMP::OpenMP_CXX adds its flags to C++ files alone; loops in files that nvcc compiles need them
# too.
target_compile_options(
  tandem_openmp PUBLIC "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-fopenmp>")

set(tandem_openmp_pkg_config_flags ${OpenMP_CXX_FLAGS})
set(tandem_openmp_pkg_config_libraries ${tandem_openmp_highway})
set(tandem_openmp_find_dependency OpenMP COMPONENTS CXX)
