# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack 1 package, built from a checkout: `spack develop` or `spack dev-build`."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import conflicts, depends_on, license, variant, version


class Tandem(CMakePackage, CudaPackage):
    """Portable parallel loops, reductions and matrices: the same bits on CPU and GPU."""

    license("Apache-2.0 WITH LLVM-exception")

    version("0.1.0")

    variant("shared", default=False, description="Build shared libraries; cuda's stays static")
    variant("agreement", default=True, description="Promise the same bits on every backend")
    variant("checked", default=False, description="Check the bounds of every access")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25.1:", type="build")
    depends_on("cuda@12.4:", when="+cuda")

    conflicts("%gcc@:11", msg="tandem needs g++ 12 or later")
    conflicts("%clang@:13", msg="tandem needs clang 14 or later")
    conflicts("cuda_arch=none", when="+cuda", msg="cuda_arch says for which GPUs to build")

    def cmake_args(self):
        backends = ["serial", "openmp"]
        arguments = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TANDEM_AGREEMENT", "agreement"),
            self.define("TANDEM_CHECKED", "bounds" if "+checked" in self.spec else "OFF"),
            # Libraries that happen to be installed must not change the package.
            self.define("TANDEM_HIGHWAY", False),
            self.define("TANDEM_TESTS", self.run_tests),
            self.define("TANDEM_PERF", False),
            self.define("TANDEM_EXAMPLES", False),
        ]
        if self.spec.satisfies("+cuda"):
            backends.append("cuda")
            architectures = self.spec.variants["cuda_arch"].value
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", list(architectures)))
        arguments.append(self.define("TANDEM_BACKENDS", backends))
        return arguments
