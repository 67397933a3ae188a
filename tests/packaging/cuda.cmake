# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the build itself has made is installed here, since compiling kernels takes minutes. The
# entries that have to compile them again ask for the least of optimisation, for which nvcc has had
# an option since 12.8: a quarter of the time.

set(cuda_options -DLANGUAGE=CUDA "-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}"
                 "-DCMAKE_CUDA_ARCHITECTURES=${TANDEM_TEST_ARCHITECTURES}")
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  list(APPEND cuda_options -DCMAKE_CUDA_FLAGS=-Ofc=max)
endif()

add_test(NAME packaging.install_cuda COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}"
                                             --prefix "${prefix}/cuda")
set_tests_properties(packaging.install_cuda PROPERTIES LABELS packaging FIXTURES_SETUP cuda_prefix)
tandem_add_packaging_test(
  find_package_cuda "${consumer}" DEPENDS cuda_prefix COMMAND consumer
  OPTIONS -DHOW=find_package "-DCMAKE_PREFIX_PATH=${prefix}/cuda" ${cuda_options}
          "-DCOMPONENTS=openmp;cuda")
# The program names openmp too, which is linked although cuda alone was asked for.
tandem_add_packaging_test(
  find_package_cuda_alone "${consumer}" DEPENDS cuda_prefix COMMAND consumer
  OPTIONS -DHOW=find_package "-DCMAKE_PREFIX_PATH=${prefix}/cuda" ${cuda_options} -DCOMPONENTS=cuda)
tandem_add_packaging_test(
  find_package_from_plain_cpp "${consumer}" DEPENDS cuda_prefix COMMAND consumer
  OPTIONS -DHOW=find_package "-DCMAKE_PREFIX_PATH=${prefix}/cuda" -DCOMPONENTS=${host_space})
# FetchContent adds the subdirectory itself, so this is both ways at the price of one.
tandem_add_packaging_test(
  fetch_content_cuda "${consumer}" COMMAND consumer
  OPTIONS -DHOW=fetch_content "-DTANDEM_SOURCE=${PROJECT_SOURCE_DIR}"
          "-DTANDEM_BACKENDS=serial;openmp;cuda" -DTANDEM_BACKEND=openmp ${cuda_options})
