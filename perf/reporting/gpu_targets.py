# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's targets: every memory-bound operation of the CUDA backend against its peer or against
the limit of the machine."""

from .targets import Target

FLOATS = ("f32", "f64")
LARGE = 2**27

# Bounds of rows that the rule does not fit: work beside the memory's that is known beforehand, and
# peers that tandem is never slower than.
LEAST_OF_FUNCTION = 0.98  # of a copy
LEAST_OF_FILL = {"bits/u32": 0.9, "uniform/f32": 0.85, "normal/f32": 0.5}
LEAST_OF_ATOMICS = {"random_cells": 1 / 1.1, "one_cell": 100}
LEAST_OF_CUSPARSE = 0.95
NEVER_SLOWER = 1.0
SPREADS = ("uniform", "normal", "all_equal")


def loops():
    """Elementwise loops through a lambda, against a hand-written kernel with 16-byte accesses."""
    heading = "Elementwise loops"
    for name in ("triad", "copy", "increment"):
        for kind in FLOATS:
            for exponent in (20, 22, 24, 27, 28, 30):
                problem = f"loops/{name}/{kind}/{2**exponent}"
                yield Target(heading, problem, "raw")
                if name != "increment":
                    yield Target("transform", problem, "cub", tandem_variant="transform")
                    for title, variant in (
                        ("inputs as arguments", "arguments"),
                        ("mutable inputs captured", "mutable"),
                    ):
                        yield Target(
                            f"{heading}, {title}", problem, "raw", tandem_variant=variant
                        )


def shaped_loops():
    heading = "Loops over planes, strided and misaligned views"
    for name in ("triad", "copy", "increment"):
        for size in ("1000x1000", "4000x4000", "8192x16384"):
            yield Target(heading, f"loops/{name}_plane/f32/{size}", "raw")
        yield Target(heading, f"loops/{name}_plane/f32/{2**18}x40", "raw")
        for size in ("1000x1000", "8192x16000"):
            problem = f"loops/{name}_pitched/f32/{size}"
            yield Target(heading, problem, "raw")
            yield Target(heading, problem, "raw", tandem_variant="strides")
        for form in ("strided", "misaligned"):
            for exponent in (20, 24, 27):
                problem = f"loops/{name}_{form}/f32/{2**exponent}"
                yield Target(heading, problem, "raw")


def transfers():
    """Copies between ordinary arrays of the host and the GPU, against the driver's."""
    heading = "Copies from and to ordinary arrays"
    for name in ("to_device", "to_host"):
        for exponent in (16, 18, 20, 22, 24, 26, 27):
            problem = f"transfer/{name}/f32/{2**exponent}"
            yield Target(heading, problem, "raw", variant="pageable")


def launches():
    for name in ("back_to_back", "fence"):
        for size in (8, 512, 4096, 16384, 32000):
            problem = f"launch/{name}/bytes/{size}"
            yield Target("Launch of an empty parallel_for", problem, "raw", variant="to_host")


def graphs():
    """Graphs of twenty increments, and of a mixture of loops, sums, histograms and scans."""
    for name in ("graph", "graph_mix"):
        problem = f"launch/{name}/f32/20"
        yield Target("Graph of 20 small operations", problem, "raw", variant="to_host")


def reductions_to_host():
    heading = "Reductions, result on the host"
    for name in ("sum", "abs_sum", "max", "dot"):
        for size in (2**10, 2**12, 2**16, 2**20):
            problem = f"reduce/{name}/f32/{size}"
            yield Target(heading, problem, "cub", variant="to_host")


def reductions():
    kinds = {"sum": (*FLOATS, "i32", "i64")}
    for name in ("sum", "abs_sum", "max", "dot"):
        for kind in kinds.get(name, FLOATS):
            for exponent in (20, 24, 27, 30):
                problem = f"reduce/{name}/{kind}/{2**exponent}"
                yield Target("Reductions on the device", problem, "cub")


def reductions_against_sum():
    """Other results of one pass over the data, whose limit is tandem's own sum of it."""
    for name in ("argmin", "argmax", "minmax", "several"):
        for exponent in (24, 27):
            problem = f"reduce/{name}/f32/{2**exponent}"
            yield Target("Several results in one pass", problem, "sum", "limit")
            if name.startswith("arg"):
                yield Target("Several results in one pass", problem, "cub")
    yield Target("Ordered reduction", f"reduce/ordered/f32/{LARGE}", "sum", "limit")


def reductions_over_an_axis():
    for name in ("rows", "columns"):
        for size in (f"{2**20}x128", f"{2**13}x{2**14}", f"128x{2**20}"):
            problem = f"axis/{name}/f32/{size}"
            yield Target("Sums over an axis", problem, "read", "limit")
            if name == "rows":  # CUB has no sums of columns
                yield Target("Sums over an axis", problem, "cub")


