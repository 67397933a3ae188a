# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The install tree has the shape of the build's include tree; export.cmake installs the targets.

include(CMakePackageConfigHelpers)

set(header_directory "${CMAKE_INSTALL_INCLUDEDIR}/tandem")

install(DIRECTORY core algorithms distributed DESTINATION "${header_directory}"
        FILES_MATCHING PATTERN "*.hpp")
install(FILES "${TANDEM_INCLUDE_DIR}/tandem/settings.hpp"
              "${TANDEM_INCLUDE_DIR}/tandem/default_space.hpp"
              include/tandem/tandem.hpp include/tandem/config.hpp include/tandem/distributed.hpp
              include/tandem/dlpack.hpp include/tandem/print.hpp
              include/tandem/require_in_kernel.hpp
              include/tandem/version.hpp
        DESTINATION "${header_directory}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/tandem")

set(TANDEM_FIND_DEPENDENCIES)
foreach(component IN LISTS tandem_components)
  if(DEFINED tandem_${component}_find_dependency)
    string(APPEND TANDEM_FIND_DEPENDENCIES
           "set(tandem_${component}_find_dependency ${tandem_${component}_find_dependency})\n")
  endif()
endforeach()
foreach(backend IN LISTS TANDEM_BACKENDS TANDEM_ABSENT_BACKENDS)
  set(patterns)
  foreach(extension hpp ${tandem_${backend}_headers})
    list(APPEND patterns PATTERN "*.${extension}")
  endforeach()
  install(DIRECTORY backends/${backend} DESTINATION "${header_directory}/backends" FILES_MATCHING
          ${patterns})
  # CMake includes every tandem-BACKEND-*.cmake beside the targets of BACKEND.
  install(FILES backends/${backend}/language.cmake DESTINATION "${package_directory}"
          RENAME tandem-language-${backend}.cmake OPTIONAL)
endforeach()
install(FILES cmake/sources.cmake DESTINATION "${package_directory}" RENAME tandem-sources.cmake)
install(FILES cmake/check_functions.cmake cmake/check_functions.py
        DESTINATION "${package_directory}")

configure_package_config_file(
  cmake/tandem-config.cmake.in "${PROJECT_BINARY_DIR}/tandem-config.cmake"
  INSTALL_DESTINATION "${package_directory}" NO_SET_AND_CHECK_MACRO)
configure_file(cmake/tandem-config-version.cmake.in
               "${PROJECT_BINARY_DIR}/tandem-config-version.cmake" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tandem-config.cmake"
              "${PROJECT_BINARY_DIR}/tandem-config-version.cmake"
        DESTINATION "${package_directory}")

# pkg-config has no word for a second compiler, so it describes builds whose loops need none.
set(described_by_pkg_config TRUE)
set(TANDEM_PKG_CONFIG_LIBRARIES)
set(TANDEM_PKG_CONFIG_FLAGS)
if(TANDEM_AGREEMENT)
  set(TANDEM_PKG_CONFIG_FLAGS ${TANDEM_HOST_FLAGS})
endif()
# Linkers take a library before those that it uses.
set(last_backend_first ${TANDEM_BACKENDS})
list(REVERSE last_backend_first)
foreach(backend IN LISTS last_backend_first)
  if(DEFINED tandem_${backend}_language)
    set(described_by_pkg_config FALSE)
  endif()
  string(APPEND TANDEM_PKG_CONFIG_LIBRARIES " -ltandem_${backend}")
  list(APPEND TANDEM_PKG_CONFIG_FLAGS ${tandem_${backend}_pkg_config_flags})
  string(APPEND TANDEM_PKG_CONFIG_LIBRARIES " ${tandem_${backend}_pkg_config_flags}")
  foreach(library IN LISTS tandem_${backend}_pkg_config_libraries)
    string(APPEND TANDEM_PKG_CONFIG_LIBRARIES " ${library}")
  endforeach()
endforeach()
string(APPEND TANDEM_PKG_CONFIG_LIBRARIES " -ltandem_core")
list(JOIN TANDEM_PKG_CONFIG_FLAGS " " TANDEM_PKG_CONFIG_FLAGS)
if(described_by_pkg_config)
  file(RELATIVE_PATH TANDEM_PKG_CONFIG_TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
       "/prefix")
  # Compilers warn users of what is in their own headers alone. A prefix that compilers search
  # anyway is one of the system's without -isystem, which would move it before the standard library
  # there and break its #include_next.
  set(TANDEM_PKG_CONFIG_INCLUDE "-isystem ")
  configure_file(cmake/tandem.pc.in "${PROJECT_BINARY_DIR}/pkgconfig/tandem.pc" @ONLY)
  set(TANDEM_PKG_CONFIG_INCLUDE "-I")
  configure_file(cmake/tandem.pc.in "${PROJECT_BINARY_DIR}/pkgconfig/system/tandem.pc" @ONLY)
  # The prefix is known when it is installed.
  install(CODE "set(folder \"${PROJECT_BINARY_DIR}/pkgconfig\")
if(CMAKE_INSTALL_PREFIX MATCHES \"^/*$|/usr(/local)?/*$\")
  string(APPEND folder /system)
endif()
file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\"
     TYPE FILE FILES \"\${folder}/tandem.pc\")")
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(package)
endif()
