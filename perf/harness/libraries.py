# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The libraries of this Python as peers: how each loads data, solves the problems and is timed."""

import functools
import importlib
import importlib.util

from .library import HIGH, LOW, TRIAD_SCALE, Library, on_device, on_host
from .peers import TITLES


def is_installed(name):
    return importlib.util.find_spec(name) is not None


def array_operations(xp):
    """The operations of NumPy, and of CuPy, which has the same interface."""

    def copy(d):
        xp.copyto(d.z, d.x)
        return d.z

    def triad(d):
        xp.multiply(d.y, d.y.dtype.type(TRIAD_SCALE), out=d.z)
        return xp.add(d.z, d.x, out=d.z)

    return {
        "copy": copy,
        "triad": triad,
        "increment": lambda d: xp.add(d.z, 1, out=d.z),
        "add": lambda d: xp.add(d.x, d.y, out=d.z),
        "multiply": lambda d: xp.multiply(d.x, d.y, out=d.z),
        "sum": lambda d: d.x.sum(),
        "abs_sum": lambda d: xp.abs(d.x).sum(),
        "max": lambda d: d.x.max(),
        "dot": lambda d: xp.dot(d.x, d.y),
        "scan": lambda d: xp.cumsum(d.x, dtype=d.x.dtype, out=d.z),
        "sort": lambda d: xp.sort(d.x),
        "histogram": lambda d: xp.histogram(d.x, d.bins, (LOW, HIGH))[0],
        "bincount": lambda d: xp.bincount(d.x, minlength=d.bins),
        "matmul": lambda d: xp.matmul(d.x, d.y, out=d.z),
    }


def torch_operations(torch):
    return {
        "copy": lambda d: d.z.copy_(d.x),
        "triad": lambda d: torch.add(d.x, d.y, alpha=TRIAD_SCALE, out=d.z),
        "increment": lambda d: d.z.add_(1),
        "add": lambda d: torch.add(d.x, d.y, out=d.z),
        "multiply": lambda d: torch.mul(d.x, d.y, out=d.z),
        "sum": lambda d: d.x.sum(),
        "abs_sum": lambda d: torch.linalg.vector_norm(d.x, 1),
        "max": lambda d: d.x.max(),
        "dot": lambda d: torch.dot(d.x, d.y),
        "scan": lambda d: torch.cumsum(d.x, 0, dtype=d.x.dtype, out=d.z),
        "sort": lambda d: torch.sort(d.x).values,
        "histogram": lambda d: torch.histc(d.x, d.bins, LOW, HIGH),
        "bincount": lambda d: torch.bincount(d.x, minlength=d.bins),
        "matmul": lambda d: torch.matmul(d.x, d.y, out=d.z),
        "random_uniform": lambda d: d.z.uniform_(),
        "random_normal": lambda d: d.z.normal_(),
    }


def numpy_library(on_gpu):
    numpy = importlib.import_module("numpy")
    if on_gpu:
        return None
    random = numpy.random.default_rng(1)
    draws = {
        "random_uniform": lambda d: random.random(out=d.z, dtype=d.z.dtype),
        "random_normal": lambda d: random.standard_normal(out=d.z, dtype=d.z.dtype),
    }
    return Library("numpy", array_operations(numpy) | draws, seconds=on_host)


def sum_by_chunks(cupy, x):
    """The sum of an array of the host, of which a device holds a chunk at a time."""
    chunk = 32 << 20
    parts = (cupy.asarray(x[i : i + chunk]).sum(dtype="float32") for i in range(0, x.size, chunk))
    return float(sum(parts))


def cupy_library(on_gpu):
    if not on_gpu:
        return None
    cupy = importlib.import_module("cupy")
    cupy.cuda.runtime.getDeviceCount()

    # Not those of its generators, which are slower and copy to `out`.
    draws = {
        "random_uniform": lambda d: cupy.random.random_sample(d.z.shape, d.z.dtype),
        "random_normal": lambda d: cupy.random.standard_normal(d.z.shape, d.z.dtype),
    }
    streamed = {"streamed_sum": lambda d: sum_by_chunks(cupy, d.x)}
    operations = array_operations(cupy) | draws | streamed
    seconds = on_device(cupy.cuda.Event, cupy.cuda.get_elapsed_time)
    return Library("cupy", operations, cupy.asarray, cupy.asnumpy, seconds, on_gpu=True)


def torch_library(on_gpu):
    torch = importlib.import_module("torch")
    if on_gpu and not torch.cuda.is_available():
        raise RuntimeError("it finds no GPU")
    device = "cuda" if on_gpu else "cpu"

    event = functools.partial(torch.cuda.Event, enable_timing=True)
    return Library(
        "torch",
        torch_operations(torch),
        lambda array: torch.from_numpy(array).to(device, copy=True),
        lambda result: result.cpu().numpy(),
        on_device(event, torch.cuda.Event.elapsed_time) if on_gpu else on_host,
        lambda threads: None if on_gpu else torch.set_num_threads(threads),
        on_gpu,
    )


def numba_library(on_gpu):
    module = importlib.import_module(f"{__package__}.{'numba_gpu' if on_gpu else 'numba_cpu'}")
    return module.library()


MAKERS = {
    "numpy": numpy_library,
    "numba": numba_library,
    "torch": torch_library,
    "cupy": cupy_library,
}
# What a library lacks: PyTorch has few unsigned types; Numba compiles loops and has no others.
NUMBA_CPU = ("copy", "triad", "increment", "add", "multiply", "sum", "abs_sum", "max", "dot")
NUMBA_CPU += ("scan", "histogram", "bincount")
NUMBA_GPU = ("triad", "increment", "add", "multiply", "sum", "abs_sum", "bincount")


def solves(implementation, on_gpu, operation, kind):
    """Whether a library has an operation on elements of a kind."""
    if operation == "streamed_sum":
        return implementation == "cupy" and on_gpu
    if implementation == "numba":
        if on_gpu:
            return operation in NUMBA_GPU and kind in ("f32", "i32")
        return operation in NUMBA_CPU
    if implementation == "torch":
        return kind not in ("u32", "u64")
    return on_gpu == (implementation == "cupy")


def backend_of(implementation, on_gpu, operation):
    """The backend that the report names for a library: NumPy has one thread except in products."""
    if on_gpu:
        return "cuda"
    return "serial" if implementation == "numpy" and operation != "matmul" else "openmp"


def version_of(implementation):
    return f"{TITLES[implementation]} {importlib.import_module(implementation).__version__}"
