# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conan 2 recipe. It packages the checkout that contains it: `conan create packaging/conan`."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.scm import Version

required_conan_version = ">=2.0"

SOURCES = ("CMakeLists.txt", "LICENSE", "core/*", "algorithms/*", "backends/*", "cmake/*",
           "include/*")
OLDEST = {"gcc": "12", "clang": "14"}


class TandemConan(ConanFile):
    name = "tandem"
    description = "Portable parallel loops, reductions and matrices: the same bits on CPU and GPU"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("parallel", "cuda", "openmp", "reproducible")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "cuda": [True, False],
        "cuda_architectures": ["ANY"],
        "agreement": [True, False],
        "checked": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "cuda": False,
        # A package is for every GPU, whatever the machine has that builds it: later ones run
        # sm_90's PTX.
        "cuda_architectures": "75,80,90",
        "agreement": True,
        "checked": False,
    }
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "tandem", "version.hpp"))
        self.version = re.search(r'version = "([^"]+)"', header).group(1)

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        compiler = str(self.settings.compiler)
        if self.settings.os != "Linux" or compiler not in OLDEST:
            raise ConanInvalidConfiguration("tandem is for g++ and clang on Linux")
        if Version(self.settings.compiler.version) < OLDEST[compiler]:
            raise ConanInvalidConfiguration(f"tandem needs {compiler} {OLDEST[compiler]} or later")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        backends = ["serial", "openmp"] + (["cuda"] if self.options.cuda else [])
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TANDEM_BACKENDS"] = ";".join(backends)
        if self.options.cuda:
            architectures = str(self.options.cuda_architectures).replace(",", ";")
            toolchain.cache_variables["CMAKE_CUDA_ARCHITECTURES"] = architectures
        toolchain.cache_variables["TANDEM_AGREEMENT"] = bool(self.options.agreement)
        toolchain.cache_variables["TANDEM_CHECKED"] = "bounds" if self.options.checked else "OFF"
        # Libraries that happen to be installed must not change the package.
        toolchain.cache_variables["TANDEM_HIGHWAY"] = False
        for part in ("TESTS", "PERF", "EXAMPLES"):
            toolchain.cache_variables[f"TANDEM_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_id(self):
        if not self.info.options.cuda:
            del self.info.options.cuda_architectures

    def package_info(self):
        # Uses tandem's own CMake package rather than one that Conan generates: it has the flags
        # that bitwise reproducibility needs, COMPONENTS and tandem_add_sources.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "tandem")]
        self.cpp_info.libs = ["tandem_openmp", "tandem_serial"]
