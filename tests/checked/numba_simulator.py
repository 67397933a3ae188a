#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tiled matrix product of 128 x 128 in Numba's simulator with the checked build.

    tests/checked/numba_simulator.py CHECKED [--least N]

CHECKED is the program of speed.cpp linked with tandem::checked. Prints CPU times and their ratio;
with --least, a ratio below N is a failure. Exits with 77 if Python does not have Numba.
"""

import argparse
import os
import subprocess
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
try:
    import numpy
    from numba import cuda, float32
except ImportError:
    print("there is no Numba here: python3 -m pip install numba")
    sys.exit(77)

SIZE = 128
TILE = 16


@cuda.jit
def product(a, b, c):
    """Multiplies like the kernel of speed.cpp: tiles of both operands in shared memory."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = 0.0
    for k in range(SIZE // TILE):
        tile_a[y, x] = a[i, k * TILE + x]
        tile_b[y, x] = b[k * TILE + y, j]
        cuda.syncthreads()
        for n in range(TILE):
            total += tile_a[y, n] * tile_b[n, x]
        cuda.syncthreads()
    c[i, j] = total


def simulator_seconds():
    """Returns the CPU time of one product, whose result is checked."""
    a = numpy.ones((SIZE, SIZE), numpy.float32)
    b = numpy.full((SIZE, SIZE), 2, numpy.float32)
    c = numpy.zeros((SIZE, SIZE), numpy.float32)
    begin = time.process_time()
    product[(SIZE // TILE, SIZE // TILE), (TILE, TILE)](a, b, c)
    seconds = time.process_time() - begin
    if (c != 2 * SIZE).any():
        sys.exit("the simulator's product is wrong")
    return seconds


def checked_seconds(program):
    quiet = dict(os.environ, TANDEM_CHECKED_REPORT="quiet")
    run = subprocess.run([program, "matmul"], env=quiet, check=True, capture_output=True, text=True)
    return float(dict(map(str.split, run.stdout.splitlines()))["matmul"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checked")
    parser.add_argument("--least", type=float, default=0)
    asked = parser.parse_args()
    checked = min(checked_seconds(asked.checked) for _ in range(3))
    simulated = simulator_seconds()
    ratio = simulated / checked
    print(f"tiled product of {SIZE} x {SIZE}: simulator {simulated:.2f} s, checked "
          f"{checked * 1e3:.1f} ms, {ratio:.0f} times")
    if ratio < asked.least:
        sys.exit(f"less than {asked.least:g} times faster")


if __name__ == "__main__":
    main()
