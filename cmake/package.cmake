# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cpack -G DEB` needs to know: one package of headers, libraries, the CMake package and the
# pkg-config file. -DCMAKE_INSTALL_PREFIX=/usr gives it the paths of Debian's own packages.

set(CPACK_PACKAGE_NAME libtandem-dev)
set(CPACK_PACKAGE_VENDOR "The tandem authors")
set(CPACK_PACKAGE_CONTACT "The tandem authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
list(JOIN TANDEM_BACKENDS ", " backends)
set(CPACK_PACKAGE_DESCRIPTION
    "Loops, reductions, scans, sorts, histograms and matrix products from one C++20 source, with the
same bits on CPU and GPU. Headers and libraries of the backends ${backends}.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_SOURCE_GENERATOR "")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
# What core/requirements.hpp asks for. CUDA is not a dependency, since the headers leave that
# backend out if it is not installed, and NVIDIA's packages name it by version.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:12) | clang (>= 1:14)")
if(tandem_openmp_highway)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libhwy-dev")
endif()
if(BUILD_SHARED_LIBS)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # ldconfig has to be run.
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
endif()
include(CPack)
