#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what <tandem/tandem.hpp> and <tandem/distributed.hpp> add to the compile time of an
empty file, against a budget each.

Needs a configured build directory, for the generated headers. Compiles in turn an empty file, one
for each of these headers and one with headers of the standard library, and takes the fastest of
several rounds. The budgets are scaled by the time of the standard library's headers, since a slow
or busy machine slows both.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

FILES = {
    "empty": "",
    "standard": "".join(f"#include <{name}>\n" for name in
                        ("algorithm", "functional", "memory", "string", "vector")),
    "tandem": "#include <tandem/tandem.hpp>\n",
    "distributed": "#include <tandem/distributed.hpp>\n",
}
HOST_FLAGS = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
CUDA_FLAGS = ["-arch=sm_90", "--extended-lambda", "--fmad=false", "-Xcompiler=-fopenmp"]


def seconds(command):
    """User and system time of a command and its children, which depends less on the load of the
    machine than wall time."""
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return after[2] + after[3] - before[2] - before[3]


def costs(command, directory, suffix, rounds):
    """Seconds that the headers of each file but the empty one add to it."""
    times = {}
    for _ in range(rounds):
        for name, includes in FILES.items():
            source = directory / f"{name}{suffix}"
            source.write_text(includes + "int main() {}\n")
            spent = seconds([*command, "-c", str(source), "-o", str(source) + ".o"])
            times[name] = min(times.get(name, spent), spent)
    return {name: times[name] - times["empty"] for name in FILES}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="configured build directory")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tolerance", type=float, default=1.0,
                        help="factor on the budgets, for a machine that is busy")
    arguments = parser.parse_args()
    include = f"-I{pathlib.Path(arguments.build).resolve() / 'include'}"
    common = ["-std=c++20", "-O2", include]
    # Compiler, command, suffix, budgets, and the standard headers' time when they were set.
    jobs = [("g++", [arguments.cxx, *common, "-fopenmp", *HOST_FLAGS], ".cpp",
             {"tandem": 0.4, "distributed": 0.6}, 0.4)]
    if shutil.which(arguments.nvcc):
        jobs.append(("nvcc", [arguments.nvcc, *common, *CUDA_FLAGS], ".cu",
                     {"tandem": 1.2, "distributed": 1.8}, 0.8))
    over = False
    with tempfile.TemporaryDirectory() as directory:
        for name, command, suffix, budgets, usual in jobs:
            measured = costs(command, pathlib.Path(directory), suffix, arguments.rounds)
            for header, budget in budgets.items():
                allowed = budget * max(1.0, measured["standard"] / usual)
                over = over or measured[header] > allowed * arguments.tolerance
                print(f"{name}: <tandem/{header}.hpp> adds {measured[header]:.2f} s, headers of "
                      f"the standard library {measured['standard']:.2f} s; the budget is "
                      f"{allowed:.2f} s")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
