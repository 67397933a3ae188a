#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that loops over a lambda are vectorised, whatever the type of their index.

A compiler recognises adjacent memory only if it knows that the index does not wrap around;
otherwise the loop takes up to four times as long, with the same results. So each loop of
tests/vectorised/ is compiled for each type, and the compiler reports which loops it vectorised: the
one in count_indices.hpp, which calls the lambda, must be among them, and must not be if the loop is
one without_vectors(). So must loops over the largest functions of <tandem/core/math.hpp> if the
processor has fused multiply-adds, and, for g++ on x86-64, over functions of double angles
(core/math/large_angles.hpp).
"""

import argparse
import itertools
import pathlib
import platform
import re
import sys

import compile_commands

TYPES = ("int", "unsigned", "long", "std::size_t")
LOOPS = [f"LOOP={i}" for i in range(4)]
SCALAR_LOOPS = [f"LOOP={i}" for i in (4, 5)]
FUNCTIONS = [*(f"FUNCTION=tandem::{name}" for name in ("pow", "atan2", "hypot")),
             *(f"FUNCTION_OF_ONE=tandem::{name}<float>" for name in ("log", "log1p", "sin"))]
FUNCTIONS_OF_ANGLES = [f"FUNCTION_OF_ONE=tandem::{name}<double>" for name in ("sin", "cos", "tan")]
# How to ask compilers for vectorised loops, and what they report.
REPORTS = {"GNU": ("-fopt-info-vec-optimized", "loop vectorized"),
           "Clang": ("-Rpass=loop-vectorize", "vectorized loop")}


def check(job):
    entry, (ask, report), index, loop = job
    # No bounds checks and no sanitizer, which would prevent vectorisation; -O2, where g++ needs
    # more options than at -O3.
    flags = [f"-DINDEX={index}", f"-D{loop}", "-DTANDEM_CHECKED=0", "-fno-sanitize=all", "-O2", ask]
    if loop not in LOOPS + SCALAR_LOOPS and platform.machine() == "x86_64":
        flags.append("-march=x86-64-v3")
    status, messages = compile_commands.compile_variant(entry, flags)
    if status != 0:
        return f"{loop} over {index} does not compile:\n{messages}"
    is_vectorised = re.search(rf"openmp/cpu/count_indices\.hpp:\d+.*{report}", messages)
    if loop in SCALAR_LOOPS and is_vectorised:
        return f"{loop} over {index} is made vectors of, though it asks for none"
    if loop not in SCALAR_LOOPS and not is_vectorised:
        return f"{loop} over {index} is not made vectors of"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory")
    parser.add_argument("--compiler", choices=REPORTS, default="GNU", help="as CMake calls it")
    arguments = parser.parse_args()
    sources = pathlib.Path(__file__).resolve().parents[1] / "vectorised"
    entries = [entry for path, entry in compile_commands.load(arguments.build).items()
               if pathlib.Path(path).parent == sources]
    reports = [REPORTS[arguments.compiler]]
    functions = [*FUNCTIONS]
    if arguments.compiler == "GNU" and platform.machine() == "x86_64":
        functions += FUNCTIONS_OF_ANGLES
    jobs = [*itertools.product(entries, reports, TYPES, LOOPS + SCALAR_LOOPS),
            *itertools.product(entries, reports, TYPES[:1], functions)]
    failures = [failure for failure in compile_commands.in_parallel(check, jobs) if failure]
    print("\n".join(failures + [f"{len(jobs)} loops, {len(failures)} not as they should be"]))
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
