#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the recipes in packaging/ match the source: version, options, flags, and that they
name the GPUs to build for. CITATION.cff and the numbers in version.hpp have the same version.

Another test runs Conan's recipe; vcpkg's and Spack's are only read here.
"""

import ast
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


def version():
    text = (ROOT / "include/tandem/version.hpp").read_text()
    return re.search(r'version = "([^"]+)"', text).group(1)


def options():
    """Returns the names that CMake takes from its command line."""
    texts = [path.read_text() for path in sorted(ROOT.glob("cmake/*.cmake"))
             + sorted(ROOT.glob("backends/*/*.cmake"))]
    return set(re.findall(r"(?:option\(|set\()(TANDEM_\w+)", "\n".join(texts)))


def versions_said():
    manifest = json.loads((PACKAGING / "vcpkg/tandem/vcpkg.json").read_text())
    yield "vcpkg.json", manifest["version"]
    text = (PACKAGING / "spack/spack_repo/tandem/packages/tandem/package.py").read_text()
    yield "package.py", re.search(r'^    version\("([^"]+)"', text, re.MULTILINE).group(1)
    text = (ROOT / "CITATION.cff").read_text()
    yield "CITATION.cff", re.search(r"^version: (\S+)", text, re.MULTILINE).group(1)
    text = (ROOT / "include/tandem/version.hpp").read_text()
    yield "version.hpp, in numbers,", ".".join(
        re.search(rf"version_{part} = (\d+);", text).group(1)
        for part in ("major", "minor", "patch"))
    for found in re.findall(r"tandem[/@](\d[\d.]*\d)", (PACKAGING / "README.md").read_text()):
        yield "README.md", found


def flags_said():
    """Yields (name, flags of Conan's recipe, flags of the build)."""
    recipe = (PACKAGING / "conan/conanfile.py").read_text()
    build = (ROOT / "cmake/targets.cmake").read_text()
    for name in ("HOST_FLAGS", "CUDA_FLAGS"):
        said = re.search(rf"^{name} = (\[.*\])", recipe, re.MULTILINE).group(1)
        yield (name, ast.literal_eval(said),
               re.search(rf"set\(TANDEM_{name} ([^)]*)\)", build).group(1).split())


def main():
    wrong = [f"{name} has version {said}, not {version()}"
             for name, said in versions_said() if said != version()]
    wrong += [f"conanfile.py has {name} {said}, not {flags}"
              for name, said, flags in flags_said() if said != flags]
    known = options()
    for path in sorted(PACKAGING.rglob("*")):
        if path.suffix not in {".py", ".cmake"}:
            continue
        text = path.read_text()
        if path.suffix == ".py":
            ast.parse(text)
        # Conan's recipe assembles the names from parts.
        named = set(re.findall(r"TANDEM_[A-Z]+\b", text))
        # Otherwise the package would depend on the GPU of the machine that builds it.
        if "TANDEM_BACKENDS" in text and "CMAKE_CUDA_ARCHITECTURES" not in text:
            wrong.append(f"{path.name} builds cuda and names no CMAKE_CUDA_ARCHITECTURES")
        wrong += [f"{path.name} sets {name}, which is no option"
                  for name in sorted(named - known)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
