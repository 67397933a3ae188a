#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the recipes in packaging/ match the source: version, options, backends, and that they
name the GPUs to build for.

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
    for found in re.findall(r"tandem[/@](\d[\d.]*\d)", (PACKAGING / "README.md").read_text()):
        yield "README.md", found


def main():
    wrong = [f"{name} has version {said}, not {version()}"
             for name, said in versions_said() if said != version()]
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
