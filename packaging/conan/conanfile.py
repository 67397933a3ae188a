# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conan 2 recipe: `conan create packaging/conan -s compiler.cppstd=20`.

It packages the archive that conandata.yml names for its version, or else the checkout that contains
it.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, load, rmdir, save
from conan.tools.scm import Version

required_conan_version = ">=2.0"

SOURCES = ("CMakeLists.txt", "LICENSE", "core/*", "algorithms/*", "distributed/*", "backends/*",
           "cmake/*", "include/*")
OLDEST = {"gcc": "12", "clang": "14"}
# What tandem's CMake package has beside the targets, which Conan makes.
FUNCTIONS = ("tandem-sources.cmake", "check_functions.cmake", "check_functions.py",
             "tandem-language-cuda.cmake")
MODULE = os.path.join("lib", "cmake", "tandem", "tandem-conan.cmake")
# As cmake/targets.cmake and backends/cuda/cuda.cmake have them.
HOST_FLAGS = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
CUDA_FLAGS = ["--fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false"]


class TandemConan(ConanFile):
    name = "tandem"
    description = "Portable parallel loops, reductions and matrices: the same bits on CPU and GPU"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("parallel", "cuda", "openmp", "simd", "reproducible", "hpc")
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

    @property
    def _archive(self):
        """Address and checksum of this version's archive, if conandata.yml has them."""
        return ((self.conan_data or {}).get("sources") or {}).get(self.version)

    @property
    def _backends(self):
        return ["serial", "openmp"] + (["cuda"] if self.options.cuda else [])

    def set_version(self):
        if not self.version:
            header = load(self, os.path.join(self._root, "include", "tandem", "version.hpp"))
            self.version = re.search(r'version = "([^"]+)"', header).group(1)

    def export_sources(self):
        copy(self, "tandem-conan.cmake.in", src=self.recipe_folder, dst=self.export_sources_folder)
        if not self._archive:
            for pattern in SOURCES:
                copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def source(self):
        if self._archive:
            get(self, **self._archive, strip_root=True)

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
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TANDEM_BACKENDS"] = ";".join(self._backends)
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
        copy(self, "LICENSE", src=self.source_folder,
             dst=os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        folder = os.path.join(self.package_folder, os.path.dirname(MODULE))
        for name in os.listdir(folder):
            if name not in FUNCTIONS:
                os.unlink(os.path.join(folder, name))
        text = load(self, os.path.join(self.export_sources_folder, "tandem-conan.cmake.in"))
        values = {"backends": ";".join(self._backends), "host_flags": ",".join(self._host_flags),
                  "cuda_flags": ";".join(CUDA_FLAGS if self.options.agreement else [])}
        for name, value in values.items():
            text = text.replace(f"@{name}@", value)
        save(self, os.path.join(self.package_folder, MODULE), text)

    def package_id(self):
        if not self.info.options.cuda:
            del self.info.options.cuda_architectures

    @property
    def _host_flags(self):
        return HOST_FLAGS if self.options.agreement else []

    def package_info(self):
        self.cpp_info.set_property("cmake_build_modules", [MODULE])
        core = self.cpp_info.components["core"]
        core.libs = ["tandem_core"]
        core.system_libs = ["dl"]
        core.cxxflags = self._host_flags
        for name in self._backends:
            backend = self.cpp_info.components[name]
            backend.libs = [f"tandem_{name}"]
            backend.requires = ["core"]
        openmp = self.cpp_info.components["openmp"]
        openmp.cxxflags = openmp.sharedlinkflags = openmp.exelinkflags = ["-fopenmp"]
        if self.options.cuda:
            cuda = self.cpp_info.components["cuda"]
            cuda.system_libs = ["cudart_static", "rt", "pthread", "dl"]
            toolkit = os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "lib64")
            if os.path.isdir(toolkit):
                cuda.libdirs.append(toolkit)
