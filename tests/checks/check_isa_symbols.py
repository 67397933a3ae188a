#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that objects built for one instruction set share no function with the rest of the program.

The linker keeps one copy of an inline function. If it kept the copy from a file compiled for
AVX-512, programs would crash on machines without it, even in code that does not use AVX-512. So
these objects must not define weak functions: their kernels have internal linkage, and they may use
the core's constants and types but not call its inline functions
(backends/openmp/cpu/instruction_set.hpp).
"""

import argparse
import pathlib
import subprocess
import sys


def weak_functions(nm, path):
    """Returns the names of the functions that the linker may share among files."""
    listing = subprocess.run([nm, "-C", "--defined-only", str(path)], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    rows = [line.split(maxsplit=2) for line in listing.splitlines()]
    return [row[2] for row in rows if len(row) == 3 and row[1] in "Ww"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--nm", default="nm")
    arguments = parser.parse_args()
    objects = sorted(pathlib.Path(arguments.build).glob("CMakeFiles/tandem_*/**/*avx*.o"))
    failures = 0
    for path in objects:
        for name in weak_functions(arguments.nm, path):
            print(f"{path.name}: {name} may be linked into code for other machines")
            failures += 1
    print(f"{len(objects)} objects, {failures} shared functions")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
