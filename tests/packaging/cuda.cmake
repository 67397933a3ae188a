# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the build itself has made is installed here, since compiling kernels takes minutes.

set(cuda_options -DLANGUAGE=CUDA "-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}"
                 "-DCMAKE_CUDA_ARCHITECTURES=${TANDEM_TEST_ARCHITECTURES}")

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
tandem_add_packaging_test(
  one_source_cuda "${one_source}" DEPENDS cuda_prefix COMMAND one_source openmp cuda
  OPTIONS -DHOW=find_package "-DCMAKE_PREFIX_PATH=${prefix}/cuda" ${cuda_options} -DCOMPONENTS=cuda)
# The installation holds cuda, the project has no nvcc.
tandem_add_packaging_test(
  one_source_without_nvcc "${one_source}" DEPENDS cuda_prefix COMMAND one_source openmp
  OPTIONS -DHOW=find_package "-DCMAKE_PREFIX_PATH=${prefix}/cuda")
# A project that names no architectures gets those of the machine, or Hopper, but not nvcc's oldest.
tandem_add_configure_test(
  architectures "${one_source}"
  "tandem: CUDA architectures ([0-9]+-real|90 .there is no GPU)[^\n]*ARCHITECTURES chooses others"
  OPTIONS -DHOW=fetch_content "-DTANDEM_SOURCE=${PROJECT_SOURCE_DIR}" -DLANGUAGE=CUDA
          "-DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}")
# FetchContent adds the subdirectory itself, so this is both ways at the price of one: nvcc compiles
# the user's file there. Linking is tested with the library that is installed already.
tandem_add_packaging_test(
  fetch_content_cuda "${one_source}"
  TARGET CMakeFiles/one_source.dir/tandem_sources/one_source/parts/kernels.cpp.cuda.cu.o
  OPTIONS -DHOW=fetch_content "-DTANDEM_SOURCE=${PROJECT_SOURCE_DIR}"
          "-DTANDEM_BACKENDS=serial;openmp;cuda" -DTANDEM_BACKEND=openmp ${cuda_options})