def scans():
    for heading, kinds in (
        ("Scans of integers", ("i32", "i64")),
        ("Scans of floats, same bits", FLOATS),
    ):
        for name in ("inclusive", "exclusive"):
            for kind in kinds:
                for size in (2**20, LARGE):
                    yield Target(heading, f"scan/{name}/{kind}/{size}", "cub")


def histograms_of_floats():
    heading = "Histograms of f32, NumPy's edges"
    for bins in (10, 150, 256):
        for spread in SPREADS:
            problem = f"histogram/{spread}_{bins}/f32/{LARGE}"
            yield Target(heading, problem, "cub")
            yield Target(heading, problem, "read", "limit")
    yield Target(heading, "histogram/normal_150/f32/1000000", "cub")


def histograms_of_integers():
    heading = "Histograms of integers"
    for spread in SPREADS:
        for size in (2**25, LARGE):
            problem = f"histogram/{spread}_256/i32/{size}"
            yield Target(heading, problem, "cub")
            yield Target(heading, problem, "read", "limit")
    for bins in (1000, 4096, 65536, 2**20):
        for spread in SPREADS:
            problem = f"histogram/{spread}_{bins}/i32/{LARGE}"
            yield Target(heading, problem, ("cub", "atomics"))


def other_histograms():
    heading = "Histograms of bytes, explicit edges, weights"
    for spread in SPREADS:
        yield Target(heading, f"histogram/{spread}_256/u8/{LARGE}", "read", "limit")
    for name in ("edges_100", "edges_1000", "weighted_256"):
        yield Target(heading, f"histogram/{name}/f32/{LARGE}", "read", "limit")


def sorts():
    cases = [("sort", kind) for kind in ("u32", "f32", "u64")]
    cases += [("sort_by_key", "u32"), ("unique", "u32"), ("copy_if", "f32")]
    for name, kind in cases:
        for size in (2**20, LARGE):
            yield Target("Sort and select", f"sort/{name}/{kind}/{size}", "cub")


def functions():
    """Functions of floats in a transform, against a copy and against CUDA's in a kernel by hand."""
    heading = "Functions of floats"
    for name in ("exp", "log", "sin", "pow"):
        problem = f"functions/{name}/f32/{LARGE}"
        if name == "exp":
            yield Target(heading, problem, "copy", "limit", least=LEAST_OF_FUNCTION)
        else:
            yield Target(heading, problem, "copy", "shown")
        yield Target(heading, problem, "raw", "peer" if name == "exp" else "shown")


def random_numbers():
    """Random numbers, whose integer operations a GPU cannot hide behind the stores of a fill."""
    heading = "Random numbers"
    for case, exponent in (
        ("bits/u32", 28),
        ("uniform/f32", 28),
        ("uniform/f64", 27),
        ("normal/f32", 28),
    ):
        problem = f"random/{case}/{2**exponent}"
        least = LEAST_OF_FILL.get(case)
        yield Target(heading, problem, "fill", "limit" if least else "shown", least=least)
        peers = ("curand_philox", "curand_xorwow")
        peers += ("cupy", "torch") if case.endswith("f32") else ()
        yield Target(heading, problem, peers, least=NEVER_SLOWER)


def scattered_sums():
    """Sums in cells without an order, against atomic additions of floats."""
    for name, heading in (
        ("random_cells", "Scattered sums"),
        ("one_cell", "Scattered sums, one cell"),
    ):
        problem = f"scatter/{name}/f32/{LARGE}"
        yield Target(heading, problem, "atomics", least=LEAST_OF_ATOMICS[name])


def segments():
    """Sums of segments and of runs of equal keys."""
    heading = "Segments and runs"
    for name, count in (
        ("equal_1000", 2**16),
        ("tiny_4", 2**24),
        ("skewed", 2**20),
        ("half_empty", 2**21),
        ("runs_of_15", 2**22),
        ("runs_of_1000", 2**16),
    ):
        yield Target(heading, f"segments/{name}/f32/{count}", "cub", least=NEVER_SLOWER)


# The matrices of products by compressed rows, and their rows on a GPU.
MATRICES = {
    "csr_banded": 2**21,
    "csr_grid_2d": 2**23,
    "csr_grid_3d": 2**22,
    "csr_power_law": 2**20,
    "csr_dense_rows": 2**20,
    "csr_random": 2**20,
}


def sparse_products():
    peers = ("cusparse", "cusparse_alg1", "cusparse_alg2")
    for name, rows in MATRICES.items():
        problem = f"segments/{name}/f64/{rows}"
        yield Target("Sparse matrix times vector", problem, peers, least=LEAST_OF_CUSPARSE)


SECTIONS = (
    loops,
    shaped_loops,
    launches,
    graphs,
    reductions_to_host,
    reductions,
    reductions_against_sum,
    reductions_over_an_axis,
    scans,
    histograms_of_floats,
    histograms_of_integers,
    other_histograms,
    sorts,
    functions,
    random_numbers,
    scattered_sums,
    segments,
    sparse_products,
    transfers,
)
