# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's targets: its main cases against their peers."""

from .gpu_targets import LARGE
from .targets import Target, listed

SQUARE = "4096x4096x4096"

NOTE = "A quick run measures sizes that no target names."


def gpu():
    for heading, problem, peer in (
        ("GPU, loop", f"vector/triad/f32/{LARGE}", ("raw", "cub")),
        ("GPU, reduction", f"reduce/sum/f32/{LARGE}", "cub"),
        ("GPU, scan", f"scan/inclusive/i32/{LARGE}", "cub"),
        ("GPU, scan", f"scan/inclusive/f32/{LARGE}", "cub"),
        ("GPU, histogram", f"histogram/uniform_256/i32/{LARGE}", "cub"),
        ("GPU, product", f"matmul/matmul/f32/{SQUARE}", "cublas"),
        ("GPU, product", f"matmul/matmul/f64/{SQUARE}", "cublas"),
    ):
        yield Target(heading, problem, peer)


def cpu():
    for heading, problem, peer in (
        ("CPU, loop", f"vector/triad/f32/{LARGE}", "raw"),
        ("CPU, reduction", f"reduce/sum/f32/{LARGE}", "raw"),
        ("CPU, histogram", f"histogram/uniform_256/i32/{LARGE}", "raw"),
        ("CPU, histogram", f"histogram/normal_150/f32/{LARGE}", "raw"),
        ("CPU, product", f"matmul/matmul/f32/{SQUARE}", "openblas"),
    ):
        yield Target(heading, problem, peer, backend="openmp")


def for_run(machine):
    """The report's targets; none for a quick run, which measures other sizes."""
    return [] if machine["quick"] else listed((gpu, cpu))
