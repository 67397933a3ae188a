#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What <tandem/tandem.hpp> adds to the compile time of an empty file, against its budget.

Needs a configured build directory, for the generated headers. Compilers take turns on the empty
and the full file, so that a busy machine slows both; each figure is the median of several rounds.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HOST_FLAGS = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
CUDA_FLAGS = ["-arch=sm_90", "--extended-lambda", "--fmad=false", "-Xcompiler=-fopenmp"]


def seconds(command):
    """User and system time of a command and what it starts: unlike wall time, it does not grow
    with what else the machine does."""
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return after[2] + after[3] - before[2] - before[3]


def cost(command, directory, suffix, rounds):
    """Median seconds that the umbrella header adds to an empty file."""
    empty = directory / f"empty{suffix}"
    full = directory / f"full{suffix}"
    empty.write_text("int main() {}\n")
    full.write_text("#include <tandem/tandem.hpp>\nint main() {}\n")
    times = {empty: [], full: []}
    for _ in range(rounds + 1):
        for source, measured in times.items():
            measured.append(seconds([*command, "-c", str(source), "-o", str(source) + ".o"]))
    # The first round filled the file system's cache.
    return statistics.median(times[full][1:]) - statistics.median(times[empty][1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="configured build directory")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tolerance", type=float, default=1.0,
                        help="factor on the budgets, for machines that are slow or busy")
    arguments = parser.parse_args()
    include = f"-I{pathlib.Path(arguments.build).resolve() / 'include'}"
    common = ["-std=c++20", "-O2", include]
    jobs = [("g++", [arguments.cxx, *common, "-fopenmp", *HOST_FLAGS], ".cpp", 0.4)]
    if shutil.which(arguments.nvcc):
        jobs.append(("nvcc", [arguments.nvcc, *common, *CUDA_FLAGS], ".cu", 1.2))
    over = False
    with tempfile.TemporaryDirectory() as directory:
        for name, command, suffix, budget in jobs:
            measured = cost(command, pathlib.Path(directory), suffix, arguments.rounds)
            over = over or measured > budget * arguments.tolerance
            print(f"{name}: <tandem/tandem.hpp> adds {measured:.2f} s; the budget is {budget} s")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
