#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks views to and from std::mdspan, and std::format, with a standard library that has both.

g++ 12 and 13 have no <mdspan>, so these tests and the example are empty in most builds. This check
compiles them and the library's sources with the first of COMPILERS that has it, and runs them.
Exits with 77, as skipped, if none has it; on Debian 12, clang-19 with libc++-19-dev and
libc++abi-19-dev does.
"""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = [f"clang++-{version} -stdlib=libc++" for version in range(24, 17, -1)]
COMPILERS += [f"g++-{version}" for version in range(18, 13, -1)] + ["clang++ -stdlib=libc++", "g++"]
PROBE = """#include <format>
#include <mdspan>
#if !defined(__cpp_lib_mdspan) || !defined(__cpp_lib_format)
#error
#endif
"""
PROGRAMS = {
    "tests": ["tests/core/mdspan_test.cpp", "tests/core/print_test.cpp", "tests/support/main.cpp"],
    "example": ["examples/mdspan_views.cpp"],
}
FLAGS = ["-std=c++23", "-O0", "-ffp-contract=off", "-DTANDEM_DEFAULT_SPACE=serial"]


def has_library(compiler):
    try:
        return subprocess.run([*compiler, "-std=c++23", "-fsyntax-only", "-x", "c++", "-"],
                              input=PROBE, text=True, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
    except FileNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", required=True, help="the build's include directory")
    parser.add_argument("--without", nargs="*", default=[], help="backends to leave out")
    arguments = parser.parse_args()
    named = os.environ.get("TANDEM_CXX23")
    candidates = [shlex.split(one) for one in ([named] if named else COMPILERS)]
    compiler = next(filter(has_library, candidates), None)
    if compiler is None:
        print("skipped: no compiler here has <mdspan> and <format>; TANDEM_CXX23 names one")
        return 77
    library = [path for path in sorted((ROOT / "core").rglob("*.cpp"))
               if path.parent.name not in ("math", "checked")]
    library += sorted((ROOT / "backends" / "serial").glob("*.cpp"))
    absent = [f"-DTANDEM_WITHOUT_{backend.upper()}" for backend in arguments.without]
    include = pathlib.Path(arguments.include).resolve()
    command = [*compiler, *FLAGS, *absent, f"-I{ROOT / 'tests'}", f"-I{include}"]
    print(" ".join(compiler))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "-c", *library], cwd=folder, check=True)
        objects = sorted(pathlib.Path(folder).glob("*.o"))
        for name, sources in PROGRAMS.items():
            program = pathlib.Path(folder) / name
            subprocess.run([*command, *(ROOT / source for source in sources), *objects, "-ldl",
                            "-pthread", "-o", program], check=True)
            if status := subprocess.run([program], check=False).returncode:
                print(f"{name}: exit status {status}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
