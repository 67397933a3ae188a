# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a library of Python is to a measurement, and what all of them compute with."""

import dataclasses
import time

TRIAD_SCALE = 0.4
LOW, HIGH = -4, 4  # the range of histograms of floats


@dataclasses.dataclass
class Library:
    """A library on one side.

    operations   {operation: function of a problem whose arrays load() made}; each returns its
                 result, which may still be under way on a device
    fetch        brings a result to the host as a NumPy array or a number, complete
    seconds      seconds(run, first, rounds): the time of run(first), run(first + 1), ...
    set_threads  sets the number of threads on the CPU
    """

    implementation: str
    operations: dict
    load: object = lambda array: array
    fetch: object = lambda result: result
    seconds: object = None
    set_threads: object = lambda threads: None
    on_gpu: bool = False


def on_host(run, first, rounds):
    start = time.perf_counter()
    for r in range(first, first + rounds):
        run(r)
    return time.perf_counter() - start


def on_device(event, elapsed):
    """A timer by events of the device: event() makes one, elapsed(start, stop) is in ms."""

    def seconds(run, first, rounds):
        start, stop = event(), event()
        start.record()
        on_host(run, first, rounds)
        stop.record()
        stop.synchronize()
        return elapsed(start, stop) * 1e-3

    return seconds
