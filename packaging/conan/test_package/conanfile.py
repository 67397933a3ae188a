# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs a program with CMakeDeps, and one with PkgConfigDeps if there is a pkg-config,
against the package that `conan create` produced."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


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
        if not can_run(self):
            return
        for name in ("app", "app_pkg_config"):
            program = os.path.join(self.cpp.build.bindir, name)
            if name == "app" or os.path.exists(program):
                self.run(program, env="conanrun")
