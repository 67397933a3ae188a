# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU's targets: every operation of the OpenMP backend against the best of its peers."""

import functools

from .gpu_targets import FLOATS, MATRICES, NEVER_SLOWER
from .targets import Target

CpuTarget = functools.partial(Target, backend="openmp")

# How many times as fast as the standard library's engine and distributions.
LEAST_OF_RANDOM = {"bits/u32": 3, "uniform/f32": 3, "uniform/f64": 3, "normal/f32": 5}


def loops():
    """Elementwise loops through a lambda, and through algorithms that choose their stores."""
    for kind in FLOATS:
        for name in ("triad", "copy", "increment"):
            for exponent in (16, 18, 20, 22, 24, 26, 28):
                problem = f"loops/{name}/{kind}/{2**exponent}"
                peers = ("raw", "tbb", "kokkos")
                yield CpuTarget("Elementwise loops", problem, (*peers, "numba"))
                yield CpuTarget("transform and copy", problem, peers, tandem_variant="transform")


def small_loops():
    """Loops so short that waking threads does not pay. One thread's loop, which has no call that
    could cost, is shown beside them."""
    heading = "Small loops"
    for name in ("triad", "copy", "increment"):
        for exponent in (8, 10, 12):
            problem = f"loops/{name}/f32/{2**exponent}"
            yield CpuTarget(heading, problem, "raw")
            yield CpuTarget(heading, problem, "serial/loop", "shown")


def index_types():
    for name in ("int", "unsigned", "long", "size_t"):
        yield CpuTarget("Index types", f"loops/triad_{name}/f32/{2**20}", "raw")


def planes():
    """Grids of two and three dimensions, and a five-point stencil against a blocked loop."""
    heading = "Planes, volumes, stencil"
    for size in ("1000x1000", "8192x8192"):
        yield CpuTarget(heading, f"loops/increment_plane/f32/{size}", "raw")
        yield CpuTarget(heading, f"loops/stencil/f32/{size}", "raw")
    for size in ("100x100x100", "512x512x256"):
        yield CpuTarget(heading, f"loops/increment_volume/f32/{size}", "raw")


def reductions():
    for name in ("sum", "abs_sum", "max", "dot"):
        for exponent in (10, 12):
            problem = f"reduce/{name}/f32/{2**exponent}"
            heading = "Small reductions"
            yield CpuTarget(heading, problem, "serial/loop", "shown")
        for exponent in (16, 20, 24, 27):
            problem = f"reduce/{name}/f32/{2**exponent}"
            peers = ("raw", "tbb", "kokkos", "numba", "serial/numpy")
            yield CpuTarget("Reductions", problem, peers)


def reductions_against_max():
    """Results of more than one value, against tandem's own maximum of the same data."""
    for name in ("argmin", "argmax", "minmax", "several"):
        for exponent in (20, 24, 27):
            yield CpuTarget("Several results", f"reduce/{name}/f32/{2**exponent}", "max", "limit")


def reductions_over_an_axis():
    for name in ("rows", "columns"):
        for size in (f"{2**20}x128", f"{2**13}x{2**14}", f"128x{2**20}"):
            yield CpuTarget("Sums over an axis", f"axis/{name}/f32/{size}", "raw")


def user_reductions():
    """User-defined operations, against Kokkos and a hand-written scalar fold per thread."""
    for name in ("user_abs_sum", "three_sums", "welford"):
        problem = f"reduce/{name}/f64/100000"
        yield CpuTarget("User-defined reductions", problem, ("kokkos", "raw"))


def scans():
    for kind in ("f32", "i32", "i64"):
        for exponent in (16, 20, 27):
            problem = f"scan/inclusive/{kind}/{2**exponent}"
            peers = ("raw", "tbb", "kokkos", "serial/std", "serial/numpy")
            yield CpuTarget("Scans", problem, peers)


def small_operations():
    """Scans, sorts and selections of few elements, against the standard library on one thread."""
    size = 2**12
    for kind in ("f32", "i32", "i64"):
        problem = f"scan/inclusive/{kind}/{size}"
        yield CpuTarget("Small scans, sorts and selections", problem, "serial/std")
    cases = [("sort", kind) for kind in ("u32", "f32", "u64")]
    cases += [("sort_by_key", "u32"), ("unique", "u32"), ("copy_if", "f32")]
    for name, kind in cases:
        problem = f"sort/{name}/{kind}/{size}"
        yield CpuTarget("Small scans, sorts and selections", problem, "serial/std")


def histograms():
    heading = "Histograms"
    peers = ("raw", "tbb", "serial/numpy")
    for spread in ("uniform", "normal", "all_equal"):
        yield CpuTarget(heading, f"histogram/{spread}_150/f32/{2**26}", peers)
        for bins in (256, 4096, 65536):
            yield CpuTarget(heading, f"histogram/{spread}_{bins}/i32/{2**25}", peers)


