# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CMake exports a library of a user only if every target that it links is exported, too, as
# tandem::NAME. So there are rules for that in every build, which no installation runs unless
# TANDEM_INSTALL asks for it. Each backend's targets have a file, so that a user of one does not
# need what another depends on.

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/tandem")
set(tandem_left_out COMPONENT tandem_exports EXCLUDE_FROM_ALL)

# Exports `targets` to tandem-NAME.cmake; the options are those of install().
function(tandem_export name targets)
  install(TARGETS ${targets} EXPORT tandem_${name}_targets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${ARGN}
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${ARGN})
  install(EXPORT tandem_${name}_targets FILE tandem-${name}.cmake NAMESPACE tandem::
          DESTINATION "${package_directory}" ${ARGN})
  export(EXPORT tandem_${name}_targets NAMESPACE tandem::
         FILE "${PROJECT_BINARY_DIR}/exports/tandem-${name}.cmake")
endfunction()

set(tandem_components core ${TANDEM_BACKENDS})
if(TARGET tandem_checked)
  list(APPEND tandem_components checked)
endif()
set(tandem_export_options)
if(NOT TANDEM_INSTALL)
  set(tandem_export_options ${tandem_left_out})
endif()
foreach(component IN LISTS tandem_components)
  set(targets tandem_${component})
  if(TARGET tandem_default_${component})
    list(APPEND targets tandem_default_${component})
  endif()
  tandem_export(${component} "${targets}" ${tandem_export_options})
endforeach()
# The package puts tandem::tandem together itself, from the backends that it finds.
tandem_export(all tandem ${tandem_left_out})

# find_package(tandem) means this copy in every part of a project that takes it in, even if there is
# an installation: CMake looks into this folder first.
if(NOT PROJECT_IS_TOP_LEVEL)
  configure_file(cmake/tandem-in-tree-config.cmake.in
                 "${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/tandem-config.cmake" @ONLY)
  configure_file(cmake/tandem-config-version.cmake.in
                 "${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/tandem-config-version.cmake" @ONLY)
endif()
