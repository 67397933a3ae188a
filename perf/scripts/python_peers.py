#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures NumPy and Numba (njit, parallel), as far as this Python has them, as peers on the CPU.

usage: python_peers.py --benchmarks FILE --out FILE.json

Measures the benchmarks of the file, one key per line, whose implementation is numpy or numba, and
writes their times in the format of the benchmark programs. Runs after those, in a process of its
own, on data of equal sizes, types and distributions, and checks each result against NumPy's in
double precision.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

REPETITIONS = 21
BATCH_SECONDS = 1e-3

try:
    import numpy
except ImportError:
    numpy = None
try:
    import numba
except ImportError:
    numba = None


def loops():
    """Numba's parallel loops by name, compiled when first called."""

    @numba.njit(parallel=True, fastmath=False)
    def triad(x, y, z):
        for i in numba.prange(z.size):
            z[i] = x[i] + x.dtype.type(0.4) * y[i]

    @numba.njit(parallel=True)
    def copy(x, y, z):
        for i in numba.prange(z.size):
            z[i] = x[i]

    @numba.njit(parallel=True)
    def increment(x, y, z):
        for i in numba.prange(z.size):
            z[i] += 1

    return {"triad": triad, "copy": copy, "increment": increment}


def reductions():
    """Numba's parallel reductions by name, with fastmath, without which they are not vectorised."""

    @numba.njit(parallel=True, fastmath=True)
    def total(x, y):
        sum_ = x.dtype.type(0)
        for i in numba.prange(x.size):
            sum_ += x[i]
        return sum_

    @numba.njit(parallel=True, fastmath=True)
    def abs_total(x, y):
        sum_ = x.dtype.type(0)
        for i in numba.prange(x.size):
            sum_ += abs(x[i])
        return sum_

    @numba.njit(parallel=True, fastmath=True)
    def largest(x, y):
        best = x[0]
        for i in numba.prange(x.size):
            best = max(best, x[i])
        return best

    @numba.njit(parallel=True, fastmath=True)
    def dot(x, y):
        sum_ = x.dtype.type(0)
        for i in numba.prange(x.size):
            sum_ += x[i] * y[i]
        return sum_

    return {"sum": total, "abs_sum": abs_total, "max": largest, "dot": dot}


NUMPY_REDUCTIONS = {
    "sum": lambda x, y: x.sum(),
    "abs_sum": lambda x, y: numpy.abs(x).sum(),
    "max": lambda x, y: x.max(),
    "dot": lambda x, y: numpy.dot(x, y),
}


def numpy_triad(x, y, z):
    numpy.multiply(y, x.dtype.type(0.4), out=z)
    numpy.add(z, x, out=z)


def numpy_increment(x, y, z):
    numpy.add(z, 1, out=z)


NUMPY_LOOPS = {
    "triad": numpy_triad,
    "copy": lambda x, y, z: numpy.copyto(z, x),
    "increment": numpy_increment,
}


def dtype_of(kind):
    return {"f": "float", "i": "int", "u": "uint"}[kind[0]] + kind[1:]


def require(right, what):
    if not right:
        raise RuntimeError(f"wrong result: {what}")


def loop_case(implementation, name, kind, size):
    """Returns a function to time, checked on data of the given size."""
    run = (NUMPY_LOOPS if implementation == "numpy" else loops())[name]
    random = numpy.random.default_rng(1)
    x, y, z = (random.uniform(-1, 1, size).astype(dtype_of(kind)) for _ in range(3))
    wanted = {"triad": x + x.dtype.type(0.4) * y, "copy": x, "increment": z + 1}[name]
    run(x, y, z)
    require(numpy.allclose(z, wanted, rtol=1e-5, atol=1e-6), name)
    return lambda: run(x, y, z)


def reduction_case(implementation, name, kind, size):
    run = (NUMPY_REDUCTIONS if implementation == "numpy" else reductions())[name]
    random = numpy.random.default_rng(1)
    x, y = (random.uniform(-1, 1, size).astype(dtype_of(kind)) for _ in range(2))
    wanted = NUMPY_REDUCTIONS[name](x.astype("float64"), y.astype("float64"))
    slack = 1e-3 * size if name == "abs_sum" else 1e-2 * size**0.5
    require(abs(float(run(x, y)) - wanted) <= slack, name)
    return lambda: run(x, y)


