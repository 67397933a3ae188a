# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's targets for matrix products: every type and precision against the faster of cuBLAS and
the best algorithm of cublasLt. Sizes are m x k x n."""

import functools

from .targets import Target

PEERS = ("cublas", "cublaslt")
ProductTarget = functools.partial(Target, peer=PEERS)

SQUARES = ("2048x2048x2048", "4096x4096x4096", "8192x8192x8192")
MIDDLE = ("1024x1024x1024", "5120x256x5120")
SKINNY = ("65536x64x64", "16x4096x4096", "64x65536x64")
SMALL = ("256x512x256", "256x256x512", "1000x1000x1000")
ODD = ("4095x4095x4095", "8191x8191x8191")
BATCH = "1024x128x128x128"

# b stored k x n, and stored transposed, n x k.
ORDERS = ("matmul", "matmul_nt")


def floats():
    """Products with the CPU's bits, without tensor cores."""
    heading = "f32, equal to the CPU's bits"
    for size in (*SMALL, *MIDDLE, *SQUARES, *ODD, *SKINNY):
        yield ProductTarget(heading, f"matmul/matmul/f32/{size}")
    yield ProductTarget(heading, f"matmul/batched/f32/{BATCH}")
    for size in ("1024x1024x1024", "4096x4096x4096", "8191x8191x8191"):
        yield ProductTarget(heading, f"matmul/matmul_nt/f32/{size}")


def doubles():
    """Products with the CPU's bits, on tensor cores, whose fp64 rounds as the CPU does."""
    heading = "f64, equal to the CPU's bits"
    for size in (*SMALL, *MIDDLE, *SQUARES, ODD[1], *SKINNY):
        yield ProductTarget(heading, f"matmul/matmul/f64/{size}")
    yield ProductTarget(heading, f"matmul/batched/f64/{BATCH}")
    yield ProductTarget(heading, "matmul/matmul_nt/f64/4096x4096x4096")


def tensor_cores():
    """Types and a precision that tensor cores round, with both orders of b."""
    titles = {"tf32": "tf32 of f32", "bf16": "bf16 into bf16", "f16": "f16 into f16"}
    for kind, title in titles.items():
        for size in (*SMALL, *MIDDLE, *SQUARES, *ODD, *SKINNY):
            orders = ORDERS if kind != "f16" or size in SQUARES else ORDERS[:1]
            for order in orders:
                yield ProductTarget(title, f"matmul/{order}/{kind}/{size}")
        yield ProductTarget(title, f"matmul/batched/{kind}/{BATCH}")


def into_floats():
    for kind in ("bf16_f32", "f16_f32"):
        title = f"{kind.split('_')[0]} into f32"
        for size in (*MIDDLE, *SQUARES):
            yield ProductTarget(title, f"matmul/matmul/{kind}/{size}")


def integers():
    """Products of 8-bit integers; the peers get b transposed in both orders, their fast case."""
    for order in ORDERS:
        for size in (*MIDDLE, *SQUARES):
            yield ProductTarget("i8 into i32, exact", f"matmul/{order}/i8/{size}")


def split_floats():
    """Products of floats on tensor cores, as accurate as in floats, against cuBLAS in floats."""
    for kind in ("bf16x6", "bf16x9"):
        title = f"f32 as parts in bf16, {kind[-1]} products"
        for order in ORDERS:
            for size in (*SQUARES[1:], ODD[1]):
                problem = f"matmul/{order}/{kind}/{size}"
                yield ProductTarget(title, problem)
                yield Target(title, problem, "cublas", "error")


def batches():
    """Batches of small products: about equal work at each side, odd sides, and batches of 10240."""
    sizes = ((2**20, 4), (2**18, 8), (2**16, 16), (16384, 32), (16384, 64), (10240, 128))
    sizes += ((2**18, 5), (65536, 12), (32768, 24), (16384, 48))
    sizes += tuple((10240, side) for side in (4, 8, 16, 32))
    for kind in ("f32", "f64"):
        for batch, side in sizes:
            problem = f"matmul/batched/{kind}/{batch}x{side}x{side}x{side}"
            yield ProductTarget("Batches of small products", problem)


def ladder():
    """The steps of docs/matmul.md."""
    steps = [("f32", step) for step in ("naive", "tiled", "register_tile", "asynchronous_copies")]
    steps += [("f32", "library"), ("bf16", "naive"), ("bf16", "tiled"), ("bf16", "library")]
    for kind, step in steps:
        problem = f"matmul/{step}/{kind}/4096x4096x4096"
        yield Target("From the naive kernel to the library's", problem, "cublas", "shown")


SECTIONS = (floats, doubles, tensor_cores, into_floats, integers, split_floats, batches, ladder)
