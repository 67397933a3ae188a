# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT PROJECT_IS_TOP_LEVEL AND NOT "CUDA" IN_LIST languages)
  message(FATAL_ERROR "tandem: TANDEM_BACKENDS holds 'cuda', so the enclosing project has to call "
                      "enable_language(CUDA) before it takes tandem in")
endif()

enable_language(CUDA)
include("${CMAKE_CURRENT_LIST_DIR}/language.cmake")
find_package(CUDAToolkit REQUIRED)

# Keeps ptxas' report on each kernel beside its object, for perf/scripts/kernel_resources.py, with a
# compiler cache behind it if the host's compiler has one.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(Python3_Interpreter_FOUND)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${Python3_EXECUTABLE}"
                                     "${PROJECT_SOURCE_DIR}/cmake/record_resources.py"
                                     ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()

# Some Hopper instructions exist only for sm_90a, so their kernels are compiled only for it, and
# only if the architectures to build for include Hopper.
set(hopper_files "/matmul/hopper/.*\\.cu$")
# A program and a shared library would each contain a CUDA runtime, and neither runtime would know
# the kernels or settings of the other. So this backend is always a static library.
tandem_add_backend(cuda STATIC EXTENSIONS cu EXCLUDE "${hopper_files}")
if(BUILD_SHARED_LIBS)
  message(STATUS "tandem: BUILD_SHARED_LIBS does not apply to cuda, which stays a static library: "
                 "a program and its kernels share one CUDA runtime")
endif()
# Static runtime only: a program then starts, and runs its CPU side, on a machine without a driver.
target_link_libraries(tandem_cuda PUBLIC CUDA::cudart_static)
set_target_properties(tandem_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static)

# Calling a host function in a kernel is an error rather than nvcc's warning, since its result is
# undefined. The arithmetic flags are nvcc's spelling of what tandem_core passes to the host
# compiler.
set(cuda_language "$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>")
list(JOIN TANDEM_HOST_FLAGS "," host_flags)
target_compile_options(
  tandem_cuda
  PUBLIC
  "$<${cuda_language}:--extended-lambda;-Werror=cross-execution-space-call>"
  "$<$<AND:${tandem_agrees},${cuda_language}>:${TANDEM_CUDA_FLAGS};-Xcompiler=${host_flags}>")

set(architectures_as_given ${CMAKE_CUDA_ARCHITECTURES})
set(architectures ${CMAKE_CUDA_ARCHITECTURES})
if(architectures STREQUAL "native")
  set(architectures ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
endif()
set(builds_hopper FALSE)
if(architectures MATCHES "(^|;)(90|all)")
  # Their instructions take type names as operands, which nvcc 12.4 does not support.
  include(CheckSourceCompiles)
  set(CMAKE_CUDA_ARCHITECTURES 90)
  check_source_compiles(
    CUDA "static __device__ constexpr char text[] = \"nop\";
          __global__ void kernel() { asm volatile(\"// %0\" : : \"C\"(text)); }
          int main() { return 0; }" TANDEM_NVCC_TAKES_TEXT_OPERANDS)
  set(CMAKE_CUDA_ARCHITECTURES ${architectures_as_given})
  set(builds_hopper ${TANDEM_NVCC_TAKES_TEXT_OPERANDS})
  if(NOT builds_hopper)
    message(STATUS "tandem: this nvcc has no \"C\" operands in assembly, so Hopper's own kernels "
                   "of matrix products are left out, and the others serve it")
  endif()
endif()
if(builds_hopper)
  file(GLOB_RECURSE hopper_sources CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/backends/cuda/matmul/hopper/*.cu")
  add_library(tandem_cuda_sm90a OBJECT ${hopper_sources})
  set_target_properties(tandem_cuda_sm90a PROPERTIES POSITION_INDEPENDENT_CODE ON
                                                     CUDA_ARCHITECTURES OFF TANDEM_AGREEMENT OFF)
  target_compile_options(
    tandem_cuda_sm90a PRIVATE "$<TARGET_PROPERTY:tandem_cuda,COMPILE_OPTIONS>"
                              "$<$<COMPILE_LANGUAGE:CUDA>:-gencode=arch=compute_90a,code=sm_90a>")
  target_link_libraries(tandem_cuda_sm90a PRIVATE tandem_core CUDA::cudart_static)
  target_compile_definitions(tandem_cuda PRIVATE TANDEM_CUDA_SM90A)
  target_sources(tandem_cuda PRIVATE $<TARGET_OBJECTS:tandem_cuda_sm90a>)
endif()

set(tandem_cuda_language CUDA)
set(tandem_cuda_extension cu)
set(tandem_cuda_find_dependency CUDAToolkit)

# Architectures of tests, benchmarks and examples: the device of this machine, otherwise Hopper.
if(CMAKE_CUDA_ARCHITECTURES_NATIVE)
  set(test_architectures native)
else()
  set(test_architectures 90)
endif()
set(TANDEM_TEST_ARCHITECTURES ${test_architectures}
    CACHE STRING "CMAKE_CUDA_ARCHITECTURES of the tests, benchmarks and examples")
set(TANDEM_TEST_CUDA_FLAGS "" CACHE STRING "Further flags for CUDA code of the tests")
