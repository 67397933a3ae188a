# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cpack -G DEB` needs to know: one package of headers, libraries, the CMake package and the
# pkg-config file. -DCMAKE_INSTALL_PREFIX=/usr gives it the paths of Debian's own packages.

set(CPACK_PACKAGE_NAME libtandem-dev)
set(CPACK_PACKAGE_VENDOR "The tandem authors")
# Debian's tools take a name with an address: -DCPACK_PACKAGE_CONTACT="Name <address>".
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "The tandem authors")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
list(JOIN TANDEM_BACKENDS ", " backends)
set(CPACK_PACKAGE_DESCRIPTION
    "Loops, reductions, scans, sorts, histograms and matrix products from one
C++20 source, with the same bits on CPU and GPU.
This package holds headers and libraries.
Backends: ${backends}")
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

# What the policy wants in every package: the licences and the changes, and why lintian's complaints
# do not apply.
set(debian_input "${PROJECT_SOURCE_DIR}/packaging/debian")
set(debian_output "${PROJECT_BINARY_DIR}/debian")
find_program(TANDEM_GZIP gzip)
mark_as_advanced(TANDEM_GZIP)
if(TANDEM_GZIP AND EXISTS "${debian_input}")
  # SOURCE_DATE_EPOCH sets the time.
  string(TIMESTAMP tandem_year "%Y" UTC)
  string(TIMESTAMP tandem_time "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(STRINGS "${PROJECT_SOURCE_DIR}/LICENSES/LLVM-exception.txt" tandem_exception)
  list(TRANSFORM tandem_exception PREPEND " ")
  list(TRANSFORM tandem_exception REPLACE "^ $" " .")
  list(JOIN tandem_exception "\n" tandem_exception)
  configure_file("${debian_input}/copyright.in" "${debian_output}/doc/copyright" @ONLY)
  configure_file("${debian_input}/changelog.in" "${debian_output}/changelog" @ONLY)
  execute_process(COMMAND "${TANDEM_GZIP}" -9n
                  INPUT_FILE "${debian_output}/changelog"
                  OUTPUT_FILE "${debian_output}/doc/changelog.gz")
  set(CPACK_INSTALLED_DIRECTORIES "${debian_output}/doc" /usr/share/doc/libtandem-dev)
  if(described_by_pkg_config)
    configure_file("${debian_input}/lintian-overrides" "${debian_output}/lintian/libtandem-dev"
                   COPYONLY)
    list(APPEND CPACK_INSTALLED_DIRECTORIES "${debian_output}/lintian"
         /usr/share/lintian/overrides)
  endif()
endif()
include(CPack)