def scan_case(implementation, name, kind, size):
    x = numpy.random.default_rng(1).integers(-100, 100, size).astype(dtype_of(kind))
    out = numpy.empty_like(x)
    numpy.cumsum(x, out=out)
    wanted = x.astype("float64").cumsum()
    require(numpy.allclose(out, wanted, rtol=1e-3, atol=1e-2 * size**0.5), name)
    return lambda: numpy.cumsum(x, out=out)


def floats_of(spread, size):
    random = numpy.random.default_rng(1)
    if spread == "uniform":
        return random.uniform(-4, 4, size).astype("float32")
    if spread == "normal":
        return random.standard_normal(size).astype("float32")
    return numpy.zeros(size, "float32")


def integers_of(spread, bins, size):
    random = numpy.random.default_rng(1)
    if spread == "uniform":
        return random.integers(0, bins, size).astype("int32")
    if spread == "normal":
        around = random.normal(bins / 2, bins / 8, size).astype("int32")
        return numpy.clip(around, 0, bins - 1)
    return numpy.full(size, bins // 2, "int32")


def histogram_case(implementation, name, kind, size):
    spread, bins = name.rsplit("_", 1)
    bins = int(bins)
    if kind == "f32":
        x = floats_of(spread, size)
        inside = int(((x >= -4) & (x <= 4)).sum())
        run = lambda: numpy.histogram(x, bins, (-4, 4))[0]
    else:
        x = integers_of(spread, bins, size)
        inside = size
        run = lambda: numpy.bincount(x, minlength=bins)
    require(int(run().sum()) == inside, name)
    return run


def sort_case(implementation, name, kind, size):
    if name != "sort":
        return None
    x = numpy.random.default_rng(1).integers(0, 2**31 - 1, size).astype(dtype_of(kind))
    ordered = numpy.sort(x)
    require(bool((ordered[1:] >= ordered[:-1]).all()), name)
    return lambda: numpy.sort(x)


CASES = {
    "loops": loop_case,
    "reduce": reduction_case,
    "scan": scan_case,
    "histogram": histogram_case,
    "sort": sort_case,
}


def seconds_each(run, rounds):
    start = time.perf_counter()
    for _ in range(rounds):
        run()
    return (time.perf_counter() - start) / rounds


def measure(run):
    """Seconds per run, one value per turn; a turn lasts at least a millisecond."""
    run()
    rounds = max(1, int(BATCH_SECONDS / max(seconds_each(run, 3), 1e-9)))
    turns = 5 if rounds == 1 and seconds_each(run, 1) > 0.1 else REPETITIONS
    return [seconds_each(run, rounds) for _ in range(turns)]


def lines_of(key):
    """Lines of the result file for one benchmark; none if Python has no implementation of it."""
    algorithm, name, kind, size, _, implementation, _ = key.split("/")
    if numpy is None or (implementation == "numba" and numba is None) or algorithm not in CASES:
        return []
    base = {"name": key, "run_type": "iteration", "elements": int(size)}
    try:
        run = CASES[algorithm](implementation, name, kind, int(size))
        times = measure(run) if run else []
    except (RuntimeError, MemoryError) as error:
        return [{**base, "error_occurred": True, "error_message": str(error)}]
    if times:
        print(f"{key}  {statistics.median(times) * 1e6:.2f} us", flush=True)
    return [{**base, "time_unit": "us", "real_time": t * 1e6, "label": ""} for t in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benchmarks", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    keys = pathlib.Path(arguments.benchmarks).read_text().split()
    wanted = [key for key in keys if key.split("/")[5] in ("numpy", "numba")]
    missing = [name for name in ("numpy", "numba") if globals()[name] is None]
    if missing:
        print(f"python_peers: no {' and no '.join(missing)} found, left out")
    found = [line for key in wanted for line in lines_of(key)]
    pathlib.Path(arguments.out).write_text(json.dumps({"context": {}, "benchmarks": found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
