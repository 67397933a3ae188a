# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's targets: the main cases against their peers, on an H200 and on its host."""

import dataclasses

from .gpu_targets import LARGE
from .targets import Target, listed

SQUARE = "4096x4096x4096"

NOTE = (
    "The report's targets are for full runs on an H200 and 16 threads of its host; this run is of "
    "another kind and is not judged by them."
)


def gpu():
    total = "reduce/sum/f32"
    yield Target("GPU, reduction", f"{total}/{LARGE}", "cub", 0.95, "speed")
    yield Target("GPU, reduction", f"{total}/{2**16}", None, 12, "us", variant="to_host")
    yield Target("GPU, loop", f"vector/triad/f32/{LARGE}", "raw", 0.97, "speed")
    yield Target("GPU, scan", f"scan/inclusive/i32/{LARGE}", "cub", 0.95, "speed")
    yield Target("GPU, scan", f"scan/inclusive/f32/{LARGE}", "cub", 0.6, "speed")
    yield Target("GPU, histogram", f"histogram/uniform_256/i32/{LARGE}", "cub", 2, "speed")
    yield Target("GPU, product", f"matmul/matmul/f32/{SQUARE}", "cublas", 0.75, "speed")
    yield Target("GPU, product", f"matmul/matmul/f64/{SQUARE}", "cublas", 0.5, "speed")


def cpu():
    for heading, problem, peer, bound in (
        ("CPU, reduction", f"reduce/sum/f32/{LARGE}", "raw", 1),
        ("CPU, histogram", f"histogram/uniform_256/i32/{LARGE}", "raw", 1),
        ("CPU, histogram", f"histogram/normal_150/f32/{LARGE}", "raw", 1),
        ("CPU, product", f"matmul/matmul/f32/{SQUARE}", "openblas", 0.6),
    ):
        yield Target(heading, problem, peer, bound, "speed", backend="openmp")


def for_machine(machine):
    """The report's targets, without bounds where they were not set for such a machine; none for a
    quick run, which measures other sizes."""
    if machine["quick"]:
        return []
    h200 = any("H200" in device["name"] for device in machine["gpus"])
    applies = {"cuda": h200, "openmp": h200 and machine["threads"] >= 16}
    return [
        target if applies[target.backend] else dataclasses.replace(target, bound=None)
        for target in listed((gpu, cpu))
    ]
