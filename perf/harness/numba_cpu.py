# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numba's parallel loops on the CPU, compiled when first called."""

import os

import numba
import numpy
from numba import njit, prange

from .library import HIGH, LOW, TRIAD_SCALE, Library, on_host

# Numba's cache keeps compiled loops for the next run if the environment names a folder.
compiled = njit(parallel=True, cache="NUMBA_CACHE_DIR" in os.environ)
# Without fastmath reductions are not vectorised.
reordered = njit(parallel=True, fastmath=True, cache="NUMBA_CACHE_DIR" in os.environ)


@compiled
def copy(x, z):
    for i in prange(z.size):
        z[i] = x[i]


@compiled
def triad(x, y, z, scale):
    for i in prange(z.size):
        z[i] = x[i] + scale * y[i]


@compiled
def increment(z):
    for i in prange(z.size):
        z[i] += 1


@compiled
def add(x, y, z):
    for i in prange(z.size):
        z[i] = x[i] + y[i]


@compiled
def multiply(x, y, z):
    for i in prange(z.size):
        z[i] = x[i] * y[i]


@reordered
def total(x):
    result = x.dtype.type(0)
    for i in prange(x.size):
        result += x[i]
    return result


@reordered
def abs_total(x):
    result = x.dtype.type(0)
    for i in prange(x.size):
        result += abs(x[i])
    return result


@reordered
def largest(x):
    best = x[0]
    for i in prange(x.size):
        best = max(best, x[i])
    return best


@reordered
def dot(x, y):
    result = x.dtype.type(0)
    for i in prange(x.size):
        result += x[i] * y[i]
    return result


@compiled
def scan(x, z, parts):
    """Each thread sums its part, then scans it from the sum of those before."""
    totals = numpy.zeros(parts + 1, z.dtype)
    for p in prange(parts):
        for i in range(x.size * p // parts, x.size * (p + 1) // parts):
            totals[p + 1] += x[i]
    for p in range(parts):
        totals[p + 1] += totals[p]
    for p in prange(parts):
        running = totals[p]
        for i in range(x.size * p // parts, x.size * (p + 1) // parts):
            running += x[i]
            z[i] = running


@compiled
def histogram(x, bins, low, high, parts):
    """Private bins per thread, as many apart as keeps threads off each other's cache lines."""
    counts = numpy.zeros((parts, bins + 32), numpy.int32)
    scale = numpy.float32(bins / (high - low))
    for p in prange(parts):
        for i in range(x.size * p // parts, x.size * (p + 1) // parts):
            if low <= x[i] <= high:
                counts[p, min(int((x[i] - numpy.float32(low)) * scale), bins - 1)] += 1
    return counts[:, :bins].sum(axis=0)


@compiled
def bincount(x, bins, parts):
    counts = numpy.zeros((parts, bins + 32), numpy.int32)
    for p in prange(parts):
        for i in range(x.size * p // parts, x.size * (p + 1) // parts):
            counts[p, x[i]] += 1
    return counts[:, :bins].sum(axis=0)


def into(loop):
    """Calls a loop with a problem and returns the problem's output."""

    def run(d):
        loop(d)
        return d.z

    return run


def library():
    threads = numba.get_num_threads
    operations = {
        "copy": into(lambda d: copy(d.x, d.z)),
        "triad": into(lambda d: triad(d.x, d.y, d.z, d.x.dtype.type(TRIAD_SCALE))),
        "increment": into(lambda d: increment(d.z)),
        "add": into(lambda d: add(d.x, d.y, d.z)),
        "multiply": into(lambda d: multiply(d.x, d.y, d.z)),
        "sum": lambda d: total(d.x),
        "abs_sum": lambda d: abs_total(d.x),
        "max": lambda d: largest(d.x),
        "dot": lambda d: dot(d.x, d.y),
        "scan": into(lambda d: scan(d.x, d.z, threads())),
        "histogram": lambda d: histogram(d.x, d.bins, LOW, HIGH, threads()),
        "bincount": lambda d: bincount(d.x, d.bins, threads()),
    }
    return Library("numba", operations, seconds=on_host, set_threads=numba.set_num_threads)
