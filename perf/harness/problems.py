# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The problems that Python's libraries solve: data of the sizes, types and distributions of the
benchmark programs, and what a result must be, in NumPy's double precision."""

import dataclasses

import numpy

from .library import HIGH, LOW, TRIAD_SCALE

DTYPES = {
    "f32": "float32",
    "f64": "float64",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u32": "uint32",
    "u64": "uint64",
}


class WrongResult(Exception):
    """A library's result is not the problem's."""


@dataclasses.dataclass
class Problem:
    """Inputs, an array for the output, and the check of a result.

    x, y   inputs; y is None if there is one
    z      output; overwritten, or incremented by "increment"
    check  check(result) says whether a result on the host is right
    is_on_host  whether the arrays stay there, in ordinary memory
    """

    operation: str
    check: object
    x: object = None
    y: object = None
    z: object = None
    bins: int = 0
    is_on_host: bool = False

    @property
    def bytes(self):
        return sum(array.nbytes for array in (self.x, self.y, self.z) if array is not None)


def operation_of(algorithm, name, kind):
    """What a problem of the benchmark programs computes; None if no library here has it."""
    if algorithm in ("vector", "loops") and name in ("add", "multiply", "triad", "copy"):
        return name
    if algorithm == "increment" or (algorithm, name) == ("loops", "increment"):
        return "increment"
    if algorithm == "reduce" and name in ("sum", "abs_sum", "max", "dot") and kind[0] == "f":
        return name
    if (algorithm, name) == ("scale", "streamed_reduce"):
        return "streamed_sum"
    if (algorithm, name) == ("scan", "inclusive"):
        return "scan"
    if (algorithm, name) == ("sort", "sort"):
        return "sort"
    if algorithm == "histogram" and name.split("_")[0] in ("uniform", "normal", "all"):
        return "histogram" if kind == "f32" else "bincount"
    if algorithm == "random" and name in ("uniform", "normal"):
        return f"random_{name}"
    if algorithm == "matmul" and name in ("matmul", "batched") and kind in ("f32", "f64"):
        return "matmul"
    return None


def close_to(wanted, slack):
    """A check of a number or of each element."""
    return lambda result: bool(numpy.all(numpy.abs(result - wanted) <= slack))


def uniform(random, shape, dtype, low=-1, high=1):
    """Floats of [low, high), generated in their own type, which is faster than rounding doubles."""
    x = random.random(shape, dtype)
    x *= high - low
    x += low
    return x


def elementwise(operation, dtype, size):
    random = numpy.random.default_rng(1)
    x, y, z = (uniform(random, size, dtype) for _ in range(3))
    wanted = {
        "add": lambda: x + y,
        "multiply": lambda: x * y,
        "triad": lambda: x + x.dtype.type(TRIAD_SCALE) * y,
        "copy": lambda: x,
        "increment": lambda: z + 1,
    }[operation]()
    return Problem(operation, close_to(wanted, 1e-6), x, y, z)


def reduction(operation, dtype, size):
    random = numpy.random.default_rng(1)
    x = uniform(random, size, dtype)
    y = uniform(random, size, dtype) if operation == "dot" else None
    doubles = x.astype("float64")
    wanted = {
        "sum": doubles.sum,
        "streamed_sum": doubles.sum,
        "abs_sum": lambda: numpy.abs(doubles).sum(),
        "max": doubles.max,
        "dot": lambda: doubles @ y,
    }[operation]()
    # A long chain of additions in float is off by more than a tree, and still the problem's sum.
    slack = 1e-3 * size if operation == "abs_sum" else 1e-2 * size**0.5
    check = close_to(wanted, 0 if operation == "max" else slack)
    return Problem(operation, check, x, y, is_on_host=operation == "streamed_sum")


def scan(operation, dtype, size):
    random = numpy.random.default_rng(1)
    if dtype == "float32":
        x = uniform(random, size, dtype)
        check = close_to(x.cumsum(dtype="float64"), 1e-2 * size**0.5)
    else:
        x = random.integers(-100, 100, size).astype(dtype)
        check = close_to(x.cumsum(dtype="int64"), 0)
    return Problem(operation, check, x, z=numpy.empty_like(x))


def sort(operation, dtype, size):
    random = numpy.random.default_rng(1)
    if dtype == "float32":
        x = uniform(random, size, dtype)
    else:
        x = random.integers(0, numpy.iinfo(dtype).max, size, dtype, endpoint=True)
    ordered = numpy.sort(x)
    return Problem(operation, lambda result: numpy.array_equal(result, ordered), x)


def floats_of(spread, size):
    random = numpy.random.default_rng(1)
    if spread == "uniform":
        return uniform(random, size, "float32", LOW, HIGH)
    if spread == "normal":
        return random.standard_normal(size, "float32")
    return numpy.full(size, 0.7, "float32")


def integers_of(spread, bins, dtype, size):
    random = numpy.random.default_rng(1)
    if spread == "uniform":
        return random.integers(0, bins, size).astype(dtype)
    if spread == "normal":
        return numpy.clip(random.normal(bins / 2, bins / 8, size), 0, bins - 1).astype(dtype)
    return numpy.full(size, bins // 2, dtype)


def histogram(operation, name, dtype, size):
    spread, bins = name.rsplit("_", 1)
    bins = int(bins)
    if operation == "histogram":
        x = floats_of(spread, size)
        wanted = numpy.histogram(x, bins, (LOW, HIGH))[0]
        slack = 1e-4 * size  # a library may round a value across an edge
    else:
        x = integers_of(spread, bins, dtype, size)
        wanted = numpy.bincount(x, minlength=bins)
        slack = 0
    return Problem(
        operation, lambda result: numpy.abs(result - wanted).sum() <= slack, x, bins=bins
    )


def product(operation, dtype, sides):
    """Batches are batch x m x k x n, checked as the others are by a vector: c v = a (b v)."""
    *batch, m, k, n = sides
    random = numpy.random.default_rng(1)
    x = uniform(random, (*batch, m, k), dtype)
    y = uniform(random, (*batch, k, n), dtype)
    v = uniform(random, n, "float64")
    wanted = (x @ (y @ v)[..., None])[..., 0]
    check = close_to(wanted, 1e-3 * (k * n) ** 0.5)
    return Problem(
        operation, lambda c: check(c @ v), x, y, numpy.empty((*batch, m, n), dtype=dtype)
    )


def draws(operation, dtype, size):
    """Random numbers, which are right if their mean and range can be."""
    normal = operation == "random_normal"
    mean, deviation, most = (0, 1, 40) if normal else (0.5, 12**-0.5, 1)

    def check(result):
        is_near = abs(result.mean(dtype="float64") - mean) <= 6 * deviation * size**-0.5
        return bool(is_near and abs(result).max() <= most)

    return Problem(operation, check, z=numpy.empty(size, dtype))


def make(algorithm, name, kind, size):
    """The problem of a benchmark's name; None if no library here solves it."""
    operation = operation_of(algorithm, name, kind)
    if operation is None:
        return None
    dtype = DTYPES[kind]
    sides = [int(side) for side in size.split("x")]
    count = int(numpy.prod(sides, dtype="int64"))
    if operation in ("sum", "streamed_sum", "abs_sum", "max", "dot"):
        return reduction(operation, dtype, count)
    if operation in ("histogram", "bincount"):
        return histogram(operation, name, dtype, count)
    if operation == "matmul":
        return product(operation, dtype, sides)
    makers = {"scan": scan, "sort": sort, "random_uniform": draws, "random_normal": draws}
    return makers.get(operation, elementwise)(operation, dtype, count)
