#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that cmake/check_functions.py finds CUDA's functions in PTX compiled with -G, in float and
double, with their lines, and reports neither exact functions nor tandem's own."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = """\
#include <tandem/core/math.hpp>
__global__ void planted(float* x, double* y) {
  x[0] = expf(x[0]);
  y[0] = sin(y[0]);
  x[1] = tandem::log(x[1]) + sqrtf(x[2]) + floorf(x[3]) + fmaf(x[4], x[5], x[6]);
}
"""
EXPECTED = ["kernel.ptx: expf of the platform at {}:3 in planted(float*, double*): use tandem::exp",
            "kernel.ptx: sin of the platform at {}:4 in planted(float*, double*): use tandem::sin",
            "2 calls whose bits depend on the platform (docs/numerics.md, Functions)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--nvcc", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory).resolve() / "kernel.cu"
        source.write_text(SOURCE)
        ptx = source.with_suffix(".ptx")
        subprocess.run([arguments.nvcc, "-std=c++20", "-G", "--fmad=false", "--extended-lambda",
                        "-Xcompiler=-ffp-contract=off", f"-I{arguments.build / 'include'}", "-ptx",
                        source, "-o", ptx], check=True)
        script = [sys.executable, ROOT / "cmake" / "check_functions.py", ptx]
        found = subprocess.run(script, text=True, stdout=subprocess.PIPE)
        allowed = subprocess.run([*script, "--allow", "exp", "sin"], text=True,
                                 stdout=subprocess.PIPE)
    expected = [line.format(source) for line in EXPECTED]
    if found.returncode != 1 or found.stdout.splitlines() != expected:
        print(f"printed\n{found.stdout}instead of\n" + "\n".join(expected))
        return 1
    if allowed.returncode != 0 or allowed.stdout:
        print(f"allowed functions are found:\n{allowed.stdout}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
