# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The port lies in the checkout that it builds; a registry's copy gets its source by
# vcpkg_from_github or vcpkg_download_distfile here instead.
cmake_path(SET SOURCE_PATH NORMALIZE "${CURRENT_PORT_DIR}/../../..")

# A package is for every GPU, whatever the machine has that builds it: later ones run sm_90's PTX.
set(backends "serial;openmp")
set(cuda_options)
if("cuda" IN_LIST FEATURES)
  list(APPEND backends cuda)
  set(cuda_options "-DCMAKE_CUDA_ARCHITECTURES=75\;80\;90")
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS "-DTANDEM_BACKENDS=${backends}" -DTANDEM_HIGHWAY=OFF -DTANDEM_TESTS=OFF -DTANDEM_PERF=OFF
          -DTANDEM_EXAMPLES=OFF ${cuda_options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tandem)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
                    "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
