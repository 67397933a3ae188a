# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs a program against the package that `conan create` produced, and looks into the
pkg-config files that Conan writes for it."""

import os

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import load


class TandemTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "CMakeDeps", "PkgConfigDeps", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        said = "".join(load(self, os.path.join(self.generators_folder, f"tandem-{name}.pc"))
                       for name in ("core", "serial", "openmp"))
        for flag in ("-ltandem_core", "-ltandem_serial", "-ltandem_openmp", "-fopenmp"):
            if flag not in said:
                raise ConanException(f"no {flag} in the files of PkgConfigDeps")
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "app"), env="conanrun")
