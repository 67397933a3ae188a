# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numba's kernels on the GPU (cuda.jit), compiled when first called: loops, sums that combine each
block's total by an atomic addition, and histograms of integers with bins in shared memory."""

import numpy
from numba import cuda

from .library import TRIAD_SCALE, Library, on_device

THREADS = 256
BLOCKS_AT_MOST = 132 * 8  # of kernels whose threads take several elements; fills an sm_90
SHARED_BINS = 4096


@cuda.jit
def increment(z):
    i = cuda.grid(1)
    if i < z.size:
        z[i] += 1


@cuda.jit
def add(x, y, z):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = x[i] + y[i]


@cuda.jit
def multiply(x, y, z):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = x[i] * y[i]


@cuda.jit
def triad(x, y, z, scale):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = x[i] + scale * y[i]


@cuda.jit(device=True)
def add_block_total(value, result):
    """Adds the values of a block's threads, in a tree, to result[0]."""
    values = cuda.shared.array(THREADS, numpy.float32)
    thread = cuda.threadIdx.x
    values[thread] = value
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if thread < step:
            values[thread] += values[thread + step]
        cuda.syncthreads()
        step //= 2
    if thread == 0:
        cuda.atomic.add(result, 0, values[0])


@cuda.jit
def total(x, result):
    value = numpy.float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        value += x[i]
    add_block_total(value, result)


@cuda.jit
def abs_total(x, result):
    value = numpy.float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        value += abs(x[i])
    add_block_total(value, result)


@cuda.jit
def bincount(x, counts):
    mine = cuda.shared.array(SHARED_BINS, numpy.int32)
    for b in range(cuda.threadIdx.x, counts.size, cuda.blockDim.x):
        mine[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(mine, x[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, counts.size, cuda.blockDim.x):
        cuda.atomic.add(counts, b, mine[b])


@cuda.jit
def clear(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] = 0


def blocks_of(size):
    return (size + THREADS - 1) // THREADS


def over_elements(kernel, arguments):
    """An operation with a thread per element of the output."""

    def run(d):
        kernel[blocks_of(d.z.size), THREADS](*arguments(d))
        return d.z

    return run


def into_cleared(kernel, dtype, size_of):
    """An operation that adds to `size_of(d)` results, which the device clears before."""
    results = {}

    def run(d):
        size = size_of(d)
        if size > SHARED_BINS:
            raise RuntimeError(f"{size} bins exceed the kernel's {SHARED_BINS}")
        result = results.setdefault(size, None)
        if result is None:
            result = results[size] = cuda.device_array(size, dtype)
        clear[blocks_of(size), THREADS](result)
        kernel[min(blocks_of(d.x.size), BLOCKS_AT_MOST), THREADS](d.x, result)
        return result

    return run


def fetch(result):
    host = result.copy_to_host()
    return host[0] if host.size == 1 else host


def library():
    cuda.current_context()  # raises if Numba cannot use the GPU
    operations = {
        "increment": over_elements(increment, lambda d: (d.z,)),
        "add": over_elements(add, lambda d: (d.x, d.y, d.z)),
        "multiply": over_elements(multiply, lambda d: (d.x, d.y, d.z)),
        "triad": over_elements(triad, lambda d: (d.x, d.y, d.z, numpy.float32(TRIAD_SCALE))),
        "sum": into_cleared(total, numpy.float32, lambda d: 1),
        "abs_sum": into_cleared(abs_total, numpy.float32, lambda d: 1),
        "bincount": into_cleared(bincount, numpy.int32, lambda d: d.bins),
    }
    seconds = on_device(cuda.event, cuda.event_elapsed_time)
    return Library("numba", operations, cuda.to_device, fetch, seconds, on_gpu=True)