def sorts():
    heading = "Sort and select"
    for exponent in (16, 20, 24, 27):
        # std::sort, on one thread, is too slow to measure at large sizes.
        plain = ("serial/std", "serial/numpy") if exponent <= 20 else ()
        for kind in ("u32", "f32", "u64"):
            peers = ("gnu", "tbb", "hwy", *plain)
            yield CpuTarget(heading, f"sort/sort/{kind}/{2**exponent}", peers)
        yield CpuTarget(heading, f"sort/sort_by_key/u32/{2**exponent}", ("gnu", *plain[:1]))
        for name, kind in (("unique", "u32"), ("copy_if", "f32")):
            problem = f"sort/{name}/{kind}/{2**exponent}"
            yield CpuTarget(heading, problem, ("raw", "serial/std"))


def random_numbers():
    for case, least in LEAST_OF_RANDOM.items():
        yield CpuTarget("Random numbers", f"random/{case}/{2**26}", "mt19937", least=least)


def sums_in_cells_and_segments():
    """Scattered sums and segments, against loops by hand."""
    for name in ("random_cells", "one_cell"):
        problem = f"scatter/{name}/f32/{2**26}"
        yield CpuTarget("Scattered sums", problem, "raw", least=NEVER_SLOWER)
    for name, count in (
        ("equal_1000", 2**14),
        ("tiny_4", 2**22),
        ("skewed", 2**18),
        ("half_empty", 2**19),
    ):
        yield CpuTarget("Segments", f"segments/{name}/f32/{count}", "raw")
    for name, rows in MATRICES.items():
        yield CpuTarget("Sparse matrix times vector", f"segments/{name}/f64/{rows // 4}", "raw")


SMALL_PRODUCTS = ("64x64x64", "128x128x128", "256x256x256")
LARGE_PRODUCTS = ("1000x1000x1000", "1024x1024x1024", "2048x2048x2048", "4096x4096x4096")
SKINNY_PRODUCTS = (
    "256x512x256",
    "5120x256x5120",
    "16x4096x4096",
    "64x65536x64",
    "65536x64x64",
)

BLAS = ("openblas", "blis")


def products():
    """Products of m x k x n on all threads, and on one thread unless that takes seconds."""
    for kind in FLOATS:
        for size in (*SMALL_PRODUCTS, *LARGE_PRODUCTS, *SKINNY_PRODUCTS):
            problem = f"matmul/matmul/{kind}/{size}"
            yield CpuTarget("Matrix products", problem, BLAS)
            if size not in LARGE_PRODUCTS[2:]:
                yield CpuTarget(
                    "Matrix products, one thread", problem, BLAS, variant="threads_1"
                )
        problem = f"matmul/batched/{kind}/1024x128x128x128"
        yield CpuTarget("Matrix products", problem, BLAS)


NARROW_PRODUCTS = (*SMALL_PRODUCTS, *LARGE_PRODUCTS, "5120x256x5120", "16x4096x4096")
# The program measures the hand-written loop at small sizes only.
INTEGER_PEERS = ("onednn", "raw")


def integer_products():
    """Products of 8-bit integers, on all threads and on one."""
    heading = "Matrix products of 8-bit integers"
    for size in NARROW_PRODUCTS:
        problem = f"matmul/matmul/i8/{size}"
        yield CpuTarget(heading, problem, INTEGER_PEERS)
        one_thread = f"{heading}, one thread"
        yield CpuTarget(one_thread, problem, INTEGER_PEERS, variant="threads_1")


def bf16_products():
    """Products of bf16 against oneDNN, which may add in any order; tandem's product of floats,
    whose bits they have, is shown beside them."""
    for kind, row in (
        ("bf16_f32", "Matrix products of bf16 into floats"),
        ("bf16", "Matrix products of bf16 into bf16"),
    ):
        for size in NARROW_PRODUCTS:
            problem = f"matmul/matmul/{kind}/{size}"
            for variant, heading in (("resident", row), ("threads_1", f"{row}, one thread")):
                if kind == "bf16_f32":
                    yield CpuTarget(heading, problem, "onednn", variant=variant)
                yield CpuTarget(heading, problem, "floats", "shown", variant=variant)


SECTIONS = (
    loops,
    small_loops,
    index_types,
    planes,
    reductions,
    reductions_against_max,
    reductions_over_an_axis,
    user_reductions,
    scans,
    small_operations,
    histograms,
    sorts,
    random_numbers,
    sums_in_cells_and_segments,
    products,
    integer_products,
    bf16_products,
)
